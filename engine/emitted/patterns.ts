// Matches patterns for which the platform's regular expressions could take exponential time.
import { LinearMatcher } from "../patterns/linear-matcher.js";
import { parsePattern } from "../patterns/parse.js";
import { programOf } from "../patterns/program.js";

/** Returns a matcher of `pattern` in time linear in the length of the text. Builds it for the first text. */
export function linearMatcher(pattern: string): {
  test(text: string): boolean;
} {
  let matcher: LinearMatcher | RegExp | undefined;
  return { test: (text) => (matcher ??= matcherOf(pattern)).test(text) };
}

function matcherOf(pattern: string): LinearMatcher | RegExp {
  const expression = parsePattern(pattern);
  const program = expression && programOf(expression);
  return program ? new LinearMatcher(program) : new RegExp(pattern, "u");
}
