/**
 * Packaging, without the base binary that a compiled program needs: a stand-in
 * takes its place, and what `deno compile` appended to it is read back.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LIBC_PATHS } from "../../lib/peer/libc.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Any program serves as the stand-in: what is read is what follows it. */
const STAND_IN = "/bin/true";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: ROOT,
    env,
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

async function permissions(home: string, hosts = ""): Promise<string[]> {
  const { out } = await run("scripts/permissions", [home, hosts]);
  return out.trimEnd().split("\n");
}

async function agentPermissions(home: string): Promise<string[]> {
  const { out } = await run("scripts/permissions", ["--agent", home]);
  return out.trimEnd().split("\n");
}

async function bridgePermissions(home: string): Promise<string[]> {
  const { out } = await run("scripts/permissions", ["--bridge", home]);
  return out.trimEnd().split("\n");
}

async function withFolder(use: (folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("permissions lists the C libraries that the peer check opens", async () => {
  // Guards that the check finds its library under the shipped flags: Deno
  // compares names, so the two lists must be the same strings.
  const [flag] = (await permissions(".rete"))
    .filter((flag) => flag.startsWith("--allow-ffi="));
  assert.equal(flag, `--allow-ffi=${LIBC_PATHS.join(",")}`);
});

Deno.test("permissions allows loopback, one folder and the hosts named", async () => {
  // Guards the whole list: a flag that slips in here is in every build.
  const flags = await permissions("/home/al/a b", "irc.example:6697,[::1]:1");
  assert.deepEqual(flags.filter((flag) => !flag.startsWith("--allow-ffi=")), [
    "--no-prompt",
    "--allow-net=127.0.0.1,irc.example:6697,[::1]:1",
    "--allow-read=/home/al/a b",
    "--allow-write=/home/al/a b",
    "--allow-env=HOME,RETE_SECRETS_FILE,NOTIFY_SOCKET",
    "--allow-sys=uid",
    "--deny-import",
    "--unstable-worker-options",
  ]);
});

Deno.test("permissions gives the worker programs to run and takes the rest away", async () => {
  // Guards that only the process that must run commands may.
  const flags = await agentPermissions("/home/al/a b");
  assert.deepEqual(flags.filter((flag) => !flag.startsWith("--allow-ffi=")), [
    "--no-prompt",
    "--allow-net=127.0.0.1",
    "--allow-read=/home/al/a b",
    "--allow-env=HOME,RETE_SECRETS_FILE",
    "--allow-sys=uid",
    "--allow-run",
    "--deny-import",
  ]);
});

Deno.test("permissions gives the bridge less than the program, and nothing more", async () => {
  // Guards that what a harness starts can write nothing and run nothing.
  const flags = await bridgePermissions("/home/al/a b");
  assert.deepEqual(flags.filter((flag) => !flag.startsWith("--allow-ffi=")), [
    "--no-prompt",
    "--allow-net=127.0.0.1",
    "--allow-read=/home/al/a b",
    "--allow-env=HOME,RETE_SECRETS_FILE",
    "--allow-sys=uid",
    "--deny-import",
  ]);
});

Deno.test("launcher runs the bridge under the bridge's flags", async () => {
  // Guards that the narrower list is the one a harness gets.
  await withFolder(async (folder) => {
    const script = `${folder}/reterm`;
    await run("scripts/launcher", [script]);
    const shown = (await Deno.readTextFile(script))
      .replace(/^( *)exec "[^"]*"/gm, "$1exec printf '%s\\n'");
    const { out } = await run("sh", ["-c", shown, "reterm", "bridge"], {
      RETE_SECRETS_FILE: "/srv/a b/secrets.json",
    });
    const words = out.trimEnd().split("\n");
    assert.deepEqual(words.slice(words.indexOf("--no-prompt")), [
      ...await bridgePermissions("/srv/a b"),
      `${ROOT}main.ts`,
      "bridge",
    ]);
  });
});

Deno.test("permissions refuses a home that would be read as two folders", async () => {
  // Guards that a comma in a name opens no other folder: Deno splits at it.
  for (const agent of [[], ["--agent"]]) {
    const words = [...agent, "/home/al/a,/etc"];
    const { code, out, err } = await run("scripts/permissions", words);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /no comma/);
  }
});

Deno.test("permissions refuses hosts that are no list of hosts", async () => {
  // Guards that IRC_HOSTS cannot open the network by a slip or a wildcard.
  for (const hosts of ["*", "a b", "a,,b", ",", "a --allow-run"]) {
    const { code, out, err } = await run("scripts/permissions", [
      ".rete",
      hosts,
    ]);
    assert.equal(code, 2, hosts);
    assert.equal(out, "");
    assert.match(err, /IRC_HOSTS holds/);
  }
});

Deno.test("build puts every module, worker and permission in the program", async () => {
  // Guards the shipped program: a module that is missing fails at its first
  // use, and a flag that is missing or too many changes what it may do.
  await withFolder(async (folder) => {
    const program = `${folder}/reterm`;
    const { code, err } = await run("scripts/build", [program], {
      DENORT_BIN: STAND_IN,
      RETE_HOME: "/var/lib/rete",
      IRC_HOSTS: "irc.example:6697",
    });
    assert.equal(code, 0, err);
    const bytes = new TextDecoder("latin1").decode(
      await Deno.readFile(program),
    );
    for (const module of await localModules()) {
      const source = new TextDecoder("latin1").decode(
        await Deno.readFile(module),
      );
      assert.ok(bytes.includes(source), `${module} is not in the program`);
    }
    const flags = await permissions("/var/lib/rete", "irc.example:6697");
    assert.deepEqual(builtFlags(bytes), flags);
    const agent = new TextDecoder("latin1").decode(
      await Deno.readFile(`${program}-agent`),
    );
    assert.deepEqual(
      builtFlags(agent),
      await agentPermissions("/var/lib/rete"),
    );
    assert.match(
      agent.slice(agent.lastIndexOf('{"argv":')),
      /^{"argv":\["agent"\]/,
    );
  });
});

/** What `deno info --json` says of a module. */
interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    /** Absent where all that is imported are types. */
    readonly code?: { readonly specifier: string };
  }[];
}

