/**
 * `reterm doctor`: its row in the command table, and the process's own home,
 * permissions and kernel handed to the examination.
 *
 * @module
 */

import { examine } from "../doctor/doctor.ts";
import { formatFindings, wrong } from "../doctor/finding.ts";
import { findHome, HomeError } from "../home.ts";
import type { Answer } from "../operator/operator.ts";
import { openLibc } from "../peer/libc.ts";
import { openPeerCheck } from "../peer/owner.ts";
import type { Command } from "./command.ts";

/** The row. */
export const DOCTOR_COMMAND: Command = {
  words: ["doctor"],
  about: "look for what is wrong, and say what mends it",
  positionals: [],
  flags: [],
  notes: [
    "One line each: ok, note or wrong, what was looked at, what was found and",
    "the command that mends it. Exit code 1 when something is wrong. It changes",
    "nothing; its knocks at the gate are two refusals in reterm control log.",
  ],
};

/** Examines the process's own home. */
export async function runDoctorCommand(): Promise<Answer> {
  try {
    const home = findHome();
    const library = openLibc();
    library?.close();
    const peer = openPeerCheck();
    const findings = await examine({
      home,
      uid: Deno.uid(),
      peer,
      hasLibc: library !== undefined,
      isAllowed: (permission) =>
        Deno.permissions.querySync(permission).state === "granted",
    });
    peer.close();
    const isWrong = findings.some(({ kind }) => kind === "wrong");
    return { exit: isWrong ? 1 : 0, out: formatFindings(findings), err: "" };
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    const finding = wrong("home", error.message, "as it says");
    return { exit: 1, out: formatFindings([finding]), err: "" };
  }
}
