/**
 * The last look at a raw line before it is returned: parsed once more, from
 * its first character, and refused when it still has the shape of a
 * credential. It shares no code with the masks, so that a fault in their
 * reading of a line is not repeated here.
 *
 * By design a server's AUTHENTICATE challenge is refused too: it cannot be
 * told from a payload. A message that mentions PASS is not a PASS command.
 *
 * Spec: "Redaction", "The raw-line tripwire".
 *
 * @module
 */

const MASK = "********";

/** Whether a raw line, of either direction, must not leave. */
export function hasCredentialShape(line: string): boolean {
  // PASS, AUTHENTICATE and OPER; most lines end at this look.
  const { command, params } = parse(line);
  switch (command.toUpperCase()) {
    case "PASS":
      return params.some((param) => param !== MASK);
    case "AUTHENTICATE":
      return params.length > 1 || params.some((param) => !isNoPayload(param));
    case "OPER":
      // A lone parameter may be the password with the name forgotten.
      return params.length === 1
        ? params[0] !== MASK
        : params.slice(1).some((param) => param !== MASK);
    default:
      return false;
  }
}

function isNoPayload(param: string): boolean {
  return param === "+" || param === MASK || param === "PLAIN" ||
    param === "EXTERNAL" || param.startsWith("SCRAM-");
}

// RFC 1459 section 2.3.1 with IRCv3 message tags; runs of spaces separate.
function parse(line: string): { command: string; params: string[] } {
  let rest = line.replace(/^ +/, "");
  for (const mark of ["@", ":"]) {
    if (rest.startsWith(mark)) rest = rest.replace(/^[^ ]* */, "");
  }
  const [, head = "", last] = /^(.*?)(?: +:(.*))?$/s.exec(rest) ?? [];
  const [command = "", ...params] = head.split(/ +/).filter((w) => w !== "");
  if (last !== undefined) params.push(last);
  return { command, params };
}
