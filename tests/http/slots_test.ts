import assert from "node:assert/strict";
import { MAX_CONNECTIONS, type Slot, Slots } from "../../lib/http/slots.ts";

function takeAll(slots: Slots): Slot[] {
  const taken: Slot[] = [];
  for (let slot = slots.take(); slot; slot = slots.take()) taken.push(slot);
  return taken;
}

Deno.test("Slots gives out eight [GATE-064]", () => {
  // Guards the contract's number.
  assert.equal(MAX_CONNECTIONS, 8);
  const slots = new Slots();
  const taken = takeAll(slots);
  assert.equal(taken.length, 8);
  taken[0]?.free();
  taken[0]?.free();
  assert.equal(takeAll(slots).length, 1);
});

Deno.test("Slots counts an overrunning handler apart until it returns [GATE-068] [GATE-069]", () => {
  // Guards both sides: the slot is given back, and stuck work still counts.
  const slots = new Slots(2);
  const stuck = takeAll(slots);
  for (const slot of stuck) slot.overrun();
  assert.deepEqual([slots.served, slots.overrunning], [0, 2]);
  assert.equal(slots.take(), undefined);
  stuck[0]?.free();
  assert.equal(slots.overrunning, 1);
  assert.equal(takeAll(slots).length, 2);
});

Deno.test("Slots frees the place of a leaving answer, within a bound", () => {
  // Guards that clients which never take their answers cannot gather
  // connections without end: past the bound they keep their slots.
  const slots = new Slots(8);
  let leaving = 0;
  for (let round = 0; round < 3; round++) {
    for (const slot of takeAll(slots)) {
      slot.leave();
      leaving++;
    }
  }
  assert.equal(leaving, 24);
  assert.equal(slots.served, 8);
  assert.equal(slots.take(), undefined);
});
