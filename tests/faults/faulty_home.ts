/**
 * A served program in a home of its own, and its commands sent through its door
 * without a process each, for tests that break things under a running service.
 *
 * @module
 */

import { askDoor, type DoorReply } from "../../lib/operator/door_client.ts";
import { readDoorFile } from "../../lib/operator/door_file.ts";
import { addressIn, type McpAddress } from "../mcp_post.ts";
import { freePort } from "../free_port.ts";
import { ANYONE } from "../running_service.ts";
import { ProgramHome, type ServedProgram } from "../start_program.ts";
import { homeIn } from "../temp_home.ts";

/** The program, served with AI access on. */
export class FaultyHome {
  readonly home: ProgramHome;
  #served: ServedProgram;
  #door: { readonly port: number; readonly key: string };

  private constructor(
    home: ProgramHome,
    served: ServedProgram,
    door: { port: number; key: string },
  ) {
    this.home = home;
    this.#served = served;
    this.#door = door;
  }

  static async serve(sessions: readonly unknown[] = []): Promise<FaultyHome> {
    const home = await ProgramHome.make();
    const control = { enabled: true, port: freePort() };
    await home.write("config.json", JSON.stringify({ control, sessions }));
    const served = await home.serve();
    return new FaultyHome(home, served, await doorOf(home));
  }

  get served(): ServedProgram {
    return this.#served;
  }

  /** Sends a command through the door. */
  ask(...command: string[]): Promise<DoorReply> {
    return this.askWith("", ...command);
  }

  /** The same with something on standard input. */
  askWith(input: string, ...command: string[]): Promise<DoorReply> {
    return askDoor(this.#door, { command, input }, { peer: ANYONE });
  }

  /** What a command printed; throws what it complained of. */
  async out(...command: string[]): Promise<string> {
    const reply = await this.ask(...command);
    if (reply.kind !== "answered") throw new Error(`the door: ${reply.kind}`);
    const { exit, out, err } = reply.answer;
    if (exit !== 0) throw new Error(`${out}${err}`);
    return out;
  }

  /** What a command complained of; throws when it did not. */
  async complaint(...command: string[]): Promise<string> {
    const reply = await this.ask(...command);
    if (reply.kind !== "answered") throw new Error(`the door: ${reply.kind}`);
    if (reply.answer.exit === 0) throw new Error(reply.answer.out);
    return reply.answer.err;
  }

  /** How an agent reaches it. */
  async address(): Promise<McpAddress> {
    return addressIn(await this.out("control", "token"));
  }

  /** Kills it as the kernel does when memory is short. */
  async killed(): Promise<void> {
    this.#served.kill("SIGKILL");
    await this.#served.ended();
  }

  /** Starts it again on what is in its home. */
  async serveAgain(): Promise<void> {
    this.#served = await this.home.serve();
    this.#door = await doorOf(this.home);
  }

  /** Stops it as a service manager does; gives its exit code. */
  async stop(): Promise<number> {
    this.#served.kill("SIGTERM");
    return (await this.#served.ended()).code;
  }
}

/** Runs `test`, and leaves neither a process nor a folder behind. */
export async function withFaultyHome(
  test: (faulty: FaultyHome) => Promise<void>,
  sessions: readonly unknown[] = [],
): Promise<void> {
  const faulty = await FaultyHome.serve(sessions);
  try {
    await test(faulty);
  } finally {
    try {
      await faulty.killed();
    } catch {
      // It was stopped by the test.
    }
    await faulty.home.remove().catch(() => {});
  }
}

async function doorOf(home: ProgramHome) {
  const door = await readDoorFile(homeIn(home.path("").replace(/\/$/, "")));
  if (door === undefined) throw new Error("there is no operator.json");
  return door;
}