/** The checkout's files that main.ts reaches at run time, and the workers. */
async function localModules(): Promise<string[]> {
  const { out } = await run(Deno.execPath(), ["info", "--json", "main.ts"]);
  const { modules } = JSON.parse(out) as { modules: readonly Module[] };
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const reached = new Set([`file://${ROOT}main.ts`]);
  for (const specifier of reached) {
    for (const { code } of known.get(specifier)?.dependencies ?? []) {
      if (code?.specifier.startsWith(`file://${ROOT}`)) {
        reached.add(code.specifier);
      }
    }
  }
  assert.ok(reached.size > 20, `only ${reached.size} modules`);
  const files = [...reached].map((specifier) => new URL(specifier).pathname);
  return [...files, ...workers(`${ROOT}lib/`)];
}

function workers(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? workers(`${folder}${name}/`)
      : name.endsWith("_worker.ts")
      ? [folder + name]
      : []
  );
}

/** The permission flags that a compiled program was given, as they were put. */
function builtFlags(bytes: string): string[] {
  const start = bytes.lastIndexOf('{"argv":');
  const text = bytes.slice(start, bytes.indexOf('"app_name"', start));
  const settings = JSON.parse(text.replace(/,$/, "}")) as {
    permissions: Record<string, string[] | boolean | null>;
    unstable_config: { features: string[] };
  };
  const { permissions: given } = settings;
  const flags = given.prompt === false ? ["--no-prompt"] : [];
  const order = ["net", "read", "write", "env", "sys", "ffi", "run"];
  for (const kind of order) {
    const allowed = given[`allow_${kind}`];
    assert.equal(given[`deny_${kind}`], null);
    if (allowed === null) continue;
    assert.ok(Array.isArray(allowed), kind);
    // An empty list allows all.
    const list = allowed.length === 0 ? "" : `=${allowed.join(",")}`;
    flags.push(`--allow-${kind}${list}`);
  }
  if (given.deny_import !== null) flags.push("--deny-import");
  for (const feature of settings.unstable_config.features) {
    flags.push(`--unstable-${feature}`);
  }
  return flags;
}

