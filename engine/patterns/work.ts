/** Thrown where judging a pattern would take more work than it may. */
export class TooMuchWork extends Error {}

/** The work that is left for judging one automaton: a step is about as much as looking at one way of it. */
export class Work {
  private left: number;

  constructor(steps: number) {
    this.left = steps;
  }

  /** Steps that are left; none where more were asked for. */
  get rest(): number {
    return Math.max(this.left, 0);
  }

  /** @throws {TooMuchWork} */
  step(steps = 1): void {
    this.left -= steps;
    if (this.left < 0) throw new TooMuchWork();
  }
}
