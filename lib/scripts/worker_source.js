// Runs inside a script's worker, before the script: gives it `bind` and takes
// away what could speak to the program in another's name. Imported as text.
{
  const send = self.postMessage.bind(self);
  const callbacks = [];
  const log = (...parts) =>
    send({ kind: "log", text: parts.map((part) => String(part)).join(" ") });

  self.bind = (event, callback) => {
    if (event !== "RAW_OUT") throw new TypeError(`No event ${String(event)}`);
    if (typeof callback !== "function") {
      throw new TypeError("bind needs a function");
    }
    callbacks.push(callback);
  };
  self.console = { log, info: log, warn: log, error: log, debug: log };
  self.onmessage = null;
  // Some stand on the prototype, where a delete would not reach them.
  for (const name of ["postMessage", "close", "Worker"]) {
    Object.defineProperty(self, name, { value: undefined });
  }

  const judge = async (event) => {
    const { id, line, session } = event.data;
    let isVetoed = false;
    for (const callback of callbacks) {
      // Later callbacks still see a line that an earlier one vetoed.
      if (await callback(line, { ...session }) === false) isVetoed = true;
    }
    send({ kind: "verdict", id, isVetoed });
  };
  const fail = (error) => {
    let text = "unknown error";
    try {
      text = String(error?.message ?? error);
    } catch {
      // What it threw cannot be shown.
    }
    send({ kind: "failed", text });
  };
  self.addEventListener("message", async (event) => {
    if ("code" in event.data) {
      try {
        await import(`data:text/javascript,${event.data.code}`);
        send({ kind: "ready", callbacks: callbacks.length });
      } catch (error) {
        fail(error);
      }
      return;
    }
    await judge(event).catch(fail);
  });
}
