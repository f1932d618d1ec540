import assert from "node:assert/strict";
import { freePort } from "../free_port.ts";
import { ProgramHome } from "../start_program.ts";

Deno.test("reterm doctor examines its own process under the shipped flags", async () => {
  // Guards that the examination itself needs no further permission, and that
  // a script can go by its exit code.
  const home = await ProgramHome.make();
  try {
    const before = await home.run(["doctor"]);
    assert.equal(before.code, 1);
    assert.equal(before.err, "");
    assert.match(before.out, /^note {3}home .* is not there yet/m);
    assert.match(before.out, /^wrong {2}service .* — mend: reterm serve$/m);
    assert.match(
      before.out,
      /^ok {5}permissions {2}those of the shipped list$/m,
    );
    assert.match(before.out, /^ok {5}peer check {3}the kernel tells/m);
    const config = { control: { enabled: true, port: freePort() } };
    await home.write("config.json", JSON.stringify(config));
    const service = await home.serve();
    const { code, out } = await home.run(["doctor"]);
    service.kill("SIGTERM");
    await service.ended();
    assert.equal(code, 0, out);
    assert.match(out, /^ok {5}gate {9}it lets in the token, and nobody else$/m);
  } finally {
    await home.remove();
  }
});

Deno.test("reterm doctor says where it may look when home is out of reach", async () => {
  // Guards the portable build that was started in another folder.
  const home = await ProgramHome.make();
  try {
    const { code, out } = await home.run(["doctor"], { cwd: "/" });
    assert.equal(code, 1);
    assert.match(out, /^wrong {2}home {9}reterm has no access to its home, /);
    assert.equal(out.split("\n").length, 2);
  } finally {
    await home.remove();
  }
});
