/**
 * What does not depend on a home's files: the user, this build's permissions,
 * and whether the kernel tells whose a connection is.
 *
 * @module
 */

import { dialOwnServer } from "../peer/own_server.ts";
import { LIBC_PATHS } from "../peer/libc.ts";
import { type Finding, fine, wrong } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Whether this user may serve. */
export function examineUser({ uid }: Patient): Finding {
  return uid === 0
    ? wrong(
      "user",
      "reterm does not serve as root",
      "run it as an ordinary user",
    )
    : fine("user", uid === null ? "not root" : `uid ${uid}`);
}

/** Whether this build may do what it must, and no more. */
export function examinePermissions(patient: Patient): Finding {
  const { home, isAllowed } = patient;
  const needed: readonly (readonly [string, Deno.PermissionDescriptor])[] = [
    ["reading home", { name: "read", path: home.folder }],
    ["writing home", { name: "write", path: home.folder }],
    ["127.0.0.1", { name: "net", host: "127.0.0.1" }],
    ["HOME", { name: "env", variable: "HOME" }],
    ["RETE_SECRETS_FILE", { name: "env", variable: "RETE_SECRETS_FILE" }],
    ["the user id", { name: "sys", kind: "uid" }],
    ["the C library", { name: "ffi", path: LIBC_PATHS[0] ?? "" }],
  ];
  const excess: readonly (readonly [string, Deno.PermissionDescriptor])[] = [
    ["running programs", { name: "run" }],
    ["reading everything", { name: "read", path: "/" }],
    ["writing everything", { name: "write", path: "/" }],
    ["every host", { name: "net", host: "reterm.invalid:1" }],
    ["every variable", { name: "env", variable: "RETERM_NOT_A_VARIABLE" }],
  ];
  const named = (
    rows: typeof needed,
    wanted: boolean,
  ) =>
    rows.filter(([, permission]) => isAllowed(permission) === wanted)
      .map(([name]) => name).join(", ");
  const missing = named(needed, false);
  if (missing !== "") {
    return wrong(
      "permissions",
      `this program was started without: ${missing}`,
      "start it as make install left it, without other Deno flags",
    );
  }
  const more = named(excess, true);
  return more === "" ? fine("permissions", "those of the shipped list") : wrong(
    "permissions",
    `this program was started with more than it needs: ${more}`,
    "start it as make install left it, without other Deno flags",
  );
}

/** Whether the kernel says whose the other end of a connection is. */
export async function examinePeerCheck(
  { peer, hasLibc, uid }: Patient,
): Promise<Finding> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const dialled = await dialOwnServer(listener.addr.port, peer);
  (await accepted).close();
  listener.close();
  if (dialled.kind === "own") {
    dialled.server.close();
    return fine("peer check", "the kernel tells whose a connection is");
  }
  if (!hasLibc) {
    return wrong(
      "peer check",
      `no C library could be opened (${LIBC_PATHS.join(", ")}), so every ` +
        `client is refused`,
      "run it on a system with glibc in one of these places",
    );
  }
  return dialled.kind === "other-user"
    ? wrong(
      "peer check",
      `the kernel takes this user (uid ${uid ?? "?"}) for another one, so ` +
        `every client is refused`,
      "run service and clients in one user namespace",
    )
    : wrong(
      "peer check",
      "the kernel does not tell whose a connection is (no netlink, and " +
        "/proc/net/tcp is hidden), so every client is refused",
      "allow AF_NETLINK, or /proc, where reterm runs",
    );
}
