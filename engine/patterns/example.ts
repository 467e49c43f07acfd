import type { CharacterSet } from "./character-set.js";
import { type Expression, parsePattern } from "./parse.js";

/** Maximum length of an example. */
const mostCharacters = 1000;

/**
 * Makes a short text that a pattern probably matches. Ignores assertions, so the caller must test the text.
 *
 * @returns nothing for syntax that the parser does not know, and if the text would be long
 */
export function exampleOf(pattern: string): string | undefined {
  const expression = parsePattern(pattern);
  return expression && textOf(expression, []);
}

/** @param captured the texts captured so far, by group number */
function textOf(expression: Expression, captured: (string | undefined)[]): string | undefined {
  switch (expression.kind) {
    case "atom":
      return characterOf(expression.source, expression.set);
    case "sequence":
      return joined(expression.parts.map((part) => textOf(part, captured)));
    case "choice":
      return expression.arms.map((arm) => textOf(arm, captured)).find((text) => text !== undefined);
    case "repeat":
      return expression.min > mostCharacters
        ? undefined
        : repeated(textOf(expression.part, captured), expression.min);
    case "boundary":
    case "look":
      return "";
    case "group":
      return (captured[expression.number] = textOf(expression.part, captured));
    case "backreference":
      return captured[expression.number] ?? "";
  }
}

function repeated(text: string | undefined, count: number): string | undefined {
  return text === undefined ? undefined : joined(Array.from({ length: count }, () => text));
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  if (!texts.every((text) => text !== undefined)) return undefined;
  const text = texts.join("");
  return text.length > mostCharacters ? undefined : text;
}

/** A code point that an atom matches; a readable one if possible. */
function characterOf(source: string, set: CharacterSet): string | undefined {
  const matcher = new RegExp(`^(?:${source})$`, "u");
  const ends = set.map(([first]) => String.fromCodePoint(first));
  return ["a", "0", "A", "-", ".", " ", ...ends].find((character) => matcher.test(character));
}
