import type { Scalar } from "@mcpgen/engine";
import { type Layout, hardline, indent, join, width } from "../../../print/layout.js";
import { literal } from "./shape.js";

/**
 * Maximum number of values compared one by one. More are looked up in a set, because neither readers nor
 * TypeScript follow so many comparisons.
 */
export const mostCompared = 200;

/** Columns available for values between the indentation and the final comma. */
const room = width - "  ,".length;

/** The expression for a set of many values, as it follows `=`. */
export function setLiteral(values: readonly Scalar[]): Layout {
  const texts = values.map(literal);
  const lines = values.every((value) => typeof value === "number") ? filled(texts) : texts;
  return [" new Set<unknown>([", indent(hardline, join([",", hardline], lines), ","), hardline, "])"];
}

/** Several numbers per line, as prettier lays them out. */
function filled(texts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 2 + text.length <= room)
      lines[lines.length - 1] = `${last}, ${text}`;
    else lines.push(text);
  }
  return lines;
}
