import assert from "node:assert/strict";
import { Gate } from "../../lib/http/gate.ts";
import type { HeaderField, RequestHead } from "../../lib/http/request.ts";
import { TOKEN } from "./gate_harness.ts";

const PORT = 7422;
const GOOD = {
  authorization: `Bearer ${TOKEN}`,
  host: `127.0.0.1:${PORT}`,
};

function head(
  fields: Record<string, string | string[]>,
  options: { method?: string; target?: string } = {},
): RequestHead {
  const listed: HeaderField[] = Object.entries(fields).flatMap(
    ([name, values]) =>
      [values].flat().map((value): HeaderField => [name, value]),
  );
  return {
    method: "POST",
    target: "/mcp",
    minorVersion: 1,
    bodyBytes: 0,
    fields: listed,
    ...options,
  };
}

function judge(...args: Parameters<typeof head>) {
  const gate = new Gate({ token: TOKEN, port: PORT, path: "/mcp" });
  return gate.judge(head(...args));
}

Deno.test("Gate.judge() admits exactly the stored token [GATE-013] [GATE-014] [GATE-015] [GATE-028] [GATE-029]", () => {
  // Guards the barrier itself: one Authorization header, and in it the
  // scheme, one space and the token, to the byte.
  const refused: (string | string[])[] = [
    [],
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    `bearer ${TOKEN}`,
    `BEARER ${TOKEN}`,
    `Bearer  ${TOKEN}`,
    `Bearer\t${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN} `,
    `Bearer ${TOKEN}\xa0`,
    `Bearer ${TOKEN},Bearer ${TOKEN}`,
    `Bearer ${TOKEN.toLowerCase()}`,
    [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
    [`Bearer ${TOKEN}`, ""],
    ["", `Bearer ${TOKEN}`],
  ];
  assert.equal(judge(GOOD), undefined);
  for (const authorization of refused) {
    assert.equal(
      judge({ ...GOOD, authorization }),
      "bad or missing token",
      JSON.stringify(authorization),
    );
  }
});

Deno.test("Gate.judge() admits its own hosts only [GATE-018] [GATE-019] [GATE-020]", () => {
  // Guards against a page that makes a browser ask for this port under
  // another name.
  const rows: [string | string[], string | undefined][] = [
    ["127.0.0.1:7422", undefined],
    ["localhost:7422", undefined],
    [[], "Host"],
    ["", "Host"],
    ["127.0.0.1", "Host"],
    ["localhost", "Host"],
    ["127.0.0.1:7421", "Host"],
    ["127.0.0.1:07422", "Host"],
    ["127.0.0.1:74220", "Host"],
    ["Localhost:7422", "Host"],
    ["localhost.:7422", "Host"],
    ["[::1]:7422", "Host"],
    ["127.1:7422", "Host"],
    [["127.0.0.1:7422", "127.0.0.1:7422"], "Host"],
  ];
  for (const [host, due] of rows) {
    assert.equal(judge({ ...GOOD, host }), due, JSON.stringify(host));
  }
});

Deno.test("Gate.judge() admits no origin but its own [GATE-021] [GATE-022] [GATE-023]", () => {
  // Guards against a page in the person's browser that got hold of a token.
  const rows: [string | string[], string | undefined][] = [
    [[], undefined],
    ["http://127.0.0.1:7422", undefined],
    ["http://localhost:7422", undefined],
    ["", "Origin"],
    ["null", "Origin"],
    ["https://127.0.0.1:7422", "Origin"],
    ["http://127.0.0.1", "Origin"],
    ["http://127.0.0.1:7422/", "Origin"],
    ["HTTP://localhost:7422", "Origin"],
    [["http://localhost:7422", "http://localhost:7422"], "Origin"],
  ];
  for (const [origin, due] of rows) {
    assert.equal(judge({ ...GOOD, origin }), due, JSON.stringify(origin));
  }
});

Deno.test("Gate.judge() judges the token, then Host, Origin, OPTIONS, path and method [GATE-024] [GATE-032] [GATE-052] [GATE-054]", () => {
  // Guards that what is wrong later is not told to who failed earlier, in an
  // answer or in the class that is logged.
  const wrong = { target: "/x", method: "OPTIONS" };
  const bad = { authorization: "x", host: "x", origin: "x" };
  assert.equal(judge(bad, wrong), "bad or missing token");
  const { authorization, host } = GOOD;
  assert.equal(judge({ ...bad, authorization }, wrong), "Host");
  assert.equal(judge({ ...bad, authorization, host }, wrong), "Origin");
  assert.equal(judge(GOOD, wrong), "OPTIONS");
  assert.equal(judge(GOOD, { target: "/x", method: "GET" }), "unknown path");
  assert.equal(judge(GOOD, { method: "GET" }), "method");
});

Deno.test("Gate.judge() compares the path exactly, without its query [GATE-052] [GATE-053]", () => {
  // Guards that no spelling of the path but its own is served.
  const rows: [string, string | undefined][] = [
    ["/mcp", undefined],
    ["/mcp?", undefined],
    ["/mcp?x=1?y", undefined],
    ["/mcp?/../other", undefined],
    ["/mcp/", "unknown path"],
    ["/mcp#x", "unknown path"],
    ["/MCP", "unknown path"],
    ["/%6dcp", "unknown path"],
    ["*", "unknown path"],
    ["?/mcp", "unknown path"],
    ["http://127.0.0.1:7422/mcp", "unknown path"],
  ];
  for (const [target, due] of rows) {
    assert.equal(judge(GOOD, { target }), due, target);
  }
});

Deno.test("Gate.judge() takes the token from one header and nowhere else [GATE-017]", () => {
  // Guards that a token in a place that proxies and logs keep opens nothing.
  const { host } = GOOD;
  const elsewhere = {
    host,
    "proxy-authorization": GOOD.authorization,
    "x-authorization": GOOD.authorization,
    cookie: `token=${TOKEN}`,
  };
  const target = `/mcp?authorization=Bearer%20${TOKEN}&token=${TOKEN}`;
  assert.equal(judge(elsewhere, { target }), "bad or missing token");
});

Deno.test("Gate.judge() takes as long for a token nearly right as for one all wrong [GATE-016]", () => {
  // Guards that the time to a refusal does not tell how much of an offered
  // token was right: were it compared byte by byte from the front, the first
  // would differ from the second by what the digest hides. Medians of
  // alternating batches, and a bound wide enough for a busy machine.
  const gate = new Gate({ token: "a".repeat(4_000), port: PORT, path: "/mcp" });
  const offers = ["a".repeat(3_999) + "b", "b" + "a".repeat(3_999)];
  const heads = offers.map((token) =>
    head({ ...GOOD, authorization: `Bearer ${token}` })
  );
  const times: number[][] = [[], []];
  for (let round = 0; round < 60; round++) {
    for (const [i, request] of heads.entries()) {
      const start = performance.now();
      for (let n = 0; n < 50; n++) gate.judge(request);
      times[i]?.push(performance.now() - start);
    }
  }
  const [nearly = 0, wrong = 1] = times.map((list) => {
    list.sort((a, b) => a - b);
    return list[list.length >> 1];
  });
  assert.ok(nearly / wrong > 0.5 && nearly / wrong < 2, `${nearly} ${wrong}`);
});

Deno.test("Gate refuses an empty token", () => {
  // Guards that a token that could not be read opens nothing.
  assert.throws(
    () => new Gate({ token: "", port: PORT, path: "/mcp" }),
    RangeError,
  );
});

Deno.test("Gate serves another path with another token", () => {
  // Guards that the operator's door is the same gate and no way around it:
  // neither token opens the other's port.
  const door = new Gate({ token: "k".repeat(43), port: 40123, path: "/do" });
  const fields = {
    authorization: `Bearer ${"k".repeat(43)}`,
    host: "127.0.0.1:40123",
  };
  assert.equal(door.judge(head(fields, { target: "/do" })), undefined);
  assert.equal(
    door.judge(head({ ...fields, ...GOOD }, { target: "/do" })),
    "bad or missing token",
  );
});
