// The issues of strings, numbers and sizes.
import { type Search, matcherOf, report } from "./report.js";
import type { Shape } from "./shape.js";
import { scalarText } from "./text.js";

export function describeString(
  search: Search,
  text: string,
  { minLength, maxLength, pattern, format }: Shape,
): void {
  if (minLength !== undefined || maxLength !== undefined) {
    describeSize(search, lengthOf(text), "character", minLength, maxLength);
  }
  if (pattern !== undefined && !matcherOf(search, pattern).test(text)) {
    report(search, text, `a string that matches ${scalarText(pattern)}`);
  }
  if (format !== undefined && !search.texts.formats?.get(format)?.(text)) {
    report(search, text, `a string of the format ${scalarText(format)}`);
  }
}

/** The length in code points, without an array of them. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

export function describeNumber(
  search: Search,
  number: number,
  shape: Shape,
): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } =
    shape;
  const bounds: readonly (readonly [
    bound: number | undefined,
    holds: (bound: number) => boolean,
    text: string,
  ])[] = [
    [minimum, (bound) => number >= bound, "at least"],
    [maximum, (bound) => number <= bound, "at most"],
    [exclusiveMinimum, (bound) => number > bound, ">"],
    [exclusiveMaximum, (bound) => number < bound, "<"],
    [multipleOf, (bound) => divides(bound, number), "a multiple of"],
  ];
  for (const [bound, holds, text] of bounds) {
    // NaN and infinities are not JSON numbers, and fail every bound.
    if (bound === undefined || (Number.isFinite(number) && holds(bound)))
      continue;
    report(search, number, `${text} ${bound}`);
  }
}

/** Whether a number is a multiple of a step, both taken as the decimals that they are written as. */
function divides(step: number, value: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step))
    return value % step === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, places] = decimalOf(value);
  const [stepDigits, stepPlaces] = decimalOf(step);
  const most = Math.max(places, stepPlaces);
  const whole = stepDigits * 10n ** BigInt(most - stepPlaces);
  return (digits * 10n ** BigInt(most - places)) % whole === 0n;
}

/** All digits of a number, and how many of them stand behind the point. */
function decimalOf(value: number): [digits: bigint, places: number] {
  const [written = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = written.split(".");
  return [BigInt(whole + fraction), fraction.length - Number(exponent)];
}

export function describeSize(
  search: Search,
  size: number,
  unit: string,
  least = 0,
  most = Infinity,
): void {
  if (size >= least && size <= most) return;
  const bound =
    size < least
      ? `at least ${counted(least, unit)}`
      : `at most ${counted(most, unit)}`;
  report(search, undefined, bound, { got: String(size) });
}

function counted(count: number, unit: string): string {
  return `${count} ${count === 1 ? unit : unit.replace(/^\w+/, "$&s")}`;
}
