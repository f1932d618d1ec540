import assert from "node:assert/strict";
import { PENDING_SUFFIX, replaceFile } from "../lib/atomic_file.ts";
import { modeOf, withHome } from "./temp_home.ts";

Deno.test("replaceFile() writes a file of mode 0600, whatever was there", async () => {
  // Guards that a file with secrets never keeps a mode that others can read.
  await withHome(async ({ secretsFile }) => {
    await Deno.writeTextFile(secretsFile, "old", { mode: 0o644 });
    await Deno.chmod(secretsFile, 0o644);
    await replaceFile(secretsFile, "new");
    assert.equal(await Deno.readTextFile(secretsFile), "new");
    assert.equal(await modeOf(secretsFile), 0o600);
  });
});

Deno.test("replaceFile() never shows a readable or half-written file [SET-054]", async () => {
  // Guards that no moment of a replacement can be read by others: every name
  // that ever appears in the folder is looked at while many are made.
  await withHome(async ({ folder, secretsFile }) => {
    const long = "x".repeat(200_000);
    await replaceFile(secretsFile, long);
    let writing = true;
    const seen = new Set<number>();
    const sizes = new Set<number>();
    const watching = (async () => {
      while (writing) {
        for await (const { name } of Deno.readDir(folder)) {
          const info = await Deno.stat(`${folder}/${name}`).catch(() => null);
          if (info === null) continue;
          seen.add((info.mode ?? 0) & 0o777);
          if (name === "secrets.json") sizes.add(info.size);
        }
      }
    })();
    for (let round = 0; round < 20; round++) {
      await replaceFile(secretsFile, long);
    }
    writing = false;
    await watching;
    assert.deepEqual([...seen], [0o600]);
    assert.deepEqual([...sizes], [200_000]);
  });
});

Deno.test("replaceFile() replaces what a crash left beside the file", async () => {
  // Guards that one crash does not end all writing.
  await withHome(async ({ folder, secretsFile }) => {
    await Deno.writeTextFile(secretsFile + PENDING_SUFFIX, "half");
    await replaceFile(secretsFile, "whole");
    const names: string[] = [];
    for await (const { name } of Deno.readDir(folder)) names.push(name);
    assert.deepEqual(names, ["secrets.json"]);
  });
});

Deno.test("replaceFile() does not write through a symbolic link put beside it", async () => {
  // Guards that secrets cannot be led into a file of someone's choice.
  await withHome(async ({ folder, secretsFile }) => {
    const target = `${folder}/elsewhere`;
    await Deno.writeTextFile(target, "theirs");
    await Deno.symlink("elsewhere", secretsFile + PENDING_SUFFIX).catch(
      (error) => {
        // Making links needs more than the program's own permissions.
        if (!(error instanceof Deno.errors.NotCapable)) throw error;
      },
    );
    await replaceFile(secretsFile, "secret");
    assert.equal(await Deno.readTextFile(target), "theirs");
  });
});

Deno.test("replaceFile() leaves the old file when it cannot write", async () => {
  // Guards that a failed write costs nothing.
  await withHome(async ({ folder, secretsFile }) => {
    await replaceFile(secretsFile, "old");
    await Deno.mkdir(`${secretsFile}${PENDING_SUFFIX}/full`, {
      recursive: true,
    });
    await assert.rejects(replaceFile(secretsFile, "new"));
    assert.equal(await Deno.readTextFile(secretsFile), "old");
    await Deno.remove(`${folder}/secrets.json${PENDING_SUFFIX}`, {
      recursive: true,
    });
  });
});
