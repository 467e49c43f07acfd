/** Thrown where judging a pattern would take more work than it may. */
export class TooMuchWork extends Error {}

/** The work that is left for judging one pattern: a step is about as much as looking at one way of its automaton. */
export class Work {
  private left: number;

  constructor(steps: number) {
    this.left = steps;
  }

  /** @throws {TooMuchWork} */
  step(steps = 1): void {
    this.left -= steps;
    if (this.left < 0) throw new TooMuchWork();
  }
}
