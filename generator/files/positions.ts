import { type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { pointerTokens } from "@mcpgen/engine";

/** The line and column of a character offset, counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** The first thing in `text` that is not JSON, for text that `JSON.parse` refused with `cause`. */
export function firstSyntaxError(text: string, cause: unknown): { offset: number; message: string } {
  if (text.trim() === "") return { offset: 0, message: "expected JSON, got an empty file" };
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // Nested too deep for a tree. JSON.parse takes any depth, and its errors mostly name the offset.
    if (String(cause).includes("end of JSON")) return endOfFile(text);
    const said = /at position (\d+)/.exec(String(cause))?.[1];
    return { offset: Number(said ?? 0), message: "expected JSON, got something else inside deep nesting" };
  }
  const [first] = errors;
  if (first === undefined) return { offset: 0, message: "expected JSON" };
  if (text.slice(first.offset).trim() === "") return endOfFile(text);
  const expectation = printParseErrorCode(first.error)
    .replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();
  return {
    offset: first.offset,
    message: `expected JSON, got ${JSON.stringify(text.slice(first.offset, first.offset + 12))} (${expectation})`,
  };
}

function endOfFile(text: string): { offset: number; message: string } {
  return { offset: text.trimEnd().length, message: "expected more JSON, got the end of the file" };
}

/**
 * The position in `text` of the value that `pointer` names; of the nearest value around it, if the text does not have
 * it.
 */
export function positionOf(text: string, pointer: string): { line: number; column: number } {
  return lineAndColumn(text, offsetOf(text, pointerTokens(pointer)));
}

/** The tokens of JSON text: strings, signs, and all else between them. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Token by token, without a tree: the text, which is JSON, may be nested as deep as it likes. */
function offsetOf(text: string, path: readonly string[]): number {
  let nearest = 0;
  /** How much of the path leads to the container that is being looked through, and how deep we are. */
  let matched = -1;
  let depth = 0;
  /** The key of the next value in that container: items are counted; a member's key is not read yet. */
  let name: string | number | undefined;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const direct = depth === matched + 1;
    if (token === "}" || token === "]") {
      if (direct) return nearest;
      depth--;
    } else if (token === ",") {
      if (direct) name = typeof name === "number" ? name + 1 : undefined;
    } else if (direct && matched >= 0 && name === undefined) {
      name = JSON.parse(token) as string;
    } else if (token !== ":") {
      const opens = token === "{" || token === "[";
      if (direct && (matched < 0 || String(name) === path[matched])) {
        nearest = index;
        if (++matched === path.length || !opens) return nearest;
        name = token === "[" ? 0 : undefined;
      }
      if (opens) depth++;
    }
  }
  return nearest;
}
