import assert from "node:assert/strict";
import {
  createHome,
  findHome,
  HomeError,
  lockHome,
  type Surroundings,
} from "../lib/home.ts";
import { homeIn, modeOf, withHome } from "./temp_home.ts";

function around(
  env: Readonly<Record<string, string>>,
  reached: string | undefined = undefined,
): Surroundings {
  return {
    env: (name) => env[name],
    workingFolder: () => "/srv/fleet",
    reaches: (path) => reached === undefined || path === reached,
  };
}

const FOUND: readonly {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly secrets: string;
}[] = [
  {
    name: "the folder .rete of HOME [SET-050]",
    env: { HOME: "/home/alice" },
    folder: "/home/alice/.rete",
    secrets: "/home/alice/.rete/secrets.json",
  },
  {
    name: "the folder of the file that RETE_SECRETS_FILE names [SET-051]",
    env: { HOME: "/home/alice", RETE_SECRETS_FILE: "/var/lib/rete/keys.json" },
    folder: "/var/lib/rete",
    secrets: "/var/lib/rete/keys.json",
  },
  {
    name: "HOME when RETE_SECRETS_FILE is empty",
    env: { HOME: "/home/alice", RETE_SECRETS_FILE: "" },
    folder: "/home/alice/.rete",
    secrets: "/home/alice/.rete/secrets.json",
  },
  {
    name: "a relative path from the working folder",
    env: { RETE_SECRETS_FILE: "../a/./secrets.json" },
    folder: "/srv/a",
    secrets: "/srv/a/secrets.json",
  },
  {
    name: "a home at the root of the file system",
    env: { HOME: "/" },
    folder: "/.rete",
    secrets: "/.rete/secrets.json",
  },
];

for (const { name, env, folder, secrets } of FOUND) {
  Deno.test(`findHome() takes ${name}`, () => {
    // Guards that the token is looked for where the contract keeps it.
    const home = findHome(around(env));
    assert.equal(home.folder, folder);
    assert.equal(home.secretsFile, secrets);
    assert.equal(home.configFile, `${folder}/config.json`);
    assert.equal(home.operatorFile, `${folder}/operator.json`);
  });
}

Deno.test("findHome() says how to start a portable build elsewhere", () => {
  // Guards that a newcomer who starts it in the wrong folder learns what to do.
  assert.throws(
    () => findHome(around({ HOME: "/home/alice" }, "/srv/fleet/.rete")),
    new HomeError(
      "out-of-reach",
      "reterm has no access to its home, /home/alice/.rete.\n" +
        "Started in this folder, this build may use /srv/fleet/.rete and " +
        "nothing else.\n" +
        "Start it in /home/alice:  cd /home/alice\n" +
        "Or build it for this home:  make build RETE_HOME=/home/alice/.rete",
    ),
  );
});

Deno.test("findHome() says so when the build was made for another home", () => {
  // Guards that a build with a baked home names what is in the way.
  const env = { HOME: "/home/a", RETE_SECRETS_FILE: "/var/lib/x/secrets.json" };
  assert.throws(
    () => findHome(around(env, "/home/a/.rete")),
    new HomeError(
      "out-of-reach",
      "reterm has no access to its home, /var/lib/x.\n" +
        "This build was made for another folder, and may use only that one.\n" +
        "RETE_SECRETS_FILE names a file outside of it.\n" +
        "Or build it for this home:  make build RETE_HOME=/var/lib/x",
    ),
  );
});

Deno.test("findHome() refuses without HOME, and a secrets file that is another's", () => {
  // Guards that no file is written at a guessed place or over another one.
  assert.throws(() => findHome(around({})), { kind: "unknown" });
  for (const name of ["config.json", "operator.json", ""]) {
    assert.throws(
      () => findHome(around({ RETE_SECRETS_FILE: `/a/${name}` })),
      { kind: "unknown" },
    );
  }
});

Deno.test("createHome() makes the folder 0700 and leaves one that is there [SET-053]", async () => {
  // Guards that nobody else can list or enter the folder.
  await withHome(async ({ folder }) => {
    const home = homeIn(`${folder}/new`);
    await createHome(home);
    assert.equal(await modeOf(home.folder), 0o700);
    await Deno.chmod(home.folder, 0o750);
    await createHome(home);
    assert.equal(await modeOf(home.folder), 0o750);
  });
});

Deno.test("createHome() says why it cannot", async () => {
  // Guards that a missing parent or a file in the way is told in words.
  await withHome(async ({ folder }) => {
    await assert.rejects(createHome(homeIn(`${folder}/a/b`)), {
      kind: "cannot-create",
      message: `Cannot create ${folder}/a/b: ` +
        `the folder it would be in does not exist.`,
    });
    await Deno.writeTextFile(`${folder}/file`, "");
    await assert.rejects(createHome(homeIn(`${folder}/file`)), {
      message: `Cannot create ${folder}/file: ` +
        `something that is not a folder has that name.`,
    });
  });
});

Deno.test("lockHome() says that the system denies the folder", async () => {
  // Guards that a folder of someone else's is told of in words.
  await withHome(async (home) => {
    await Deno.chmod(home.folder, 0o000);
    try {
      // Root may open every folder.
      if (Deno.uid() === 0) return;
      await assert.rejects(lockHome(home, 0), {
        kind: "cannot-open",
        message: `Cannot open ${home.folder}: the system denies it ` +
          `(see who owns it, and its mode).`,
      });
    } finally {
      await Deno.chmod(home.folder, 0o700);
    }
  });
});

Deno.test("lockHome() is held once, and free after its release", async () => {
  // Guards that two services, or a service and an edit, never share the files.
  await withHome(async (home) => {
    const first = await lockHome(home);
    assert.notEqual(first, undefined);
    assert.equal(await lockHome(home, 0), undefined);
    first?.release();
    const second = await lockHome(home, 0);
    assert.notEqual(second, undefined);
    second?.release();
  });
});
