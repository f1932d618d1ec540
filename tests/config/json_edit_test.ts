import assert from "node:assert/strict";
import {
  appendItem,
  removeItem,
  setMember,
} from "../../lib/config/json_edit.ts";

const WRITTEN = `{
    "sessions": [ {"id": "A"},
                  {"id": "B"} ],

    "control": { "port": 7422, "debug": true }
}
`;

Deno.test("setMember() changes one value and no other byte", () => {
  // Guards that a person's own layout survives a setting's change.
  assert.equal(
    setMember(WRITTEN, ["control", "port"], 8000),
    WRITTEN.replace("7422", "8000"),
  );
});

Deno.test("setMember() adds what is missing like what is there", () => {
  // Guards that added settings do not stand out of place.
  assert.equal(
    setMember(WRITTEN, ["control", "enabled"], true),
    WRITTEN.replace('"debug": true', '"debug": true, "enabled": true'),
  );
  assert.equal(
    setMember(WRITTEN, ["buffer_limit"], 5),
    WRITTEN.replace("true }\n", 'true },\n    "buffer_limit": 5\n'),
  );
  assert.equal(
    setMember("{}\n", ["control", "enabled"], true),
    '{\n  "control": {\n    "enabled": true\n  }\n}\n',
  );
  assert.equal(
    setMember('{\r\n\t"a": 1\r\n}', ["b", "c"], 2),
    '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}',
  );
});

Deno.test("appendItem() adds at the end, and makes the list when there is none", () => {
  // Guards that a new session comes after the person's own.
  assert.equal(appendItem("[]", [], 1), "[\n  1\n]");
  assert.equal(appendItem('{"a": [1]}', ["a"], 2), '{"a": [1, 2]}');
  assert.equal(
    appendItem('{\n  "a": [\n    1\n  ]\n}', ["a"], { b: 2 }),
    '{\n  "a": [\n    1,\n    {\n      "b": 2\n    }\n  ]\n}',
  );
  assert.equal(
    appendItem("{}", ["a"], 1),
    '{\n  "a": [\n    1\n  ]\n}',
  );
});

Deno.test("removeItem() takes one item out and leaves the others", () => {
  // Guards that removing a session does not touch its neighbours.
  const text = '{"a": [1,  2,  3]}';
  assert.equal(removeItem(text, ["a"], 0), '{"a": [2,  3]}');
  assert.equal(removeItem(text, ["a"], 1), '{"a": [1,  3]}');
  assert.equal(removeItem(text, ["a"], 2), '{"a": [1,  2]}');
  assert.equal(removeItem('{"a": [1]}', ["a"], 0), '{"a": []}');
  assert.equal(removeItem(text, ["a"], 3), text);
  assert.equal(removeItem(text, ["b"], 0), text);
});
