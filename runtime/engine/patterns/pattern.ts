import { hazardOf } from "./hazard.js";
import { LinearMatcher } from "./linear-matcher.js";
import { parsePattern } from "./parse.js";
import { programOf } from "./program.js";

/** Something that says whether a pattern matches somewhere in a text. */
export interface Matcher {
  test(text: string): boolean;
}

/**
 * A matcher whose time grows with the length of the text, whatever the text: the regular expression of the
 * platform where that is so, else an automaton.
 *
 * @param pattern a regular expression (ECMA-262 with the `u` flag, as JSON Schema asks)
 * @returns nothing where neither can be promised: some patterns with lookaround or backreferences, and ones with
 *   very large counts
 * @throws SyntaxError where it is no regular expression
 */
export function matcherOf(pattern: string): Matcher | undefined {
  if (!remembered.has(pattern)) {
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(pattern, newMatcher(pattern));
  }
  return remembered.get(pattern);
}

/** Schemas say the same patterns over and over, and are read more than once. */
const remembered = new Map<string, Matcher | undefined>();
const mostRemembered = 500;

function newMatcher(pattern: string): Matcher | undefined {
  const native = new RegExp(pattern, "u");
  if (hazardOf(pattern) === "none") return native;
  const expression = parsePattern(pattern);
  const program = expression && programOf(expression);
  return program && new LinearMatcher(program);
}
