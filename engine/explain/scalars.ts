// The issues of strings, numbers and sizes.
import { divides, lengthOf } from "../emitted/shared-checks.js";
import type { SchemaNode } from "../ir/ir.js";
import { type Search, report } from "./search.js";
import { scalarText } from "./text.js";

export function compareString(search: Search, text: string, node: SchemaNode): void {
  const { minLength, maxLength, pattern, format } = node;
  if (minLength !== undefined || maxLength !== undefined)
    compareSize(search, lengthOf(text), "character", minLength, maxLength);
  if (pattern !== undefined && !search.subject.matcher(pattern).test(text))
    report(search, text, `a string that matches ${scalarText(pattern)}`);
  const isOfFormat = format === undefined ? undefined : search.subject.format(format);
  if (isOfFormat && !isOfFormat(text)) report(search, text, `a string of the format ${scalarText(format)}`);
}

/** The number keywords, each with its words in a message and its test. */
const numberBounds: readonly (readonly [
  keyword: "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
  words: string,
  fits: (number: number, bound: number) => boolean,
])[] = [
  ["minimum", "at least", (number, bound) => number >= bound],
  ["maximum", "at most", (number, bound) => number <= bound],
  ["exclusiveMinimum", ">", (number, bound) => number > bound],
  ["exclusiveMaximum", "<", (number, bound) => number < bound],
  ["multipleOf", "a multiple of", (number, bound) => divides(bound, number)],
];

export function compareNumber(search: Search, number: number, node: SchemaNode): void {
  for (const [keyword, words, fits] of numberBounds) {
    const bound = node[keyword];
    // NaN and infinities are not JSON numbers: they fail every bound.
    if (bound !== undefined && !(Number.isFinite(number) && fits(number, bound)))
      report(search, number, `${words} ${bound}`);
  }
}

export function compareSize(search: Search, size: number, unit: string, least = 0, most = Infinity): void {
  if (size >= least && size <= most) return;
  const bound = size < least ? `at least ${counted(least, unit)}` : `at most ${counted(most, unit)}`;
  report(search, undefined, bound, { got: String(size) });
}

function counted(count: number, unit: string): string {
  return `${count} ${count === 1 ? unit : unit.replace(/^\w+/, "$&s")}`;
}
