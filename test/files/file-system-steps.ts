import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Functions of node:fs that change the file system. */
const changing = [
  "openSync",
  "writeFileSync",
  "renameSync",
  "linkSync",
  "unlinkSync",
  "mkdirSync",
  "rmdirSync",
  "copyFileSync",
  "fchmodSync",
] as const;

/**
 * Calls `work` while each call that may change the file system is counted.
 *
 * @param before called with the number of each such call, from 1, before it happens; may throw in its place
 * @returns the number of calls
 */
export function stepped(work: () => void, before: (step: number) => void): number {
  const real = Object.fromEntries(changing.map((name) => [name, fs[name]]));
  let steps = 0;
  const target = fs as unknown as Record<string, unknown>;
  for (const name of changing)
    target[name] = (...args: unknown[]) => {
      before(++steps);
      return (real[name] as (...args: unknown[]) => unknown)(...args);
    };
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
  return steps;
}

/** Leaves the files as a killed process would: from the step on, no call happens. */
export function killedAt(work: () => void, step: number): void {
  try {
    stepped(work, (now) => {
      if (now >= step) throw new Error("the process is dead");
    });
  } catch {
    // A dead process reports nothing.
  }
}
