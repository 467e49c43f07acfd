import type { Schema } from "@mcpgen/engine";
import { type Layout, group, indent, line } from "../../print/layout.js";
import { stringLiteral } from "../../print/text.js";
import { isHazardous } from "../texts/modules.js";

/**
 * `pattern` as a regular expression, or a matcher in its place where that may take too long; characters that string literals escape are escaped here too.
 */
export function patternLiteral(pattern: string, patterns: Schema["patterns"]): Layout {
  if (isHazardous(pattern, patterns)) return ` textPatterns.linearMatcher(${stringLiteral(pattern)})`;
  const source = new RegExp(pattern, "u").source.replace(/[^ -~]/gu, (character) =>
    stringLiteral(character) === `"${character}"` ? character : escaped(character),
  );
  return group(indent(line, `/${source}/u`));
}

/** Two escapes in a row are one character, as the flag `u` reads them. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
