/**
 * The settings of the running service: read from the file once, then changed
 * here, saved before they hold. Whoever goes by a setting reads it each time.
 *
 * @module
 */

import type { ConfigFile } from "../config/config_file.ts";
import type { Setting, SettingValues } from "../settings.ts";

/** See the module doc. */
export class LiveSettings {
  readonly #config: ConfigFile;
  #values: SettingValues;
  #changed: () => void = () => {};

  constructor(config: ConfigFile, values: SettingValues) {
    this.#config = config;
    this.#values = values;
  }

  /** Calls `changed` after each change, once the new value holds. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /** What holds now. */
  get values(): SettingValues {
    return this.#values;
  }

  /**
   * Saves a setting, unless no file has it, and lets it hold.
   *
   * @throws {ConfigError} when it cannot be saved; nothing is changed then.
   */
  async change(
    { key, path }: Setting,
    value: boolean | number,
  ): Promise<void> {
    if (path !== undefined) await this.#config.set(path, value);
    this.#values = { ...this.#values, [key]: value };
    this.#changed();
  }
}
