/**
 * The one folder the program keeps files in: the folder of the secrets file
 * that `RETE_SECRETS_FILE` names, else `~/.rete`. Finds it, says whether the
 * permissions this build was given reach it, creates it 0700, and holds the
 * lock that keeps two services, or a service and an edit, off the same files.
 *
 * Spec: "Where the token is kept"; the permission list of the README.
 *
 * @module
 */

/** Only its owner enters the folder. */
export const HOME_MODE = 0o700;

/** Waiting this long for an edit to end is enough: one takes milliseconds. */
export const LOCK_WAIT_MS = 2_000;
const LOCK_RETRY_MS = 50;

/** The folder and the names in it. All paths are absolute. */
export interface Home {
  readonly folder: string;
  readonly secretsFile: string;
  readonly configFile: string;
  readonly operatorFile: string;
}

/** Why there is no home to work with; `message` is for the person. */
export class HomeError extends Error {
  override readonly name = "HomeError";
  constructor(
    readonly kind:
      | "unknown"
      | "out-of-reach"
      | "cannot-create"
      | "cannot-open",
    message: string,
  ) {
    super(message);
  }
}

/** What {@link findHome} looks at; tests give their own. */
export interface Surroundings {
  env(name: string): string | undefined;
  workingFolder(): string;
  /** Whether the permissions given reach `path` for reading and writing. */
  reaches(path: string): boolean;
}

/** The process's own environment, working folder and permissions. */
export const processSurroundings: Surroundings = {
  env: (name) => Deno.env.get(name),
  workingFolder: () => Deno.cwd(),
  reaches: (path) =>
    (["read", "write"] as const).every((name) =>
      Deno.permissions.querySync({ name, path }).state === "granted"
    ),
};

/** The same for a process that reads its home and never writes there. */
export const readingSurroundings: Surroundings = {
  ...processSurroundings,
  reaches: (path) =>
    Deno.permissions.querySync({ name: "read", path }).state === "granted",
};

/**
 * The home of this process.
 *
 * @throws {HomeError} `unknown` when neither variable says where it is,
 * `out-of-reach` when the permissions given do not cover it.
 */
export function findHome(around: Surroundings = processSurroundings): Home {
  const named = around.env("RETE_SECRETS_FILE");
  if (named?.endsWith("/")) throw notAFileOfItsOwn(named);
  const home = named ? homeOfSecrets(absolute(named, around)) : defaultHome(
    around.env("HOME"),
    around,
  );
  if (!around.reaches(home.folder)) {
    throw new HomeError("out-of-reach", outOfReach(home, named, around));
  }
  return home;
}

function defaultHome(userHome: string | undefined, around: Surroundings): Home {
  if (!userHome) {
    throw new HomeError(
      "unknown",
      "Cannot tell where home is: neither RETE_SECRETS_FILE nor HOME is set.",
    );
  }
  const base = absolute(userHome, around);
  return homeOfSecrets(`${base === "/" ? "" : base}/.rete/secrets.json`);
}

function homeOfSecrets(secretsFile: string): Home {
  const cut = secretsFile.lastIndexOf("/");
  const folder = secretsFile.slice(0, cut) || "/";
  const inside = folder === "/" ? "/" : `${folder}/`;
  const name = secretsFile.slice(cut + 1);
  if (["", "config.json", "operator.json"].includes(name)) {
    throw notAFileOfItsOwn(secretsFile);
  }
  return {
    folder,
    secretsFile,
    configFile: `${inside}config.json`,
    operatorFile: `${inside}operator.json`,
  };
}

function notAFileOfItsOwn(named: string): HomeError {
  return new HomeError(
    "unknown",
    `RETE_SECRETS_FILE must name a file of its own, such as secrets.json in ` +
      `a folder that reterm may use, not "${named}".`,
  );
}

/** `path` as an absolute one without `.`, `..` or doubled slashes. */
function absolute(path: string, around: Surroundings): string {
  const whole = path.startsWith("/")
    ? path
    : `${around.workingFolder()}/${path}`;
  const kept: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}

function outOfReach(
  home: Home,
  named: string | undefined,
  around: Surroundings,
): string {
  const here = `${around.workingFolder()}/.rete`.replace(/^\/\//, "/");
  const lines = [`reterm has no access to its home, ${home.folder}.`];
  const parent = home.folder.slice(0, home.folder.lastIndexOf("/")) || "/";
  const isDefault = home.folder.endsWith("/.rete");
  if (around.reaches(here)) {
    lines.push(
      `Started in this folder, this build may use ${here} and nothing else.`,
    );
    if (isDefault) lines.push(`Start it in ${parent}:  cd ${parent}`);
    else lines.push("RETE_SECRETS_FILE names a file outside of it.");
  } else {
    lines.push(
      "This build was made for another folder, and may use only that one.",
    );
    if (named) lines.push("RETE_SECRETS_FILE names a file outside of it.");
  }
  lines.push(
    `Or build it for this home:  make build RETE_HOME=${home.folder}`,
  );
  return lines.join("\n");
}

/**
 * Creates the folder, 0700, when it is not there. One that is there is left as
 * it is.
 *
 * @throws {HomeError} `cannot-create`.
 */
export async function createHome(home: Home): Promise<void> {
  try {
    if ((await Deno.stat(home.folder)).isDirectory) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      throw cannotCreate(home, error);
    }
  }
  try {
    await Deno.mkdir(home.folder, { mode: HOME_MODE });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      const there = await Deno.stat(home.folder).catch(() => undefined);
      if (there?.isDirectory) return;
    }
    throw cannotCreate(home, error);
  }
}

function cannotCreate(home: Home, error: unknown): HomeError {
  const why = error instanceof Deno.errors.NotFound
    ? "the folder it would be in does not exist"
    : error instanceof Deno.errors.AlreadyExists
    ? "something that is not a folder has that name"
    : error instanceof Deno.errors.PermissionDenied
    ? "the system denies it"
    : error instanceof Error
    ? error.message
    : String(error);
  return new HomeError(
    "cannot-create",
    `Cannot create ${home.folder}: ${why}.`,
  );
}

/** Held while its holder may change the files of a home. */
export interface HomeLock {
  release(): void;
}

/**
 * Takes the lock of an existing home, waiting up to `waitMs` for another
 * holder. The kernel frees it with the process, however that ends.
 *
 * @returns undefined when another process holds it.
 * @throws {Deno.errors.NotFound} when the folder is not there.
 * @throws {HomeError} `cannot-open`.
 */
export async function lockHome(
  home: Home,
  waitMs = LOCK_WAIT_MS,
): Promise<HomeLock | undefined> {
  const folder = await openFolder(home);
  const deadline = performance.now() + waitMs;
  try {
    while (!(await tryLock(folder))) {
      if (performance.now() >= deadline) {
        folder.close();
        return undefined;
      }
      await new Promise((resume) => setTimeout(resume, LOCK_RETRY_MS));
    }
  } catch (error) {
    folder.close();
    throw error;
  }
  return { release: () => folder.close() };
}

async function openFolder(home: Home): Promise<Deno.FsFile> {
  try {
    return await Deno.open(home.folder, { read: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    throw new HomeError(
      "cannot-open",
      `Cannot open ${home.folder}: the system denies it ` +
        `(see who owns it, and its mode).`,
    );
  }
}

// A file system that cannot lock a folder (some network ones) is used without:
// the operator's door still keeps a second service away.
async function tryLock(folder: Deno.FsFile): Promise<boolean> {
  try {
    return await folder.tryLock(true);
  } catch {
    return true;
  }
}
