import assert from "node:assert/strict";
import {
  envelopeBytes,
  RESULT_BUDGET_BYTES,
  RowBudget,
} from "../../lib/tools/budget.ts";

Deno.test("RESULT_BUDGET_BYTES is the contract's [BUD-001]", () => {
  // Guards the number that every tool is held to.
  assert.equal(RESULT_BUDGET_BYTES, 60_000);
});

Deno.test("RowBudget takes rows to the last byte, separators counted", () => {
  // Guards that a page is neither cut early nor over its budget.
  const budget = new RowBudget({ budgetBytes: 20, envelopeBytes: 10 });
  assert.equal(budget.offer("1234"), "taken");
  assert.equal(budget.offer("123456"), "full");
  assert.equal(budget.offer("12345"), "taken");
  assert.equal(budget.offer(""), "full");
  assert.deepEqual(budget.rows, ["1234", "12345"]);
});

Deno.test("RowBudget tells a row that no page could hold [BUD-004]", () => {
  // Guards paging: a row that can never fit must not stop the walk.
  const budget = new RowBudget({ budgetBytes: 20, envelopeBytes: 10 });
  assert.equal(budget.offer("x".repeat(11)), "oversize");
  assert.equal(budget.offer("é".repeat(6)), "oversize");
  assert.equal(budget.offer("x".repeat(10)), "taken");
  assert.equal(budget.offer("x".repeat(11)), "oversize");
});

Deno.test("RowBudget spends bytes beside the rows", () => {
  // Guards that skipped numbers are paid for as rows are.
  const budget = new RowBudget({ budgetBytes: 20, envelopeBytes: 10 });
  assert.equal(budget.spend(4), true);
  assert.equal(budget.spend(7), false);
  assert.equal(budget.offer("1234567"), "full");
  assert.equal(budget.offer("123456"), "taken");
});

Deno.test("envelopeBytes() counts UTF-8", () => {
  // Guards that the envelope is measured as the rows are.
  assert.equal(envelopeBytes({ a: "é" }), 10);
});
