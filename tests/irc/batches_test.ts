import assert from "node:assert/strict";
import { Batches } from "../../lib/irc/batches.ts";
import type { MessageContext } from "../../lib/irc/link.ts";
import type { IrcMessage } from "../../lib/irc/message.ts";
import { parseLine } from "../../lib/irc/parse.ts";
import { FakeClock } from "../fake_clock.ts";

function table() {
  const clock = new FakeClock();
  const given: { message: IrcMessage; context: MessageContext }[] = [];
  const batches = new Batches(
    clock,
    (message, context) => given.push({ message, context }),
  );
  const take = (...lines: string[]) => {
    for (const line of lines) {
      const message = parseLine(line);
      if (message !== undefined) batches.take(message);
    }
  };
  /** `COMMAND last-param @types of its batches #label`, in order. */
  const summary = () =>
    given.map(({ message, context }) => {
      const types: string[] = [];
      for (let b = context.batch; b !== undefined; b = b.parent) {
        types.push(b.type);
      }
      return [
        message.command,
        message.params.at(-1),
        ...types.map((type) => `@${type}`),
        ...(context.label === undefined ? [] : [`#${context.label}`]),
      ].join(" ");
    });
  return { clock, given, batches, take, summary };
}

Deno.test("Batches delivers lines as they come, with their batch", () => {
  // Guards that nothing is held back, and that history is known as such.
  const { take, summary } = table();
  take(
    ":srv BATCH +1 chathistory #room",
    "@batch=1 :a!b@c PRIVMSG #room :old",
    ":a!b@c PRIVMSG #room :live",
    ":srv BATCH -1",
    "@batch=1 :a!b@c PRIVMSG #room :late",
  );
  assert.deepEqual(summary(), [
    "BATCH #room @chathistory",
    "PRIVMSG old @chathistory",
    "PRIVMSG live",
    "BATCH -1 @chathistory",
    "PRIVMSG late",
  ]);
});

Deno.test("Batches keeps parents and labels through nesting", () => {
  // Guards that a labelled JOIN with history inside loses no line.
  const { take, summary } = table();
  take(
    "@label=L1 :srv BATCH +o labeled-response",
    "@batch=o :srv BATCH +i chathistory #room",
    "@batch=o :srv 366 me #room :End",
    "@batch=i :a!b@c PRIVMSG #room :old",
    "@batch=o :srv BATCH -i",
    ":srv BATCH -o",
    "@label=L2 :srv PONG srv :x",
  );
  assert.deepEqual(summary(), [
    "BATCH labeled-response @labeled-response #L1",
    "BATCH #room @chathistory @labeled-response #L1",
    "366 End @labeled-response #L1",
    "PRIVMSG old @chathistory @labeled-response #L1",
    "BATCH -i @chathistory @labeled-response #L1",
    "BATCH -o @labeled-response #L1",
    "PONG x #L2",
  ]);
});

Deno.test("Batches closes the outer batch before the inner without loss", () => {
  // Guards servers that end batches in the wrong order.
  const { take, summary } = table();
  take(
    "BATCH +o chathistory #room",
    "@batch=o BATCH +i netjoin a b",
    "BATCH -o",
    "@batch=i :a!b@c JOIN #room",
  );
  assert.equal(summary().at(-1), "JOIN #room @netjoin @chathistory");
});

Deno.test("Batches joins draft/multiline into one message", () => {
  // Guards one row a batch, with the id of the batch and LF where it belongs.
  const { take, given, summary } = table();
  take(
    "@msgid=m1;time=2026-09-30T12:00:00.000Z;label=L :a!b@c BATCH +m draft/multiline #room",
    "@batch=m :a!b@c PRIVMSG #room :one",
    "@batch=m :a!b@c PRIVMSG #room :",
    "@batch=m :a!b@c PRIVMSG #room :two",
    "@batch=m;draft/multiline-concat :a!b@c PRIVMSG #room :-more",
  );
  assert.equal(given.length, 0);
  take("BATCH -m");
  assert.deepEqual(summary(), ["PRIVMSG one\n\ntwo-more #L"]);
  const message = given[0]?.message;
  assert.deepEqual({ ...message?.tags }, {
    msgid: "m1",
    time: "2026-09-30T12:00:00.000Z",
    label: "L",
  });
  assert.deepEqual([message?.nick, message?.params[0]], ["a", "#room"]);
});

