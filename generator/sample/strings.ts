import { exampleOf, matcherOf } from "@mcpgen/engine";

/** A sample in each format the schemas use; formats are annotations, but samples should honour them. */
const byFormat: ReadonlyMap<string, string> = new Map([
  ["byte", "aGVsbG8="],
  ["date", "2026-07-28"],
  ["date-time", "2026-07-28T12:00:00Z"],
  ["duration", "PT1H"],
  ["email", "someone@example.com"],
  ["hostname", "example.com"],
  ["idn-email", "someone@example.com"],
  ["idn-hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["iri", "https://example.com/"],
  ["iri-reference", "/path"],
  ["json-pointer", "/path"],
  ["regex", "^[a-z]+$"],
  ["relative-json-pointer", "0/path"],
  ["time", "12:00:00Z"],
  ["uri", "https://example.com/"],
  ["uri-reference", "/path"],
  ["uri-template", "https://example.com/{id}"],
  ["uuid", "f81d4fae-7dec-41d0-8765-00a0c91e6bf6"],
]);

/** Strings that are no trouble to read but may be to handle: empty, long, controls, astral, half a pair, a number's text. */
export const oddStrings: readonly string[] = [
  "",
  " ",
  "3",
  "null",
  "__proto__",
  'quote " and \\ backslash',
  "line\nbreak\u0000\u2028",
  "🔑 naïve עברית",
  "\ud800",
  "x".repeat(300),
];

/** A string that shows its purpose: the format's sample, else the member's name. */
export function plainString(format: string | undefined, hint: string): string {
  return (format !== undefined ? byFormat.get(format) : undefined) ?? hint;
}

/**
 * `text` fitted to a length in code points. Cut and padded strings keep their beginning, so that they still show their
 * purpose.
 */
export function fitted(text: string, least: number, most: number): string {
  const points = [...text];
  if (points.length > most) return points.slice(0, most).join("");
  return points.length < least ? text + "x".repeat(least - points.length) : text;
}

const plainCandidates = "a A 1 - _ . / a1 aa AA 11 abc ABC 123 a-b a_b a.b a/b abcd 1234 12345".split(" ");

const patternCandidates = [...plainCandidates, ...byFormat.values(), ...oddStrings];

/** Some string that matches all `patterns`, or `undefined`: plain candidates are tried, and an example of each pattern. */
export function matching(patterns: readonly string[], preferred: string): string | undefined {
  const matchers = patterns.map((pattern) => matcherOf(pattern));
  const isMatching = (candidate: string | undefined): candidate is string =>
    candidate !== undefined && matchers.every((matcher) => matcher?.test(candidate));
  return [preferred, ...patternCandidates].find(isMatching) ?? patterns.map(exampleOf).find(isMatching);
}
