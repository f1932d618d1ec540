/**
 * What the doctor looks at: a home, and what the machine and this build allow.
 * The process's own is made by the command line; tests give others.
 *
 * @module
 */

import type { Home } from "../home.ts";
import type { PeerCheck } from "../peer/owner.ts";

/** See the module doc. */
export interface Patient {
  readonly home: Home;
  readonly uid: number | null;
  readonly peer: PeerCheck;
  /** Whether a C library was found for the peer check. */
  readonly hasLibc: boolean;
  /** Whether this process is allowed something. */
  readonly isAllowed: (permission: Deno.PermissionDescriptor) => boolean;
}
