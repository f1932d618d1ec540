import assert from "node:assert/strict";
import {
  DEFAULT_SETTINGS,
  findSetting,
  parseSetting,
  SETTINGS,
  showSetting,
  unknownSetting,
} from "../lib/settings.ts";

function parse(key: string, typed: string) {
  const setting = findSetting(key);
  assert.ok(setting !== undefined);
  return parseSetting(setting, typed);
}

Deno.test("showSetting() shows the defaults as key = value [SET-001, SET-003, SET-007, SET-012]", () => {
  // Guards what a fresh home is set to, as the person reads it.
  assert.deepEqual(
    SETTINGS.map(({ key }) => showSetting(key, DEFAULT_SETTINGS)),
    [
      "control.enabled = off",
      "control.debug = off",
      "control.send = off",
      "control.port = 7422",
      "flood_throttle = on",
      "buffer_limit = 20000",
    ],
  );
});

const NUMBERS: readonly (readonly [string, string, number])[] = [
  ["control.port", "7500", 7500],
  ["control.port", "1023", 1024],
  ["control.port", "0", 1024],
  ["control.port", "-5", 1024],
  ["control.port", "65536", 65_535],
  ["control.port", "99999999999999999999999", 65_535],
  ["control.port", " +8000 ", 8000],
  ["buffer_limit", "1", 1_000],
  ["buffer_limit", "5000000", 1_000_000],
];

for (const [key, typed, value] of NUMBERS) {
  Deno.test(`parseSetting() takes ${key} "${typed}" as ${value} [SET-014]`, () => {
    // Guards that a number out of range is clamped, not refused.
    assert.deepEqual(parse(key, typed), { kind: "value", value });
  });
}

for (
  const typed of ["", "abc", "74 22", "7422.5", "1e4", "0x1000", "７４２２"]
) {
  Deno.test(`parseSetting() refuses the port "${typed}"`, () => {
    // Guards that what is no number changes nothing.
    assert.deepEqual(parse("control.port", typed), {
      kind: "refused",
      words: `control.port takes a number from 1024 to 65535, ` +
        `not "${typed}": nothing changed.`,
    });
  });
}

Deno.test("parseSetting() takes on, off, true and false", () => {
  // Guards that a switch is never guessed at.
  for (const typed of ["on", "true", "ON"]) {
    assert.deepEqual(parse("control.enabled", typed), {
      kind: "value",
      value: true,
    });
  }
  for (const typed of ["off", "false", "False"]) {
    assert.deepEqual(parse("control.debug", typed), {
      kind: "value",
      value: false,
    });
  }
  assert.deepEqual(parse("control.send", "yes"), {
    kind: "refused",
    words: 'control.send takes on or off, not "yes": nothing changed.',
  });
});

Deno.test("control.send has no place in the file", () => {
  // Guards that no code path can save it.
  assert.deepEqual(
    SETTINGS.filter(({ path }) => path === undefined).map(({ key }) => key),
    ["control.send"],
  );
});

Deno.test("findSetting() finds no other name", () => {
  // Guards that a misspelt setting is told of with those there are.
  assert.equal(findSetting("control"), undefined);
  assert.equal(findSetting("CONTROL.PORT")?.key, "control.port");
  assert.equal(
    unknownSetting("x"),
    'No setting "x", nothing changed: there are control.enabled, ' +
      "control.debug, control.send, control.port, flood_throttle, buffer_limit.",
  );
});
