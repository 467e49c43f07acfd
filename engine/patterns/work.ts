/** Thrown if the analysis of a pattern would take too many steps. */
export class TooMuchWork extends Error {}

/** The remaining steps for one automaton. A step is approximately the work for one of its ways. */
export class Work {
  private left: number;

  constructor(steps: number) {
    this.left = steps;
  }

  /** The remaining steps; 0 after `TooMuchWork`. */
  get rest(): number {
    return Math.max(this.left, 0);
  }

  /** @throws {TooMuchWork} */
  step(steps = 1): void {
    this.left -= steps;
    if (this.left < 0) throw new TooMuchWork();
  }
}
