/**
 * The running service: whether it answers, whether it serves agents, who holds
 * its port, and whether its gate lets in what it should and nothing else.
 *
 * @module
 */

import type { Config } from "../config/config_file.ts";
import { type SecretEntries, TOKEN_ENTRY } from "../config/secrets_file.ts";
import { type PostAnswer, sendPost } from "../http/post.ts";
import { askDoor } from "../operator/door_client.ts";
import { readDoorFile } from "../operator/door_file.ts";
import type { StatusReport } from "../operator/status_report.ts";
import { dialOwnServer } from "../peer/own_server.ts";
import { type Finding, fine, note, wrong } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** What the service says of itself, when it does. */
export interface ServiceExam {
  readonly findings: readonly Finding[];
  readonly report: StatusReport | undefined;
}

/** Asks the service through its door. */
export async function examineService(patient: Patient): Promise<ServiceExam> {
  const { home, peer } = patient;
  const address = await readDoorFile(home);
  if (address === undefined) {
    const finding = wrong("service", "none runs on this home", "reterm serve");
    return { findings: [finding], report: undefined };
  }
  const reply = await askDoor(address, { command: ["status", "--json"] }, {
    peer,
  });
  switch (reply.kind) {
    case "nobody":
      return {
        findings: [wrong(
          "service",
          `none runs on this home: ${home.operatorFile} was left by one that ` +
            `died`,
          "reterm serve",
        )],
        report: undefined,
      };
    case "silent":
      return {
        findings: [wrong(
          "service",
          `it does not answer: ${reply.reason}`,
          "stop it and start it again: reterm serve",
        )],
        report: undefined,
      };
    case "answered": {
      const report: StatusReport = JSON.parse(reply.answer.out);
      return { findings: [describe(report), accessOf(report)], report };
    }
    default:
      return reply satisfies never;
  }
}

function describe({ version, since }: StatusReport): Finding {
  return fine("service", `reterm ${version} runs since ${since}`);
}

function accessOf({ access }: StatusReport): Finding {
  if (access.serving) return fine("access", access.text);
  return access.text.includes("/set control.enabled on")
    ? note("access", "AI access is off", "reterm set control.enabled on")
    : wrong("access", access.text, mendOf(access));
}

function mendOf({ text, port }: StatusReport["access"]): string {
  return text.includes("is in use")
    ? `reterm set control.port ${other(port)}`
    : "mend what it says, then reterm set control.enabled on";
}

/** Looks at who holds the port, and, where we do, at the gate. */
export async function examinePort(
  patient: Patient,
  { config, secrets, report }: {
    readonly config: Config | undefined;
    readonly secrets: SecretEntries | undefined;
    readonly report: StatusReport | undefined;
  },
): Promise<readonly Finding[]> {
  const port = report?.access.port ?? config?.port;
  if (port === undefined) return [];
  const isServing = report?.access.serving === true;
  const move = `reterm set control.port ${other(port)}`;
  const dialled = await dialOwnServer(port, patient.peer);
  switch (dialled.kind) {
    case "nobody":
      return isServing
        ? [wrong("port", `nobody listens on port ${port}`, "restart reterm")]
        : [fine("port", `port ${port} is free`)];
    case "other-user":
      return [wrong(
        "port",
        `port ${port} is held by a program of another user, to which a client ` +
          `that was given the token would send it`,
        `${move}, then reterm control token regenerate`,
      )];
    case "unknown":
      return [wrong(
        "port",
        `who holds port ${port} cannot be told`,
        `ss -ltnp "sport = :${port}"`,
      )];
    case "closed":
      return [note("port", `port ${port} hangs up at once: it is busy`)];
    case "own":
      dialled.server.close();
      break;
    default:
      return dialled satisfies never;
  }
  if (!isServing) {
    return [wrong(
      "port",
      `port ${port} is held by another program of yours`,
      `end it, or ${move}`,
    )];
  }
  const findings = [fine("port", `port ${port} is this user's`)];
  if (config !== undefined && config.port !== port) {
    findings.push(wrong(
      "config",
      `it says port ${config.port}, and the service is on ${port}`,
      `reterm set control.port ${config.port}`,
    ));
  }
  const token = secrets?.get(TOKEN_ENTRY);
  if (token !== undefined) findings.push(await probe(patient, { port, token }));
  return findings;
}

/** Knocks at the gate as a stranger would, and as a client does. */
async function probe(
  patient: Patient,
  { port, token }: { readonly port: number; readonly token: string },
): Promise<Finding> {
  const ask = async (as: { token: string; headers?: string[] }) => {
    const dialled = await dialOwnServer(port, patient.peer);
    if (dialled.kind !== "own") return undefined;
    const { server } = dialled;
    const cut = setTimeout(() => server.close(), PROBE_WAIT_MS);
    try {
      return await sendPost(server, { port, path: "/mcp", body: PING, ...as });
    } finally {
      clearTimeout(cut);
      server.close();
    }
  };
  const stranger = await ask({ token: "reterm-doctor" });
  const page = await ask({
    token,
    headers: ["Origin: https://reterm.invalid"],
  });
  if (!isRefused(stranger) || !isRefused(page)) {
    return wrong(
      "gate",
      `it does not refuse what it must (${stranger?.status ?? "closed"}, ` +
        `${page?.status ?? "closed"}): port ${port} is not reterm's`,
      "find the program: ss -ltnp",
    );
  }
  const client = await ask({ token });
  if (client?.status === 200) {
    return fine("gate", "it lets in the token, and nobody else");
  }
  return isRefused(client)
    ? wrong(
      "gate",
      "it refuses the token of secrets.json",
      "reterm control token regenerate",
    )
    : wrong(
      "gate",
      `it answers ${client?.status ?? "nothing"} to a ping`,
      "see its log, and start it again",
    );
}

/** The gate refuses at once; a call may wait for its 25 s, a ping never. */
const PROBE_WAIT_MS = 5_000;
const PING = new TextEncoder().encode(
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
);

function isRefused(answer: PostAnswer | undefined): boolean {
  return answer?.status === 403 && answer.body.length === 0;
}

function other(port: number): number {
  return port < 65_535 ? port + 1 : port - 1;
}
