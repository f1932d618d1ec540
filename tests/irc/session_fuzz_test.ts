import assert from "node:assert/strict";
import { randomFrom } from "../buffers/row.ts";
import { makeRig, type Rig } from "./fake_link.ts";

const LINES = 40_000;
const SEED = 20260930;

const COMMANDS = (
  "PRIVMSG NOTICE JOIN PART QUIT KICK NICK MODE TOPIC RENAME INVITE AWAY " +
  "ACCOUNT CHGHOST SETNAME REDACT FAIL BATCH 005 324 329 332 352 353 354 366 315"
).split(" ");
const WORDS = (
  "me alice bob x[ x{ X] a!b@c #room #Room #r[ #r{ @#room &l * + - +o -o+v " +
  "+bovk #room,#r[ 771 H G@ 0 @alice +%bob ~&@ CASEMAPPING=ascii " +
  "CASEMAPPING=rfc1459 PREFIX= PREFIX=(ov)@+ PREFIX=(qaohv)~&@%+ CHANTYPES=#& " +
  "+1 -1 +2 -2 chathistory znc.in/playback draft/multiline netsplit"
).split(" ");
const NICKS = ["me", "alice", "bob", "x[", "x{", "X]", "srv.test", "carol"];

/** A line of words that belong on IRC, in an order that mostly does not. */
function randomLine(random: (below: number) => number): string {
  const pick = (from: readonly string[]) => from[random(from.length)] ?? "";
  const tags: string[] = [];
  if (random(4) === 0) tags.push(`msgid=m${random(500)}`);
  if (random(4) === 0) tags.push(`batch=${random(3)}`);
  if (random(3) === 0) {
    const time = Date.parse("2026-09-30T12:00:00Z") + random(1_000_000);
    tags.push(`time=${new Date(time).toISOString()}`);
  }
  const words = Array.from({ length: random(6) }, () => pick(WORDS));
  const tail = random(3) === 0 ? ` :${pick(WORDS)} ${pick(WORDS)}` : "";
  const head = tags.length === 0 ? "" : `@${tags.join(";")} `;
  return `${head}:${pick(NICKS)}!u@h ${pick(COMMANDS)} ${
    words.join(" ")
  }${tail}`;
}

Deno.test("Session holds its invariants over random lines", async () => {
  // Guards state against any order of lines: no fault, no two buffers of one
  // name or id, no member who is not a user of that channel and the reverse.
  const random = randomFrom(SEED);
  const rig = makeRig({}, { bufferLimit: 200 });
  const welcome = () =>
    rig.link.welcome({ caps: ["draft/chathistory", "batch"], nick: "me" });
  welcome();
  let mostMembers = 0;
  for (let i = 1; i <= LINES; i++) {
    rig.link.feed(randomLine(random));
    // Another nick of ours would never be drawn again, and nothing joined.
    if (rig.link.nick !== "me") rig.link.feed(`:${rig.link.nick}!u@h NICK me`);
    if (random(500) === 0) {
      rig.link.drop();
      welcome();
    }
    if (i % 100 === 0) {
      checkInvariants(rig);
      mostMembers = Math.max(mostMembers, rig.session.inner.users.size);
    }
  }
  assert.deepEqual(rig.faults, []);
  assert.ok(mostMembers > 4, "the lines filled channels");
  assert.ok(rig.names().length > 8, "the lines opened buffers");
  await rig.engine.close("");
  assert.equal(rig.clock.pending, 0);
});

function checkInvariants({ session }: Rig): void {
  const { names, users, buffers } = session.inner;
  const listed = session.buffers();
  assert.equal(new Set(listed.map((b) => b.id)).size, listed.length);
  const keys = listed.map((b) => `${b.kind} ${names.fold(b.name)}`);
  assert.equal(new Set(keys).size, listed.length, keys.join("\n"));
  let memberships = 0;
  const present = new Set<unknown>();
  for (const buffer of listed) {
    if (buffer.kind === "channel") {
      assert.equal(buffers.channel(buffer.name), buffer);
      const channel = session.inner.channel(buffer.name);
      assert.ok(channel);
      if (!channel.isJoined) assert.equal(channel.size, 0);
    }
    if (buffer.kind === "query") {
      assert.equal(buffers.query(buffer.name), buffer);
    }
    for (const { nick } of buffer.members()) {
      memberships++;
      const user = users.get(nick);
      assert.ok(user, `${nick} of ${buffer.name} is known`);
      assert.ok([...user.channels].some((c) => c.buffer === buffer));
      present.add(user);
    }
    const rows = buffer.messages.since(0, 1000);
    assert.equal(rows.length, buffer.messages.size);
    assert.ok(rows.length <= 200);
  }
  assert.equal(users.size, present.size, "who is in no channel is not kept");
  const held = [...present].reduce<number>(
    (sum, user) => sum + (user as { channels: Set<unknown> }).channels.size,
    0,
  );
  assert.equal(held, memberships);
}
