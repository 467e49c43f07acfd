import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Milliseconds that what is ended may take. */
const patience = 3_000;

/** npm passes on what the terminal has sent to all: one Ctrl-C comes twice, at nearly the same moment (milliseconds). */
const echo = 200;

/** What is to be ended before this process is. */
const endings = new Set<() => Promise<unknown>>();

let arrived: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;

/**
 * From here until what it returns is called, a signal ends what `end` ends, then this process, with 128 and the
 * signal's number as its exit code; a second one ends it at once. What it returns never resolves once a signal has
 * arrived: what follows is not to be done any more.
 */
export function endBeforeSignal(end: () => Promise<unknown>): () => Promise<void> {
  if (endings.size === 0) for (const signal of signals) process.on(signal, interrupted);
  // Twice the same function would be one.
  const ending = (): Promise<unknown> => end();
  endings.add(ending);
  return async () => {
    if (arrived) await new Promise<never>(() => {});
    endings.delete(ending);
    if (endings.size === 0) for (const signal of signals) process.off(signal, interrupted);
  };
}

function interrupted(signal: NodeJS.Signals): void {
  const now = performance.now();
  // Whatever runs for this process hears of its end (runtime/core/stdio/after-process.ts).
  const exit = (): never => process.exit(128 + constants.signals[signal]);
  if (arrived) {
    if (signal !== arrived.signal || now - arrived.at > echo) exit();
    return;
  }
  arrived = { signal, at: now };
  setTimeout(exit, patience);
  void Promise.allSettled([...endings].map((end) => end())).then(exit);
}
