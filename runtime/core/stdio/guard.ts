import type { Writable } from "node:stream";

/** The process's real standard output, for the transport alone. */
export interface KeptStdout {
  readonly stream: Writable;
  readonly write: Writable["write"];
}

/** Registered for the whole process: two copies of this package must not take each other's substitute. */
const key: unique symbol = Symbol.for("@mcpgen/runtime/stdout");

/**
 * Takes standard output for the transport: from here on `process.stdout` is standard error, and so is what
 * `console.*` prints and what is written by whoever got hold of the real stream before. Nothing but messages
 * may stand on standard output (every revision, transports, stdio), and one `console.log` in a dependency
 * would break the session.
 *
 * It has to run before any module that prints: import `@mcpgen/runtime/stdio-guard` first. Not covered is
 * what goes around the stream to descriptor 1: `fs.writeSync(1, …)`, native code, children that inherit it.
 *
 * Further calls give the same.
 */
export function keepStdout(): KeptStdout {
  const registry = globalThis as { [key]?: KeptStdout };
  return (registry[key] ??= take());
}

function take(): KeptStdout {
  const stream: Writable = process.stdout;
  const kept: KeptStdout = { stream, write: stream.write };
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: substitute });
  stream.write = ((...text: Parameters<Writable["write"]>) =>
    substitute().write(...text)) as Writable["write"];
  stream.end = writeOnly;
  return kept;
}

let prepared = false;

/** Standard error, which neither a reader that is gone nor an `end` meant for standard output may break. */
function substitute(): Writable {
  const { stderr } = process;
  if (!prepared) {
    stderr.on("error", () => {});
    stderr.end = writeOnly as typeof stderr.end;
  }
  prepared = true;
  return stderr;
}

/** In place of `end`: writes what it is given and ends nothing. */
const writeOnly = function (this: Writable, ...given: unknown[]): Writable {
  const [text] = given;
  if (typeof text === "string" || text instanceof Uint8Array) {
    substitute().write(...(given as Parameters<Writable["write"]>));
  } else {
    for (const callback of given) if (typeof callback === "function") (callback as () => void)();
  }
  return this;
} as Writable["end"];
