import type { Exchange } from "./exchange.js";
import { type ParamHeader, decodeHeaderValue, paramHeadersOf } from "../../protocol/param-headers.js";
import { valueAt } from "../../jsonrpc/message.js";

/**
 * Compares the headers that mirror a tool's arguments with the body (2026-07-28, custom headers). Returns the first
 * problem.
 */
export function argumentProblem(exchange: Exchange, inputSchema: object, args: unknown): string | undefined {
  return paramProblem(exchange, paramHeadersOf(inputSchema).headers, args);
}

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The canonical spelling of a decimal number, without rounding; `undefined` if the text is not a number. */
function canonical(text: string): string | undefined {
  const [, sign, whole = "", fraction = "", power = 0] = decimal.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const all = whole + fraction;
  let end = all.length;
  while (all[end - 1] === "0") end--;
  const digits = all.slice(0, end).replace(/^0+/, "");
  return digits === "" ? "0" : `${sign}${digits}e${Number(power) + whole.length - end}`;
}

/** Whether a header holds this number: 42.0 equals 42. */
function isNumber(value: string, expected: number): boolean {
  const text = String(expected);
  return value === text || (canonical(value) ?? "none") === canonical(text);
}

/** Compares mirrored headers with arguments. Returns the first problem. */
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
