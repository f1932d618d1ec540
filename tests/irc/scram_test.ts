import assert from "node:assert/strict";
import { ScramClient, ScramError } from "../../lib/irc/scram.ts";

// The exchange of RFC 7677, section 3.
const NONCE = "rOprNGfwEbeRWgbNEkqO";
const SERVER_FIRST = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0," +
  "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const CLIENT_FINAL =
  "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0," +
  "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
const SERVER_FINAL = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

function client(): ScramClient {
  return new ScramClient({
    account: "user",
    password: "pencil",
    nonce: NONCE,
  });
}

Deno.test("ScramClient makes the exchange of RFC 7677", async () => {
  // Guards that logins work with every server that follows the RFC.
  const scram = client();
  assert.equal(scram.first(), `n,,n=user,r=${NONCE}`);
  assert.equal(await scram.final(SERVER_FIRST), CLIENT_FINAL);
  scram.verify(SERVER_FINAL);
});

Deno.test("ScramClient refuses a server that proves nothing", async () => {
  // Guards that who does not know the password cannot pass for the server.
  for (
    const last of [
      "v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
      "v=AAAA",
      "v=",
      "",
      "e=invalid-proof",
    ]
  ) {
    const scram = client();
    await scram.final(SERVER_FIRST);
    assert.throws(() => scram.verify(last), ScramError, last);
  }
  assert.throws(() => client().verify(SERVER_FINAL), ScramError);
});

Deno.test("ScramClient refuses malformed and excessive challenges", async () => {
  // Guards against answering a challenge made to weaken or to exhaust.
  const salt = "s=W22ZaJ0SNY7soEsUEjb6gQ==";
  for (
    const first of [
      "",
      `r=other,${salt},i=4096`,
      `r=${NONCE},${salt},i=4096`,
      `r=${NONCE}x,${salt},i=1`,
      `r=${NONCE}x,${salt},i=99999999`,
      `r=${NONCE}x,${salt},i=4096x`,
      `r=${NONCE}x,s=,i=4096`,
      `m=ext,r=${NONCE}x,${salt},i=4096`,
    ]
  ) {
    await assert.rejects(client().final(first), ScramError, first);
  }
});

Deno.test("ScramClient escapes the account name", () => {
  // Guards that a name with a comma cannot add an attribute.
  const scram = new ScramClient({
    account: "a,b=c",
    password: "x",
    nonce: "n",
  });
  assert.equal(scram.first(), "n,,n=a=2Cb=3Dc,r=n");
});
