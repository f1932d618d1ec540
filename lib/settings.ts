/**
 * The settings a person changes: their names, how each is shown, and how what
 * was typed is read, clamped or refused. Where they are kept is elsewhere, but
 * for one rule that holds everywhere: `control.send` is never saved.
 *
 * Spec: "Setup" (the four `control.*` settings).
 *
 * @module
 */

import {
  type Config,
  DEFAULT_BUFFER_LIMIT,
  DEFAULT_PORT,
  MAX_BUFFER_LIMIT,
  MAX_PORT,
  MIN_BUFFER_LIMIT,
  MIN_PORT,
} from "./config/config_file.ts";

/** Every setting by its name. */
export interface SettingValues {
  readonly "control.enabled": boolean;
  readonly "control.debug": boolean;
  readonly "control.send": boolean;
  readonly "control.port": number;
  readonly "flood_throttle": boolean;
  readonly "buffer_limit": number;
}
export type SettingKey = keyof SettingValues;

/** What a setting takes. */
export type Shape =
  | { readonly kind: "switch" }
  | { readonly kind: "number"; readonly min: number; readonly max: number };

/** One row of the table. */
export interface Setting {
  readonly key: SettingKey;
  readonly shape: Shape;
  /** Where `config.json` has it; undefined for the one that no file has. */
  readonly path: readonly string[] | undefined;
  readonly about: string;
}

/** The table, in the order that listings have. */
export const SETTINGS: readonly Setting[] = [
  {
    key: "control.enabled",
    shape: { kind: "switch" },
    path: ["control", "enabled"],
    about: "serve AI agents on 127.0.0.1",
  },
  {
    key: "control.debug",
    shape: { kind: "switch" },
    path: ["control", "debug"],
    about: "also serve the debug tools",
  },
  {
    key: "control.send",
    shape: { kind: "switch" },
    path: undefined,
    about: "let agents send to IRC until the service stops; never saved",
  },
  {
    key: "control.port",
    shape: { kind: "number", min: MIN_PORT, max: MAX_PORT },
    path: ["control", "port"],
    about: `the port to serve on, ${MIN_PORT} to ${MAX_PORT}`,
  },
  {
    key: "flood_throttle",
    shape: { kind: "switch" },
    path: ["flood_throttle"],
    about: "pace what is sent to IRC",
  },
  {
    key: "buffer_limit",
    shape: { kind: "number", min: MIN_BUFFER_LIMIT, max: MAX_BUFFER_LIMIT },
    path: ["buffer_limit"],
    about:
      `messages a buffer holds, ${MIN_BUFFER_LIMIT} to ${MAX_BUFFER_LIMIT}`,
  },
];

/** What holds when no file says otherwise. */
export const DEFAULT_SETTINGS: SettingValues = {
  "control.enabled": false,
  "control.debug": false,
  "control.send": false,
  "control.port": DEFAULT_PORT,
  "flood_throttle": true,
  "buffer_limit": DEFAULT_BUFFER_LIMIT,
};

/** The settings that a file holds; `control.send` is off whatever it says. */
export function settingsOf(config: Config): SettingValues {
  return {
    "control.enabled": config.enabled,
    "control.debug": config.debug,
    "control.send": false,
    "control.port": config.port,
    "flood_throttle": config.floodThrottle,
    "buffer_limit": config.bufferLimit,
  };
}

/** The setting called `name`, as typed. */
export function findSetting(name: string): Setting | undefined {
  return SETTINGS.find(({ key }) => key === name.toLowerCase());
}

/** What to answer when no setting is called `name`. */
export function unknownSetting(name: string): string {
  return `No setting "${name}", nothing changed: there are ` +
    `${SETTINGS.map(({ key }) => key).join(", ")}.`;
}

/** `key = value`, as listings and answers show it. */
export function showSetting(key: SettingKey, values: SettingValues): string {
  const value = values[key];
  return `${key} = ${
    typeof value === "boolean" ? (value ? "on" : "off") : value
  }`;
}

/** What was typed, read: a value to keep, or the words that refuse it. */
export type ParsedSetting =
  | { readonly kind: "value"; readonly value: boolean | number }
  | { readonly kind: "refused"; readonly words: string };

const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map([
  ["on", true],
  ["true", true],
  ["off", false],
  ["false", false],
]);

/**
 * Reads what was typed for a setting. A number outside of the range is
 * clamped; text that is no number changes nothing.
 */
export function parseSetting(setting: Setting, typed: string): ParsedSetting {
  const { key, shape } = setting;
  const text = typed.trim();
  switch (shape.kind) {
    case "switch": {
      const value = SWITCH_WORDS.get(text.toLowerCase());
      return value === undefined
        ? refused(`${key} takes on or off, not "${text}": nothing changed.`)
        : { kind: "value", value };
    }
    case "number": {
      if (!/^[+-]?[0-9]+$/.test(text)) {
        return refused(
          `${key} takes a number from ${shape.min} to ${shape.max}, ` +
            `not "${text}": nothing changed.`,
        );
      }
      const value = Math.min(Math.max(Number(text), shape.min), shape.max);
      return { kind: "value", value };
    }
    default:
      return shape satisfies never;
  }
}

function refused(words: string): ParsedSetting {
  return { kind: "refused", words };
}
