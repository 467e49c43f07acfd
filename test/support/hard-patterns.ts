import { Work } from "../../engine/patterns/work.js";

/**
 * Makes patterns that each use the maximum number of steps of a single pattern: up to 270 repetitions of `a`, then the
 * word and the index.
 */
export function hardPatterns(count: number, word: string): string[] {
  return Array.from({ length: count }, (_, index) => `^${"a?".repeat(270)}${word}${index}$`);
}

/** Counts the steps of pattern analysis during `run`, without steps that a limit refuses. */
export async function judgingSteps(run: () => unknown): Promise<number> {
  let total = 0;
  const { step } = Work.prototype;
  Work.prototype.step = function (this: Work, steps = 1) {
    total += Math.min(this.rest, steps);
    step.call(this, steps);
  };
  try {
    await run();
  } finally {
    Work.prototype.step = step;
  }
  return total;
}
