import type { Exchange } from "./exchange.js";
import {
  type ParamHeader,
  decodeHeaderValue,
  paramHeadersOf,
  valueAt,
} from "../../protocol/param-headers.js";

/** What is wrong with the headers that mirror the arguments of a tool, by its schema (2026-07-28, custom headers). */
export function argumentProblem(exchange: Exchange, inputSchema: object, args: unknown): string | undefined {
  return paramProblem(exchange, paramHeadersOf(inputSchema).headers, args);
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A decimal number in one spelling for each value, exact where a float would be rounded; nothing if it is none. */
function canonical(text: string): string | undefined {
  const [, sign, whole = "", fraction = "", power = 0] = decimal.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const all = whole + fraction;
  let end = all.length;
  while (all[end - 1] === "0") end--;
  const digits = all.slice(0, end).replace(/^0+/, "");
  return digits === "" ? "0" : `${sign}${digits}e${Number(power) + whole.length - end}`;
}

/** Whether a header has this number: 42.0 and 42 are one. */
function isNumber(value: string, expected: number): boolean {
  const text = String(expected);
  return value === text || (canonical(value) ?? "none") === canonical(text);
}

/** What is wrong with the headers that mirror a tool's arguments. */
export function paramProblem(
  exchange: Exchange,
  headers: readonly ParamHeader[],
  args: unknown,
): string | undefined {
  for (const { header, name, path, type } of headers) {
    const raw = exchange.header(header)?.trim();
    const expected = valueAt(args, path);
    if (expected === undefined) {
      if (raw !== undefined) return `${name} is there, and the body has no such argument`;
      continue;
    }
    if (raw === undefined) return `${name} is missing`;
    const value = decodeHeaderValue(raw);
    if (value === undefined) return `${name} is malformed`;
    const same =
      type === "integer" && typeof expected === "number"
        ? isNumber(value, expected)
        : value === String(expected);
    if (!same) return `${name} is ${JSON.stringify(value)}, and the body has ${JSON.stringify(expected)}`;
  }
  return undefined;
}
