/**
 * The whole examination, from the machine to each session. It changes nothing;
 * at the gate it is seen as two refused requests in the AI access log.
 *
 * @module
 */

import { examineFiles } from "./files.ts";
import type { Finding } from "./finding.ts";
import {
  examinePeerCheck,
  examinePermissions,
  examineUser,
} from "./machine.ts";
import type { Patient } from "./patient.ts";
import { examinePort, examineService } from "./service.ts";
import { examineSessions } from "./sessions.ts";

/** Everything that was looked at, in the order it is best mended in. */
export async function examine(patient: Patient): Promise<readonly Finding[]> {
  const files = await examineFiles(patient);
  const service = await examineService(patient);
  const known = { ...files, report: service.report };
  return [
    examineUser(patient),
    ...files.findings,
    examinePermissions(patient),
    await examinePeerCheck(patient),
    ...service.findings,
    ...await examinePort(patient, known),
    ...await examineSessions(patient, known),
  ];
}
