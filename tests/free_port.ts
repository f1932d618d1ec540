/**
 * A port for a service that is told its port and cannot be given 0. Ports that
 * the system hands out are left alone: between finding one free and listening
 * on it, any connection on the machine may be given it as its own end.
 *
 * @module
 */

/** Above the well-known ones and below those that Linux hands out. */
const FIRST = 10_240;
const LAST = 32_000;

/** A port of 127.0.0.1 that nothing listens on. */
export function freePort(): number {
  while (true) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
