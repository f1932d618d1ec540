import assert from "node:assert/strict";
import { DEADLINES } from "../../lib/http/deadlines.ts";
import { listen } from "../../lib/http/listener.ts";
import { FakeClock } from "../fake_clock.ts";
import {
  emptyAnswer,
  FORBIDDEN,
  OK_ANSWER,
  openGate,
  post,
  RawClient,
  roundTrip,
  TOKEN,
  until,
} from "./gate_harness.ts";

const TIMED_OUT = emptyAnswer("504 Gateway Timeout");
const SERVER_ERROR = emptyAnswer("500 Internal Server Error");

/** A handler whose calls a test holds open and ends by hand. */
class HeldHandler {
  readonly calls: { request: Request; finish: (r: Response) => void }[] = [];
  #isHolding = true;

  readonly handle = (request: Request): Promise<Response> => {
    if (!this.#isHolding) return Promise.resolve(new Response("late"));
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.calls.push({ request, finish: resolve });
    return promise;
  };

  /** Ends every call, and answers those to come at once. */
  finishAll(): void {
    this.#isHolding = false;
    for (const { finish } of this.calls) finish(new Response("late"));
  }
}

/** Asks until a place is free: freeing one takes a turn of the event loop. */
async function askUntilServed(port: number): Promise<string> {
  const end = Date.now() + 5_000;
  while (Date.now() < end) {
    const answer = await roundTrip(port, post(port));
    if (answer !== "") return answer;
  }
  throw new Error("no place came free");
}

Deno.test("listen() listens on 127.0.0.1 and nowhere else [SET-019]", async () => {
  // Guards that no other interface, IPv6 loopback included, reaches the gate.
  await using gate = openGate();
  assert.equal(await roundTrip(gate.port, post(gate.port)), OK_ANSWER);
  for (const hostname of ["127.0.0.2", "::1"]) {
    await assert.rejects(
      Deno.connect({ hostname, port: gate.port }),
      Deno.errors.ConnectionRefused,
    );
  }
});

Deno.test("listen() throws AddrInUse when the port is taken [SET-067]", async () => {
  // Guards that a port which another program holds is never shared with it.
  await using gate = openGate();
  assert.throws(
    () => openGate({ port: gate.port }),
    Deno.errors.AddrInUse,
  );
});

Deno.test("listen() refuses an empty token and leaves no port open", () => {
  // Guards that a token that could not be read never becomes one that anyone
  // can guess.
  const options = {
    port: 0,
    token: "",
    path: "/mcp",
    handler: () => Promise.resolve(new Response()),
    log: { write() {} },
  };
  assert.throws(() => listen(options), RangeError);
});

Deno.test("gate hands the handler a whole request without the token [GATE-025]", async () => {
  // Guards that what passed the gate arrives as it was sent, and that the
  // token goes no further than the gate.
  const seen = Promise.withResolvers<[string, string, string, string[]]>();
  await using gate = openGate({
    handler: async (request) => {
      const names = [...request.headers.keys()];
      seen.resolve([
        request.method,
        request.url,
        await request.text(),
        names.sort(),
      ]);
      return new Response(null, { status: 202 });
    },
  });
  const extra = "Accept: application/json\r\nContent-Type: text/plain\r\n";
  const request = post(gate.port, {
    target: "/mcp?x=1",
    body: "caf\xc3\xa9",
    extra,
  });
  assert.equal(
    await roundTrip(gate.port, request),
    emptyAnswer("202 Accepted"),
  );
  assert.deepEqual(await seen.promise, [
    "POST",
    `http://127.0.0.1:${gate.port}/mcp?x=1`,
    "café",
    ["accept", "content-type", "host"],
  ]);
});

Deno.test("gate hands over no content type that the client did not send", async () => {
  // Guards that a body without a type reaches the MCP side without one, so
  // that it is refused there and not taken for text.
  const types: (string | null)[] = [];
  await using gate = openGate({
    handler: async (request) => {
      types.push(request.headers.get("content-type"), await request.text());
      return new Response("ok");
    },
  });
  assert.equal(await roundTrip(gate.port, post(gate.port)), OK_ANSWER);
  assert.deepEqual(types, [null, "{}"]);
});

Deno.test("gate hands over the bytes of a body that is not UTF-8", async () => {
  // Guards that nothing is put in the place of what was sent: who reads the
  // body would take the replacement for the client's own text.
  const bodies: Uint8Array[] = [];
  await using gate = openGate({
    handler: async (request) => {
      bodies.push(await request.bytes());
      return new Response("ok");
    },
  });
  const extra = "Content-Type: application/json\r\n";
  for (const body of ['"na\xefve"', '"\xed\xa0\x80"', '\xef\xbb\xbf"bom"']) {
    const request = post(gate.port, { extra, body });
    assert.equal(await roundTrip(gate.port, request), OK_ANSWER);
    const sent = Uint8Array.from(body, (unit) => unit.charCodeAt(0));
    assert.deepEqual(bodies.pop(), sent);
  }
});

Deno.test("gate hands over what stands after hundreds of other fields", async () => {
  // Guards that no number of fields hides one that decides about the request.
  const seen: (string | null)[] = [];
  await using gate = openGate({
    handler: (request) => {
      seen.push(request.headers.get("mcp-protocol-version"));
      return Promise.resolve(new Response("ok"));
    },
  });
  const others = Array.from({ length: 900 }, (_, i) => `x-${i}: y\r\n`);
  const extra = `${others.join("")}MCP-Protocol-Version: 1\r\n`;
  const request = post(gate.port, { extra });
  assert.equal(await roundTrip(gate.port, request), OK_ANSWER);
  assert.deepEqual(seen, ["1"]);
});

Deno.test("gate puts a request together from single bytes", async () => {
  // Guards that where the network cuts a request makes no difference.
  await using gate = openGate();
  const client = await RawClient.connect(gate.port);
  client.conn.setNoDelay(true);
  for (const byte of post(gate.port)) await client.send(byte);
  assert.equal(await client.readToEnd(), OK_ANSWER);
  client.close();
});

Deno.test("gate judges a head before its body has come [GATE-033]", async () => {
  // Guards that whoever has no token cannot make the gate wait for a body.
  await using gate = openGate();
  const head = post(gate.port, { token: "x", body: "" })
    .replace("Content-Length: 0", "Content-Length: 60000");
  assert.equal(await roundTrip(gate.port, head), FORBIDDEN);
});

Deno.test("gate lets a client that is still sending read its refusal", async () => {
  // Guards that closing on unread bytes does not reset the connection and
  // take the answer with it.
  await using gate = openGate();
  const body = "x".repeat(65_536);
  for (let round = 0; round < 20; round++) {
    const client = await RawClient.connect(gate.port);
    await client.send(
      post(gate.port, { token: "x", body: "" })
        .replace("Content-Length: 0", "Content-Length: 65536"),
    );
    assert.equal(await client.readUntil("\r\n\r\n"), FORBIDDEN);
    await client.send(body);
    assert.equal(await client.conn.read(new Uint8Array(1)), null);
    client.close();
  }
});

Deno.test("gate sends 100 Continue once head, route and method have passed [GATE-034]", async () => {
  // Guards that a client which waits for leave to send its body gets it.
  await using gate = openGate();
  const client = await RawClient.connect(gate.port);
  const request = post(gate.port, { extra: "Expect: 100-Continue\r\n" });
  await client.send(request.slice(0, -2));
  assert.equal(
    await client.readUntil("\r\n\r\n"),
    "HTTP/1.1 100 Continue\r\n\r\n",
  );
  await client.send("{}");
  assert.equal(await client.readToEnd(), OK_ANSWER);
  client.close();
});

Deno.test("gate never sends 100 Continue to what it refuses [GATE-035]", async () => {
  // Guards that a refused client is told so at once and keeps its body.
  await using gate = openGate();
  const extra = "Expect: 100-continue\r\n";
  const requests: [string, string][] = [
    [post(gate.port, { extra, token: "x" }), FORBIDDEN],
    [post(gate.port, { extra, target: "/x" }), emptyAnswer("404 Not Found")],
    [
      post(gate.port, { extra, method: "PUT" }),
      emptyAnswer("405 Method Not Allowed", "Allow: POST\r\n"),
    ],
  ];
  for (const [request, due] of requests) {
    assert.equal(await roundTrip(gate.port, request.slice(0, -2)), due);
  }
});

Deno.test("gate sends an HTTP/1.0 client no 100 Continue", async () => {
  // Guards that a client that does not know the interim answer gets none.
  await using gate = openGate();
  const request = post(gate.port, { extra: "Expect: 100-continue\r\n" })
    .replace("HTTP/1.1", "HTTP/1.0");
  assert.equal(await roundTrip(gate.port, request), OK_ANSWER);
});

Deno.test("gate answers the first of two pipelined requests and closes [GATE-063]", async () => {
  // Guards that a connection carries one request: what follows it is neither
  // served nor able to keep the first from being answered.
  await using gate = openGate();
  const two = post(gate.port) + post(gate.port, { target: "/mcp?second" });
  assert.equal(await roundTrip(gate.port, two), OK_ANSWER);
  assert.equal(gate.calls.length, 1);
});

Deno.test("gate answers 500 when the handler fails [GATE-058]", async () => {
  // Guards that a failure behind the gate is an empty 500, and that its words
  // reach neither the client nor the log.
  const failures = [
    () => Promise.reject(new TypeError(`quoting ${TOKEN}`)),
    () => {
      throw new Error("before any promise");
    },
    () =>
      Promise.resolve(
        new Response(
          new ReadableStream({ start: (c) => c.error(new Error("midway")) }),
        ),
      ),
  ];
  for (const handler of failures) {
    await using gate = openGate({ handler });
    assert.equal(await roundTrip(gate.port, post(gate.port)), SERVER_ERROR);
    const [line] = gate.lines;
    assert.equal(line?.level, "error");
    assert.match(line?.text ?? "", /^handler failed: (TypeError|Error)$/);
  }
});

Deno.test("gate answers 500 when the handler answers with a stream [GATE-059]", async () => {
  // Guards that an event stream is never begun on a connection for one
  // answer, and that its source is told to stop.
  let isCancelled = false;
  await using gate = openGate({
    handler: () => {
      const body = new ReadableStream({
        cancel: () => void (isCancelled = true),
      });
      const headers = { "content-type": "text/event-stream" };
      return Promise.resolve(new Response(body, { headers }));
    },
  });
  assert.equal(await roundTrip(gate.port, post(gate.port)), SERVER_ERROR);
  assert.equal(isCancelled, true);
});

Deno.test("gate frames every answer itself [GATE-063]", async () => {
  // Guards that a handler can neither name the program nor contradict the
  // length and the closing of the connection.
  await using gate = openGate({
    handler: () =>
      Promise.resolve(
        new Response('{"é":1}', {
          status: 400,
          headers: {
            "content-type": "application/json",
            "content-length": "3",
            "server": "x",
            "connection": "keep-alive",
            "x-own": "1",
          },
        }),
      ),
  });
  assert.equal(
    await roundTrip(gate.port, post(gate.port)),
    "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n" +
      "x-own: 1\r\nContent-Length: 8\r\nConnection: close\r\n\r\n" +
      '{"\xc3\xa9":1}',
  );
});

Deno.test("gate sends an answer of many writes whole", async () => {
  // Guards that an answer larger than the system takes at once is not cut.
  const body = "x".repeat(6_000_000);
  await using gate = openGate({
    handler: () => Promise.resolve(new Response(body)),
    deadlines: { lingerMs: 60_000 },
  });
  const answer = await roundTrip(gate.port, post(gate.port));
  assert.equal(answer.length, body.length + answer.indexOf("\r\n\r\n") + 4);
});

Deno.test("gate closes on a client that does not take its answer", async () => {
  // Guards that an answer nobody reads does not hold its connection for good.
  const clock = new FakeClock();
  const body = "x".repeat(20_000_000);
  await using gate = openGate({
    clock,
    handler: () => Promise.resolve(new Response(body)),
  });
  const idle = await RawClient.connect(gate.port);
  await idle.send(post(gate.port));
  await idle.readUntil("\r\n\r\n");
  await clock.advance(DEADLINES.lingerMs);
  assert.ok((await idle.readToEnd()).length < body.length);
  idle.close();
});

Deno.test("gate closes a connection whose head is not complete in 2 seconds [GATE-046]", async () => {
  // Guards that a silent client, or one that feeds a byte now and then, gives
  // its slot back two seconds after it was accepted, unanswered.
  assert.equal(DEADLINES.headMs, 2_000);
  const clock = new FakeClock();
  await using gate = openGate({ clock });
  const client = await RawClient.connect(gate.port);
  await until(() => clock.pending === 1);
  await clock.advance(1_000);
  await client.send("POST /mcp HTTP/1.1\r\n");
  await clock.advance(999);
  assert.equal(gate.lines.length, 0);
  await clock.advance(1);
  assert.equal(await client.readToEnd(), "");
  assert.match(gate.lines[0]?.text ?? "", /\(head deadline, closed\)/);
  client.close();
});

Deno.test("gate closes on a head dribbled byte by byte [GATE-046]", async () => {
  // Guards that bytes arriving do not put the deadline off: in real time,
  // with the deadline made short, a byte each 30 ms.
  await using gate = openGate({ deadlines: { headMs: 200 } });
  const client = await RawClient.connect(gate.port);
  const start = performance.now();
  const ended = client.readToEnd();
  let isEnded = false;
  ended.then(() => isEnded = true);
  for (const byte of post(gate.port)) {
    if (isEnded) break;
    await client.send(byte).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  assert.equal(await ended, "");
  const took = performance.now() - start;
  assert.ok(took >= 195 && took < 1_500, `closed after ${took} ms`);
  client.close();
});

Deno.test("gate closes a connection whose request is not complete in 10 seconds [GATE-055]", async () => {
  // Guards that an admitted client which never finishes its body is closed
  // unanswered, ten seconds from accept and not from its head.
  assert.equal(DEADLINES.requestMs, 10_000);
  const clock = new FakeClock();
  await using gate = openGate({ clock });
  const client = await RawClient.connect(gate.port);
  await until(() => clock.pending === 1);
  await clock.advance(1_500);
  const request = post(gate.port, { extra: "Expect: 100-continue\r\n" });
  await client.send(request.slice(0, -1));
  await client.readUntil("100 Continue\r\n\r\n");
  await clock.advance(8_499);
  assert.equal(gate.lines.length, 0);
  await clock.advance(1);
  assert.equal(await client.readToEnd(), "");
  assert.match(gate.lines[0]?.text ?? "", /\(read deadline, closed\)/);
  assert.equal(gate.calls.length, 0);
  client.close();
});

Deno.test("gate cancels at 25 seconds and answers 504 once the work has stopped [GATE-056] [GATE-057]", async () => {
  // Guards that a client learns of the timeout, and only when nothing of its
  // request still runs.
  assert.equal(DEADLINES.answerMs, 25_000);
  const clock = new FakeClock();
  const held = new HeldHandler();
  await using gate = openGate({ clock, handler: held.handle });
  const client = await RawClient.connect(gate.port);
  await client.send(post(gate.port));
  await until(() => held.calls.length === 1);
  const signal = held.calls[0]?.request.signal;
  await clock.advance(24_999);
  assert.equal(signal?.aborted, false);
  await clock.advance(1);
  assert.equal(signal?.aborted, true);
  await clock.advance(3_000);
  assert.equal(gate.lines.length, 0);
  held.finishAll();
  assert.equal(await client.readToEnd(), TIMED_OUT);
  assert.match(gate.lines[0]?.text ?? "", /\(handler deadline, 504\)/);
  client.close();
});

Deno.test("gate answers 504 to work that rejects when cancelled [GATE-057]", async () => {
  // Guards that work which ends by throwing its cancellation is a timeout to
  // the client, not a failure of the server.
  const clock = new FakeClock();
  await using gate = openGate({
    clock,
    handler: ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      ),
  });
  const client = await RawClient.connect(gate.port);
  await client.send(post(gate.port));
  await until(() => gate.calls.length === 1);
  await clock.advance(25_000);
  assert.equal(await client.readToEnd(), TIMED_OUT);
  assert.deepEqual(gate.lines.map(({ level }) => level), ["debug"]);
  client.close();
});

Deno.test("gate answers 504 itself at 30 seconds and keeps the slot [GATE-065] [GATE-067]", async () => {
  // Guards that a handler which ignores its cancellation cannot keep the
  // client waiting, and that its work still counts until it ends.
  assert.equal(DEADLINES.handlerMs, 30_000);
  const clock = new FakeClock();
  const held = new HeldHandler();
  await using gate = openGate({
    clock,
    handler: held.handle,
    maxConnections: 1,
  });
  const client = await RawClient.connect(gate.port);
  await client.send(post(gate.port));
  await until(() => held.calls.length === 1);
  await clock.advance(29_999);
  assert.equal(gate.lines.length, 0);
  await clock.advance(1);
  assert.equal(await client.readToEnd(), TIMED_OUT);
  client.close();
  assert.equal(await roundTrip(gate.port, post(gate.port)), "");
  held.finishAll();
  assert.match(await askUntilServed(gate.port), /late$/);
});

Deno.test("gate gives an overrunning handler's slot back after 60 more seconds [GATE-068]", async () => {
  // Guards that work which never ends costs its slot for ninety seconds and
  // not for good, and is counted as overrunning until it returns.
  assert.equal(DEADLINES.overrunMs, 60_000);
  const clock = new FakeClock();
  const held = new HeldHandler();
  await using gate = openGate({
    clock,
    handler: held.handle,
    maxConnections: 2,
  });
  const stuck = await startStuckCall(gate.port, held);
  await clock.advance(30_000);
  assert.equal(await stuck.readToEnd(), TIMED_OUT);
  await clock.advance(59_999);
  assert.ok(!gate.lines.some(({ text }) => text.includes("overran")));
  await clock.advance(1);
  assert.ok(
    gate.lines.some(({ text }) => text.includes("(handler overran, 504)")),
  );
  const first = await startStuckCall(gate.port, held);
  const second = await startStuckCall(gate.port, held);
  assert.equal(held.calls.length, 3);
  assert.equal(await roundTrip(gate.port, post(gate.port)), "");
  held.finishAll();
  for (const client of [first, second]) {
    assert.match(await client.readToEnd(), /late$/);
  }
  for (const client of [stuck, first, second]) client.close();
});

Deno.test("gate refuses new connections while as many handlers overrun as it has slots [GATE-069]", async () => {
  // Guards that slots given back cannot be filled by stuck work without end.
  const clock = new FakeClock();
  const held = new HeldHandler();
  await using gate = openGate({ clock, handler: held.handle });
  const clients: RawClient[] = [];
  for (let i = 0; i < 8; i++) {
    clients.push(await startStuckCall(gate.port, held));
  }
  await clock.advance(90_000);
  assert.equal(await roundTrip(gate.port, post(gate.port)), "");
  held.finishAll();
  assert.match(await askUntilServed(gate.port), /late$/);
  for (const client of clients) client.close();
});

async function startStuckCall(
  port: number,
  held: HeldHandler,
): Promise<RawClient> {
  const count = held.calls.length;
  const client = await RawClient.connect(port);
  await client.send(post(port));
  await until(() => held.calls.length > count);
  return client;
}

Deno.test("gate serves 8 connections at once and closes further ones unanswered [GATE-064]", async () => {
  // Guards the limit, and that a place is free again once work has ended.
  const held = new HeldHandler();
  await using gate = openGate({ handler: held.handle });
  const clients: RawClient[] = [];
  for (let i = 0; i < 8; i++) {
    clients.push(await startStuckCall(gate.port, held));
  }
  for (let i = 0; i < 3; i++) {
    assert.equal(await roundTrip(gate.port, post(gate.port)), "");
  }
  held.calls[0]?.finish(new Response("ok"));
  assert.equal(await clients[0]?.readToEnd(), OK_ANSWER);
  const next = await startStuckCall(gate.port, held);
  held.finishAll();
  assert.match(await next.readToEnd(), /late$/);
  for (const client of [...clients, next]) client.close();
});

Deno.test("gate counts connections that have sent nothing [GATE-064]", async () => {
  // Guards that the limit is on connections, not on requests.
  await using gate = openGate();
  const clients = await Promise.all(
    Array.from({ length: 8 }, () => RawClient.connect(gate.port)),
  );
  assert.equal(await roundTrip(gate.port, post(gate.port)), "");
  await clients[0]?.send(post(gate.port));
  assert.equal(await clients[0]?.readToEnd(), OK_ANSWER);
  assert.equal(await roundTrip(gate.port, post(gate.port)), OK_ANSWER);
  for (const client of clients) client.close();
});

Deno.test("gate never turns away 8 clients that come back at once [GATE-064]", async () => {
  // Guards that a client which read its answer finds its place free: eight
  // clients, each asking again the moment it was answered.
  await using gate = openGate();
  const ask = async () => {
    for (let i = 0; i < 100; i++) {
      const client = await RawClient.connect(gate.port);
      await client.send(post(gate.port));
      assert.equal(await client.readUntil("ok"), OK_ANSWER);
      client.close();
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  assert.equal(gate.calls.length, 800);
});

for (
  const [how, leave] of [
    ["closes", (client: RawClient) => client.close()],
    ["half-closes", (client: RawClient) => void client.conn.closeWrite()],
  ] as const
) {
  Deno.test(`gate cancels the work of a client that ${how} [GATE-060] [GATE-062]`, async () => {
    // Guards that work nobody waits for stops within a tenth of a second,
    // and that its place is free as soon as it has.
    const held = new HeldHandler();
    await using gate = openGate({ handler: held.handle, maxConnections: 1 });
    const client = await startStuckCall(gate.port, held);
    const signal = held.calls[0]?.request.signal as AbortSignal;
    const left = performance.now();
    const aborted = new Promise((resolve) =>
      signal.addEventListener("abort", resolve)
    );
    leave(client);
    await aborted;
    // The watch itself takes a fifth of it; the rest is the machine's.
    assert.ok(DEADLINES.watchMs <= 20);
    assert.ok(performance.now() - left < 2_000);
    if (how === "half-closes") {
      assert.equal(await client.readToEnd(), "");
      client.close();
    }
    assert.equal(await roundTrip(gate.port, post(gate.port)), "");
    held.finishAll();
    assert.match(await askUntilServed(gate.port), /late$/);
  });
}

Deno.test("gate goes on for a client that sends more while it waits", async () => {
  // Guards that stray bytes after a request are neither taken for its client
  // going away nor allowed to spoil the answer.
  const held = new HeldHandler();
  await using gate = openGate({ handler: held.handle });
  const client = await startStuckCall(gate.port, held);
  await client.send("x".repeat(200_000));
  assert.equal(held.calls[0]?.request.signal.aborted, false);
  held.finishAll();
  assert.match(await client.readToEnd(), /late$/);
  client.close();
});

Deno.test("gate stops reading a refused client that sends without end", async () => {
  // Guards that a client without a token cannot keep the gate reading.
  await using gate = openGate({ deadlines: { lingerMs: 60_000 } });
  const client = await RawClient.connect(gate.port);
  const sending = client.send("x".repeat(4_000_000)).catch(() => {});
  assert.match(await client.readToEnd(), /^(HTTP\/1\.1 431 |$)/);
  await sending;
  client.close();
});

Deno.test("close() drops what is in flight, cancels it, and frees the port [SET-057] [SET-059]", async () => {
  // Guards that a regenerated token starts with nothing left of the old one:
  // requests are cancelled and unanswered, and the port can be opened again
  // at once.
  const held = new HeldHandler();
  const gate = openGate({ handler: held.handle });
  const calling = await startStuckCall(gate.port, held);
  const silent = await RawClient.connect(gate.port);
  const signal = held.calls[0]?.request.signal as AbortSignal;
  signal.addEventListener("abort", () => held.finishAll());
  await gate.listener.close();
  assert.equal(signal.aborted, true);
  assert.equal(await calling.readToEnd(), "");
  assert.equal(await silent.readToEnd(), "");
  await using again = openGate({ port: gate.port });
  assert.equal(await roundTrip(again.port, post(again.port)), OK_ANSWER);
  calling.close();
  silent.close();
});

Deno.test("close() waits 2 seconds for cancelled work and no longer [SET-059]", async () => {
  // Guards that closing waits for work that is stopping, and that work which
  // does not stop cannot keep the server from closing.
  assert.equal(DEADLINES.closeGraceMs, 2_000);
  const clock = new FakeClock();
  const held = new HeldHandler();
  const gate = openGate({ clock, handler: held.handle });
  const client = await startStuckCall(gate.port, held);
  let isClosed = false;
  const closing = gate.listener.close().then(() => isClosed = true);
  await clock.advance(1_999);
  assert.equal(isClosed, false);
  await clock.advance(1);
  await closing;
  assert.equal(clock.pending, 0);
  held.finishAll();
  assert.equal(await client.readToEnd(), "");
  client.close();
});

Deno.test("close() may be called twice and at any time", async () => {
  // Guards that stopping and shutting down at once end in one closed port.
  const gate = openGate();
  await Promise.all([gate.listener.close(), gate.listener.close()]);
  await gate.listener.close();
  await assert.rejects(
    Deno.connect({ hostname: "127.0.0.1", port: gate.port }),
    Deno.errors.ConnectionRefused,
  );
});

Deno.test("gate leaves nothing open after a thousand connections of every kind", async () => {
  // Guards against a descriptor, timer or read kept for a connection that is
  // gone: the test runner fails a test that leaves a resource, and the system
  // would run out of descriptors over the days.
  const clock = new FakeClock();
  const gate = openGate({ clock });
  const kinds = [
    (port: number) => roundTrip(port, post(port)),
    (port: number) => roundTrip(port, post(port, { token: "x" })),
    (port: number) => roundTrip(port, post(port) + "stray"),
    async (port: number) => {
      const client = await RawClient.connect(port);
      await client.send("POST /mcp");
      client.close();
    },
    async (port: number) => (await RawClient.connect(port)).close(),
  ];
  const before = openDescriptors();
  for (let i = 0; i < 1_000; i++) await kinds[i % kinds.length]?.(gate.port);
  await gate.listener.close();
  assert.equal(clock.pending, 0);
  assert.ok(openDescriptors() <= before);
});

/** How many descriptors this process has. */
function openDescriptors(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}
