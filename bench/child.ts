/**
 * Programs that a row measures, or measures with: each in a process of its
 * own, stopped by its pid.
 *
 * @module
 */

import { LIBC_PATHS } from "../lib/peer/libc.ts";

/** A program that says it is ready by its first line. */
export interface Child {
  readonly firstLine: string;
  stop(): Promise<void>;
}

/** Starts a program and waits for the first line it prints. */
export async function startChild(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Child> {
  const process = new Deno.Command(command, {
    ...options,
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = process.stdout.pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) {
      await process.status;
      throw new Error(`${command} ended before it was ready`);
    }
    text += value;
  }
  return {
    firstLine: text.slice(0, text.indexOf("\n")),
    async stop() {
      process.kill("SIGTERM");
      await process.status;
      await reader.cancel();
    },
  };
}

/** Runs a program to its end and reads the JSON that it prints. */
export async function runForJson<T>(
  command: string,
  args: readonly string[],
): Promise<T> {
  const { success, stdout } = await new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
  return JSON.parse(new TextDecoder().decode(stdout)) as T;
}

/** Arguments that run a module of this folder with the leave it needs. */
export function denoArgs(module: string, ...args: string[]): string[] {
  return [
    "run",
    "--quiet",
    "--no-prompt",
    "--cached-only",
    "--allow-net=127.0.0.1",
    `--allow-ffi=${LIBC_PATHS.join(",")}`,
    "--v8-flags=--expose-gc",
    new URL(module, import.meta.url).pathname,
    ...args,
  ];
}
