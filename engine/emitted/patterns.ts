// Matches patterns that the regular expressions of the platform may take time without bound for.
import { LinearMatcher } from "../patterns/linear-matcher.js";
import { parsePattern } from "../patterns/parse.js";
import { programOf } from "../patterns/program.js";

/** A matcher of `pattern` whose time grows with the length of the text; it is made for the first text. */
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
