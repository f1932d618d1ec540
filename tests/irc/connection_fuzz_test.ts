import assert from "node:assert/strict";
import { connectTo, makeConfig, makeLink, withServer } from "./linked.ts";

const ROUNDS = 20;
const LINES_A_ROUND = 1_000;

/** Lines that the connection itself acts on; the rest only pass through it. */
const SEEDS = [
  ":srv CAP me NEW :sasl=PLAIN message-tags chghost",
  "CAP * ACK :=batch -x",
  "CAP me DEL :batch",
  "BATCH +a draft/multiline #r",
  "@batch=a :x!y@z PRIVMSG #r :hi",
  "BATCH -a",
  "@batch=a BATCH +b chathistory #r",
  "@batch=b;label=q :me!u@h NICK you",
  ":me!u@h NICK you",
  ":you!u@h NICK me",
  ":srv 433 me wanted :x",
  ":srv 731 me :me,you",
  ":srv 303 me :a b",
  ":srv 005 me PREFIX=(ov)@+ -MONITOR CHANMODES=a,b :are supported",
  ":srv 464 me :x",
  ":srv 465 me :no",
  ":srv 904 me :x",
  ":srv 001 me :again",
  "AUTHENTICATE +",
  "ERROR :K-lined",
  "PING :abc",
];
const CHARACTERS = " :@!#+-=;,*\0\r\x01abcMEé\\0159";

/** Numbers below a bound, the same for a seed each time. */
function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % bound;
  };
}

function mutate(line: string, below: (bound: number) => number): string {
  const text = [...line];
  for (let changes = below(4); changes > 0; changes--) {
    const at = below(text.length + 1);
    const other = SEEDS[below(SEEDS.length)] ?? "";
    switch (below(3)) {
      case 0:
        text.splice(at, 1);
        break;
      case 1:
        text.splice(at, 0, CHARACTERS.charAt(below(CHARACTERS.length)));
        break;
      default:
        text.splice(at, below(6), ...other.slice(0, below(20)));
    }
  }
  return text.join("");
}

Deno.test("createLink() survives mutated lines without a fault of its own", async () => {
  // Guards against malformed lines that nobody thought of: none may throw, end
  // the connection, or make us say what the protocol does not ask for.
  await withServer(async (server) => {
    const linked = makeLink(makeConfig(server.port));
    const { link, handler, log } = linked;
    const peer = await connectTo(server, linked, {
      caps: "batch message-tags labeled-response",
      isupport: "MONITOR=1 CASEMAPPING=ascii",
    });
    handler.onMessage = () => {
      handler.told.length = 0;
    };
    const registered = peer.received.length;
    const below = seeded(42);
    for (let round = 0; round < ROUNDS; round++) {
      const lines = Array.from(
        { length: LINES_A_ROUND },
        () => mutate(SEEDS[below(SEEDS.length)] ?? "", below),
      );
      // The last line ends what a mutated ERROR began.
      await peer.send(...lines, ":x!y@z PRIVMSG #r :m");
      await peer.barrier();
    }
    assert.equal(link.state, "connected");
    assert.deepEqual(log.lines.filter(({ level }) => level !== "info"), []);
    const said = peer.received.slice(registered);
    const asked = /^(PONG :|CAP REQ :|MONITOR [+-] me$|NICK me$)/;
    assert.deepEqual(said.filter((line) => !asked.test(line)), []);
    await link.disconnect("");
  });
});
