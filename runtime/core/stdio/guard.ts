import type { Writable } from "node:stream";

/** The real standard output of the process, which only the transport uses. */
export interface KeptStdout {
  readonly stream: Writable;
  readonly write: Writable["write"];
}

/** Registered for the whole process: two copies of this package share one substitute. */
const key: unique symbol = Symbol.for("@mcpgen/runtime/stdout");

/**
 * Reserves standard output for the transport. `process.stdout` becomes standard error, and `console.*` and earlier
 * references to the real stream write there, too. Standard output carries messages only (every revision, transports,
 * stdio): one `console.log` in a dependency would break the session.
 *
 * It must run before any module that prints: import `@mcpgen/runtime/stdio-guard` first. It does not cover writes to
 * descriptor 1 that bypass the stream: `fs.writeSync(1, …)`, native code, child processes that inherit it.
 *
 * Further calls return the same object.
 */
export function keepStdout(): KeptStdout {
  const registry = globalThis as { [key]?: KeptStdout };
  return (registry[key] ??= take());
}

function take(): KeptStdout {
  const stream: Writable = process.stdout;
  const kept: KeptStdout = { stream, write: stream.write };
  // A file of tests that imports a server reports to the runner of node:test by this stream, in bytes that are not UTF-8.
  const isTest = process.env["NODE_TEST_CONTEXT"];
  Object.defineProperty(process, "stdout", { get: isTest ? () => stream : substitute });
  stream.write = ((...text: Parameters<Writable["write"]>) =>
    isTest && (text[0] as Uint8Array)[0] === 0xff
      ? kept.write.apply(stream, text)
      : substitute().write(...text)) as Writable["write"];
  stream.end = writeOnly;
  return kept;
}

/** Standard error. Neither a closed reader nor an `end` meant for standard output breaks it. */
function substitute(): Writable {
  const stderr: Writable = process.stderr;
  if (stderr.end !== writeOnly) stderr.on("error", () => {}).end = writeOnly;
  return stderr;
}

/** Replaces `end`: writes its argument and does not end the stream. */
const writeOnly = function (this: Writable, text?: unknown, ...rest: unknown[]): Writable {
  const given = typeof text === "function" ? ["", text] : [text ?? "", ...rest];
  substitute().write(...(given as Parameters<Writable["write"]>));
  return this;
} as Writable["end"];
