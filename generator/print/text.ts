import { type Deprecation, type Schema, naturalCompare } from "@mcpgen/engine";
import { width } from "./layout.js";

/**
 * Matches characters that are invisible, or hide or reorder the text around them, and unusual line
 * separators.
 */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes such characters in `code`; all of them must be in string literals. */
export function escapeUnprintable(code: string): string {
  return code.replace(unprintable, escaped);
}

function escaped(character: string): string {
  // One escape per UTF-16 code unit; some of these characters have two.
  return character.replace(/[\s\S]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/**
 * `text` as a TypeScript string literal. Control and bidirectional characters are escaped, so that every
 * character is visible and none ends the literal. Quotes are chosen as prettier does.
 */
export function stringLiteral(text: string): string {
  const doubled = escapeUnprintable(JSON.stringify(text));
  const doubles = text.split('"').length;
  const singles = text.split("'").length;
  if (doubles <= singles) return doubled;
  return `'${doubled.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** `name` as a property key of a type: unquoted if it is an identifier, else a string literal. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name);
}

/** `name` as a key of an object literal, in which an unquoted `__proto__` would set the prototype. */
export function memberKey(name: string): string {
  return name === "__proto__" ? '["__proto__"]' : propertyKey(name);
}

/**
 * Makes `text` safe for a comment: it cannot end the comment, nor contain characters that hide or reorder
 * others.
 */
export function commentText(text: string): string {
  return (
    text
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      // A lone surrogate cannot be encoded in UTF-8.
      .replace(/\p{Surrogate}/gu, "\ufffd")
      .replace(unprintable, (character) => (character === "\n" || character === "\t" ? character : ""))
      .replaceAll("*/", "*\u2215")
      .replaceAll("/*", "\u2215*")
  );
}

/**
 * A documentation comment of `paragraphs` (which may contain line breaks), with a final line break; empty
 * without paragraphs. On one line if it fits.
 */
export function docComment(paragraphs: readonly (string | undefined)[], indent = ""): string {
  const present = paragraphs
    .map((paragraph) => commentText(paragraph ?? "").trim())
    .filter((paragraph) => paragraph !== "");
  const lines = present.flatMap((paragraph, index) => {
    const text = paragraph.split("\n");
    // A blank line separates the description from the tags.
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

/** Breaks a line at spaces so that pieces are at most `width` long if possible. */
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

/**
 * Escapes text for JSON in lines: outside of strings there are only line ends, so every other escaped
 * character is inside double quotes.
 */
export function escapedLines(text: string): string {
  return text.split("\n").map(escapeUnprintable).join("\n");
}

/** Words that cannot name a type: reserved in ECMAScript or TypeScript, or names of built-in types. */
const reserved = new Set(
  (
    "abstract any arguments as asserts async await bigint boolean break case catch class const constructor continue debugger " +
    "declare default delete do else enum eval export extends false finally for from function get if implements import in " +
    "infer instanceof interface intrinsic is keyof let module namespace never new null number object of out override " +
    "package private protected public readonly require return satisfies set static string super switch symbol this " +
    "throw true try type typeof undefined unique unknown using var void while with yield globalThis"
  ).split(" "),
);

/**
 * Assigns a TypeScript identifier to each definition: its name if that is an identifier, else its letters and
 * digits. A number distinguishes names that would be equal once capitalised (as in `isFoo`).
 *
 * @returns definition name → identifier, in the schema's order
 */
export function nameDefinitions(schema: Schema): ReadonlyMap<string, string> {
  return namesOfTypes([...schema.definitions.keys()]);
}

/** Same as `nameDefinitions` for a list of distinct names. */
export function namesOfTypes(names: readonly string[]): ReadonlyMap<string, string> {
  return distinct(names, asciiWords);
}

/** Same as `namesOfTypes` if no functions are emitted: letters of all scripts are kept. */
export function identifiersFor(names: readonly string[]): ReadonlyMap<string, string> {
  return distinct(names, unicodeWords);
}

/** @param wordsOf splits a name into the parts that an identifier may contain */
function distinct(
  names: readonly string[],
  wordsOf: (name: string) => readonly string[],
): ReadonlyMap<string, string> {
  const identifierOf = (name: string): string => identifierIn(wordsOf(name));
  const taken = new Set<string>();
  const isFree = (identifier: string): boolean => !taken.has(capitalised(identifier));
  /** The next number for each identifier, because thousands of names may want the same one. */
  const numbers = new Map<string, number>();
  const identifiers = new Map<string, string>();
  const assign = (name: string, identifier: string): void => {
    taken.add(capitalised(identifier));
    identifiers.set(name, identifier);
  };
  // Names that need no change come first, so that no derived name takes theirs.
  const order = [...names].sort(
    (a, b) => Number(identifierOf(a) !== a) - Number(identifierOf(b) !== b) || naturalCompare(a, b),
  );
  for (const name of order) {
    if (identifierOf(name) === name && isFree(name)) assign(name, name);
  }
  for (const name of order) {
    if (identifiers.has(name)) continue;
    const wanted = identifierOf(name);
    let number = numbers.get(capitalised(wanted)) ?? 2;
    let identifier = wanted;
    for (; !isFree(identifier); number++) identifier = `${wanted}${number}`;
    numbers.set(capitalised(wanted), number);
    assign(name, identifier);
  }
  return new Map(names.map((name) => [name, identifiers.get(name)!]));
}

/** Only ASCII identifiers are supported by the analysis of validator code. */
function asciiWords(name: string): readonly string[] {
  return name.match(/[A-Za-z0-9_$]+/g) ?? [];
}

function unicodeWords(name: string): readonly string[] {
  return name.match(/(?:(?!\p{Default_Ignorable_Code_Point})[\p{ID_Continue}$])+/gu) ?? [];
}

function identifierIn(words: readonly string[]): string {
  const joined =
    words.map((word, index) => (index === 0 ? word : capitalised(word))).join("") || "Definition";
  const started = /^[\p{ID_Start}$_]/u.test(joined) ? joined : `_${joined}`;
  return reserved.has(started) || started === "__proto__" ? `${started}_` : started;
}

/** `identifier` with its first letter in upper case. */
export function capitalised(identifier: string): string {
  return identifier.slice(0, 1).toUpperCase() + identifier.slice(1);
}

/** The letters and digits of `text` as one word in camel case. */
export function joinedWords(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const [first = "value", ...others] = words;
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const joined = first.charAt(0).toLowerCase() + first.slice(1) + others.map(capital).join("");
  return /^\d/.test(joined) ? `_${joined}` : joined;
}

/** Whether npm allows a name for a new package; more on docs.npmjs.com, package.json, name. */
export function isNpmName(name: string): boolean {
  return /^(?:@[a-z\d~-][a-z\d._~-]*\/)?[a-z\d~-][a-z\d._~-]*$/.test(name) && name.length <= 214;
}
