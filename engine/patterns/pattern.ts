import type { Matcher } from "../ir/ir.js";
import { PatternBudget } from "./budget.js";
import { mostMade, referredIn, withoutBackreferences } from "./captures.js";
import { LinearMatcher } from "./linear-matcher.js";
import { Memory } from "./memory.js";
import { parsePattern } from "./parse.js";
import { programOf } from "./program.js";
import { hasProgram } from "./states.js";

/**
 * Makes a matcher with linear time: the platform's regular expression if a short analysis shows that it is linear,
 * otherwise an automaton. For single patterns; the patterns of a document share a budget (`DocumentPatterns`).
 *
 * @param pattern a regular expression (ECMA-262 with the `u` flag, as JSON Schema asks)
 * @returns nothing if neither is linear: for some patterns with backreferences or very large counts
 * @throws SyntaxError if `pattern` is not a regular expression
 */
export function matcherOf(pattern: string): Matcher | undefined {
  const known = matchers.get(pattern);
  if (known !== undefined) return known ?? undefined;
  // If there is no automaton, a longer analysis may still show that the platform's matcher is linear.
  const matcher =
    newMatcher(pattern, new PatternBudget(littleWork)) ?? newMatcher(pattern, new PatternBudget());
  matchers.set(pattern, matcher ?? null);
  return matcher;
}

/** A number of steps that suffices for nearly all real patterns. */
const littleWork = 20_000;

/** The value is `null` for a pattern without a matcher. */
const matchers = new Memory<Matcher | null>(500);

/** The matchers of one document's patterns. Each pattern is analysed once, within the document's budget. */
export class DocumentPatterns {
  readonly matchers = new Map<string, Matcher>();
  private readonly budget: PatternBudget;

  constructor(budget: PatternBudget) {
    this.budget = budget;
  }

  /** Whether the budget is spent. */
  get isSpent(): boolean {
    return this.budget.isSpent;
  }

  /**
   * Makes a matcher as `matcherOf` does, within the budget. When the budget is spent, only automata are made.
   *
   * @returns nothing if the pattern has no safe matcher
   * @throws SyntaxError if `pattern` is not a regular expression
   */
  matcher(pattern: string): Matcher | undefined {
    let matcher = this.matchers.get(pattern);
    if (matcher) return matcher;
    matcher = newMatcher(pattern, this.budget);
    if (matcher) this.matchers.set(pattern, matcher);
    return matcher;
  }
}

function newMatcher(pattern: string, budget: PatternBudget): Matcher | undefined {
  const native = new RegExp(pattern, "u");
  if (budget.isLinear(pattern)) return native;
  const expression = parsePattern(pattern);
  if (!expression) return undefined;
  if (referredIn(expression).size > 0 && !budget.pays(pattern, mostMade)) return undefined;
  return hasProgram(expression) ? new Automaton(pattern) : undefined;
}

/** The reason why a pattern has no matcher. */
export type Refusal =
  /** A backreference to a group that may capture too many texts, in a pattern for which backtracking is slow. */
  | "backreference"
  /** The automaton would have too many states or lookarounds. */
  | "size"
  /** Syntax that the parser does not know, or groups that are nested too deeply. */
  | "syntax";

/** Returns the reason why `matcherOf` returns nothing for a pattern. */
export function refusalOf(pattern: string): Refusal {
  const expression = parsePattern(pattern);
  if (!expression) return "syntax";
  return withoutBackreferences(expression) ? "size" : "backreference";
}

/** A matcher by automaton. Builds the automaton for the first text, because it may be large. */
class Automaton implements Matcher {
  private readonly pattern: string;
  private made: LinearMatcher | undefined;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  test(text: string): boolean {
    this.made ??= new LinearMatcher(programOf(parsePattern(this.pattern)!)!);
    return this.made.test(text);
  }
}

/** Whether a matcher is an automaton instead of the platform's regular expression. */
export function isAutomaton(matcher: Matcher | undefined): boolean {
  return matcher instanceof Automaton;
}
