import { Work } from "../../engine/patterns/work.js";

/** Patterns that each take all the work that one may: `a` any number of times up to 270, and the word with the index. */
export function hardPatterns(count: number, word: string): string[] {
  return Array.from({ length: count }, (_, index) => `^${"a?".repeat(270)}${word}${index}$`);
}

/** The steps of judging patterns that `run` takes, those that are asked for beyond a bound excluded. */
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
