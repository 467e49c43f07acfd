import { type Judgement, judgePattern, mostDocumentSteps } from "./hazard.js";
import { Memory } from "./memory.js";

/** Schemas say the same patterns over and over, and are read more than once. */
const mostRemembered = 500;
const judged = new Memory<Judgement>(mostRemembered);

/**
 * The work that may go into judging the patterns of one document, or of documents that share it: a number of steps,
 * so that the same documents are judged alike on every machine. A pattern that is asked for again costs nothing; one
 * that another budget has paid for costs its steps here, too, though they are not taken again: what is judged does
 * not depend on what was read before.
 */
export class PatternBudget {
  private left: number;
  private readonly answers = new Memory<boolean>(mostRemembered);
  private readonly paid = new Memory<true>(mostRemembered);

  constructor(steps: number = mostDocumentSteps) {
    this.left = steps;
  }

  /** Whether no steps are left. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  /**
   * Whether the platform's matcher takes time for `pattern` that grows with the text alone; `false`, too, where it
   * would take more steps to find out than are left. None are left then.
   *
   * @param pattern a regular expression that `new RegExp(pattern, "u")` takes
   */
  isLinear(pattern: string): boolean {
    const known = this.answers.get(pattern);
    if (known !== undefined) return known;
    const judgement = this.judge(pattern);
    if (!judgement || judgement.steps > this.left) {
      this.left = 0;
      return false;
    }
    this.left -= judgement.steps;
    const isLinear = judgement.hazard === "none";
    this.answers.set(pattern, isLinear);
    return isLinear;
  }

  /**
   * Takes `steps` for other work on a pattern, once.
   *
   * @returns `false` where fewer are left; none are left then
   */
  pays(pattern: string, steps: number): boolean {
    if (this.paid.get(pattern)) return true;
    if (steps > this.left) {
      this.left = 0;
      return false;
    }
    this.left -= steps;
    this.paid.set(pattern, true);
    return true;
  }

  private judge(pattern: string): Judgement | undefined {
    let judgement = judged.get(pattern);
    if (judgement) return judgement;
    judgement = judgePattern(pattern, this.left);
    if (judgement) judged.set(pattern, judgement);
    return judgement;
  }
}
