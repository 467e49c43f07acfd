import { type Judgement, judgePattern, mostDocumentSteps } from "./hazard.js";
import { Memory } from "./memory.js";

/** Size of the caches: schemas repeat the same patterns, and programs read schemas repeatedly. */
const mostRemembered = 500;
const judged = new Memory<Judgement>(mostRemembered);

/**
 * Limits the work for analysing the patterns of a document, or of several documents that share the budget. Counts steps
 * instead of time, so that a document gets the same verdicts on every machine. A repeated pattern is free. A pattern
 * that was analysed under another budget still costs its steps here, although its result is cached: verdicts must not
 * depend on previously read documents.
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
   * Whether the platform's matcher takes linear time for `pattern`. Also `false` if the analysis needs more steps
   * than are left; the budget is then spent.
   *
   * @param pattern a regular expression that `new RegExp(pattern, "u")` accepts
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
   * Charges `steps` for other work on a pattern, once for each pattern.
   *
   * @returns `false` if fewer steps are left; the budget is then spent
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