Deno.test("build says so when the base binary cannot be had", async () => {
  // Guards that a failed build is not taken for a built program.
  await withFolder(async (folder) => {
    const program = `${folder}/reterm`;
    const { code, out, err } = await run("scripts/build", [program], {
      // Nothing answers there, so no release server is reached.
      HTTPS_PROXY: "http://127.0.0.1:9",
      DENORT_BIN: "",
    });
    assert.equal(code, 1);
    assert.equal(out, "");
    assert.match(err, /nothing was built/);
    assert.match(err, /make launcher/);
    await assert.rejects(Deno.stat(program), Deno.errors.NotFound);
  });
});

Deno.test("launcher runs the program under the same flags", async () => {
  // Guards that the script which stands in for the compiled program may do
  // exactly what that one may.
  await withFolder(async (folder) => {
    const script = `${folder}/reterm`;
    const { code, err } = await run("scripts/launcher", [script], {
      IRC_HOSTS: "irc.example:6697",
    });
    assert.equal(code, 0, err);
    const text = await Deno.readTextFile(script);
    assert.equal(((await Deno.stat(script)).mode ?? 0) & 0o777, 0o755);
    // The flags, as the shell hands them to Deno.
    const shown = text.replace(/^exec "[^"]*"/m, "printf '%s\\n'");
    const { out } = await run("sh", ["-c", shown, "reterm", "status"], {
      HOME: "/home/al",
      RETE_SECRETS_FILE: "/srv/a b's/secrets.json",
    });
    const words = out.trimEnd().split("\n");
    const flags = await permissions("/srv/a b's", "irc.example:6697");
    const first = words.indexOf("--no-prompt");
    assert.deepEqual(words.slice(first, first + flags.length), flags);
    assert.deepEqual(words.slice(first + flags.length), [
      `${ROOT}main.ts`,
      "status",
    ]);
  });
});

Deno.test("launcher refuses a home that would be read as two folders", async () => {
  // Guards the folders beside home, and says what is wrong with the name.
  await withFolder(async (folder) => {
    const script = `${folder}/reterm`;
    await run("scripts/launcher", [script]);
    const { code, out, err } = await run(script, ["set"], {
      RETE_SECRETS_FILE: `${folder}/a,b/secrets.json`,
    });
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.equal(
      err,
      `reterm: the home folder may have no comma in its name: ${folder}/a,b\n`,
    );
  });
});

Deno.test("launcher takes the home of whoever starts it, or the one baked in", async () => {
  // Guards both ways to say where the service keeps its files.
  await withFolder(async (folder) => {
    const script = `${folder}/reterm`;
    const read = async (env: Record<string, string>) => {
      const shown = (await Deno.readTextFile(script))
        .replace(/^exec "[^"]*"/m, "printf '%s\\n'");
      const { out } = await run("sh", ["-c", shown], env);
      return out.split("\n").find((word) => word.startsWith("--allow-write="));
    };
    await run("scripts/launcher", [script]);
    const env = { HOME: "/home/al", RETE_SECRETS_FILE: "" };
    assert.equal(await read(env), "--allow-write=/home/al/.rete");
    await run("scripts/launcher", [script], { RETE_HOME: "/var/lib/rete" });
    assert.equal(await read(env), "--allow-write=/var/lib/rete");
  });
});
