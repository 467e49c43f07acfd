import type { Deprecation } from "@mcpgen/engine";
import { width } from "./layout.js";

/** Characters that reorder or hide text around them, or are not seen themselves, and odd separators of lines. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** `code` with escapes for such characters; they must all stand in string literals. */
export function escapeUnprintable(code: string): string {
  return code.replace(unprintable, escaped);
}

function escaped(character: string): string {
  // One escape for each UTF-16 code unit; some of these characters have two.
  return character.replace(/[\s\S]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/**
 * `text` as a TypeScript string literal that cannot be left and shows every character it holds: control
 * and bidirectional ones are escaped. Quotes are chosen as prettier chooses them.
 */
export function stringLiteral(text: string): string {
  const doubled = escapeUnprintable(JSON.stringify(text));
  const doubles = text.split('"').length;
  const singles = text.split("'").length;
  if (doubles <= singles) return doubled;
  return `'${doubled.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** `name` as a property key of a type: bare where that is an identifier, else a string literal. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name);
}

/** `name` as a key of an object literal, where a plain `__proto__` would set the prototype. */
export function memberKey(name: string): string {
  return name === "__proto__" ? '["__proto__"]' : propertyKey(name);
}

/** `text` fit for a comment: it cannot end the comment, and no character of it hides or reorders others. */
export function commentText(text: string): string {
  return (
    text
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      // Half a surrogate pair cannot be written in UTF-8.
      .replace(/\p{Surrogate}/gu, "\ufffd")
      .replace(unprintable, (character) => (character === "\n" || character === "\t" ? character : ""))
      .replaceAll("*/", "*\u2215")
      .replaceAll("/*", "\u2215*")
  );
}

/**
 * A documentation comment of `paragraphs` (each may hold line breaks), ending in a line break; nothing
 * where there are none. One line where it fits.
 */
export function docComment(paragraphs: readonly (string | undefined)[], indent = ""): string {
  const present = paragraphs
    .map((paragraph) => commentText(paragraph ?? "").trim())
    .filter((paragraph) => paragraph !== "");
  const lines = present.flatMap((paragraph, index) => {
    const text = paragraph.split("\n");
    // A blank line parts the description from the tags.
    const first = text[0]!.startsWith("@") && index > 0 && !present[index - 1]!.startsWith("@");
    return [...(first ? [""] : []), ...text.map((line) => line.trimEnd())];
  });
  if (lines.length === 0) return "";
  if (lines.length === 1 && indent.length + lines[0]!.length <= width - "/**  */".length)
    return `${indent}/** ${lines[0]} */\n`;
  const body = lines
    .flatMap((line) => wrapped(line, width - " * ".length - indent.length))
    .map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${body.join("\n")}\n${indent} */\n`;
}

/** The `@deprecated` line of a documentation comment. */
export function deprecationLine(deprecated: Deprecation | undefined): string | undefined {
  if (!deprecated) return undefined;
  const { since, instead } = deprecated;
  return ["@deprecated", since && `Since ${since}.`, instead].filter(Boolean).join(" ");
}

/** Breaks a line at spaces so that no piece is longer than `width` where a space allows it. */
function wrapped(line: string, width: number): string[] {
  if (line.startsWith("@see ")) return [line];
  const pieces: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      pieces.push(current);
      current = word;
    } else {
      current =
        current === "" && pieces.length === 0 && word === ""
          ? " "
          : current === ""
            ? word
            : `${current} ${word}`;
    }
  }
  pieces.push(current);
  return pieces;
}

/** Line ends stand between values as well; all else that is escaped stands in double quotes. */
export function escapedLines(text: string): string {
  return text.split("\n").map(escapeUnprintable).join("\n");
}
