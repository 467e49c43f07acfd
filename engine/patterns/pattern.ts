import type { Matcher } from "../ir/ir.js";
import { PatternBudget } from "./budget.js";
import { mostMade, referredIn, withoutBackreferences } from "./captures.js";
import { LinearMatcher } from "./linear-matcher.js";
import { Memory } from "./memory.js";
import { parsePattern } from "./parse.js";
import { programOf } from "./program.js";
import { hasProgram } from "./states.js";

/**
 * A matcher whose time grows with the length of every text: the regular expression of the
 * platform where little work shows that this is so, else an automaton. For a pattern that stands in no document:
 * those of a document share a budget (`DocumentPatterns`).
 *
 * @param pattern a regular expression (ECMA-262 with the `u` flag, as JSON Schema asks)
 * @returns nothing where neither can be promised: some patterns with backreferences, and ones with very large counts
 * @throws SyntaxError where it is no regular expression
 */
export function matcherOf(pattern: string): Matcher | undefined {
  const known = matchers.get(pattern);
  if (known !== undefined) return known ?? undefined;
  // What no automaton stands for is worth the work of a document.
  const matcher =
    newMatcher(pattern, new PatternBudget(littleWork)) ?? newMatcher(pattern, new PatternBudget());
  matchers.set(pattern, matcher ?? null);
  return matcher;
}

/** Steps; nearly all patterns that people write take fewer. */
const littleWork = 20_000;

/** `null` where there is none. */
const matchers = new Memory<Matcher | null>(500);

/** The matchers of one document's patterns: each pattern is judged once, within the budget of the document. */
export class DocumentPatterns {
  readonly matchers = new Map<string, Matcher>();
  private readonly budget: PatternBudget;

  constructor(budget: PatternBudget) {
    this.budget = budget;
  }

  /** Whether no more patterns are judged. */
  get isSpent(): boolean {
    return this.budget.isSpent;
  }

  /**
   * A matcher as `matcherOf` makes it. After the budget is spent it is an automaton, or nothing where none stands
   * for the pattern.
   *
   * @throws SyntaxError where `pattern` is no regular expression
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

/** Why a pattern has no matcher. */
export type Refusal =
  /** A backreference to a group that may capture too many texts, in a pattern that backtracking is slow for. */
  | "backreference"
  /** More states than an automaton may have, or more lookaround. */
  | "size"
  /** Syntax that the parser does not know, or groups that are nested too deep. */
  | "syntax";

/** Why `matcherOf` returns nothing for a pattern. */
export function refusalOf(pattern: string): Refusal {
  const expression = parsePattern(pattern);
  if (!expression) return "syntax";
  return withoutBackreferences(expression) ? "size" : "backreference";
}

/** The automaton of a pattern that has one, made for the first text: it may be large. */
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

/** Whether a matcher is an automaton, and not the platform's. */
export function isAutomaton(matcher: Matcher | undefined): boolean {
  return matcher instanceof Automaton;
}