Deno.test("Batches flushes an unclosed multiline message", async () => {
  // Guards that text is not lost when the end never comes.
  const { batches, take, summary } = table();
  take(
    "BATCH +o chathistory #room",
    "@batch=o :a!b@c BATCH +i draft/multiline #room",
    "@batch=i :a!b@c PRIVMSG #room :x",
  );
  batches.close();
  assert.equal(summary().at(-1), "PRIVMSG x @chathistory");
  assert.equal(batches.size, 0);
  const late = table();
  late.take(
    ":a!b@c BATCH +i draft/multiline #room",
    "@batch=i :a!b@c PRIVMSG #room :x",
  );
  await late.clock.advance(10_000);
  assert.deepEqual(late.summary(), ["PRIVMSG x"]);
  assert.equal(late.clock.pending, 0);
});

Deno.test("Batches flushes at a bound and uses the id once", () => {
  // Guards memory, and that the second part is not taken for a repetition.
  const { take, given, batches } = table();
  take("@msgid=m1 :a!b@c BATCH +m draft/multiline #room");
  for (let i = 0; i < 2_500; i++) {
    take(`@batch=m :a!b@c PRIVMSG #room :${i}`);
  }
  take("BATCH -m");
  assert.equal(given.length, 3);
  const lines = given.flatMap(({ message }) =>
    (message.params[1] ?? "").split("\n")
  );
  assert.deepEqual(lines, Array.from({ length: 2_500 }, (_, i) => `${i}`));
  assert.deepEqual(given.map(({ message }) => message.tags.msgid), [
    "m1",
    undefined,
    undefined,
  ]);
  for (let b = 0; b < 100; b++) {
    take(`:a!b@c BATCH +b${b} draft/multiline #room`);
    take(`@batch=b${b} :a!b@c PRIVMSG #room :${"x".repeat(10_000)}`);
    take(`@batch=b${b} :a!b@c PRIVMSG #room :${"y".repeat(10_000)}`);
  }
  const left = given.length;
  batches.close();
  assert.ok(given.length - left <= 128);
});

Deno.test("Batches takes orphans as live and ignores unknown ends", () => {
  // Guards that a broken reference costs no line.
  const { take, summary } = table();
  take(
    "@batch=zz :a!b@c PRIVMSG #room :orphan",
    "BATCH -zz",
    "BATCH",
    "BATCH +",
    "BATCH x y",
    "BATCH +t",
    "@batch=__proto__ :a!b@c PRIVMSG #room :proto",
  );
  assert.deepEqual(summary(), [
    "PRIVMSG orphan",
    "BATCH -zz",
    "BATCH ",
    "BATCH +",
    "BATCH y",
    "BATCH +t @",
    "PRIVMSG proto",
  ]);
});

Deno.test("Batches bounds how many are open and how deep", () => {
  // Guards memory against 10,000 opens, side by side or within each other.
  const { take, given, batches } = table();
  for (let i = 0; i < 10_000; i++) take(`BATCH +s${i} netsplit a b`);
  assert.ok(batches.size <= 128);
  take("@batch=s9999 :a!b@c QUIT :split");
  assert.equal(given.at(-1)?.context.batch?.reference, "s9999");
  take("BATCH +d0 chathistory #a");
  for (let i = 1; i < 10_000; i++) {
    take(`@batch=d${i - 1} BATCH +d${i} chathistory #a`);
  }
  let depth = 0;
  for (let b = given.at(-1)?.context.batch; b !== undefined; b = b.parent) {
    depth++;
  }
  assert.ok(depth <= 17, `${depth}`);
});
