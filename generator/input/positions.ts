import { type ParseError, findNodeAtLocation, parseTree, printParseErrorCode } from "jsonc-parser";
import { pointerTokens } from "@mcpgen/engine";

/** Where a character offset is, counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** The first thing in `text` that is not JSON, for text that `JSON.parse` refused. */
export function firstSyntaxError(text: string): { offset: number; message: string } {
  if (text.trim() === "") return { offset: 0, message: "expected JSON, got an empty file" };
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    return { offset: 0, message: "expected JSON, got text nested too deep to read" };
  }
  const [first] = errors;
  if (first === undefined) return { offset: 0, message: "expected JSON" };
  if (text.slice(first.offset).trim() === "")
    return { offset: text.trimEnd().length, message: "expected more JSON, got the end of the file" };
  const expectation = printParseErrorCode(first.error)
    .replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();
  return {
    offset: first.offset,
    message: `expected JSON, got ${JSON.stringify(text.slice(first.offset, first.offset + 12))} (${expectation})`,
  };
}

/**
 * Where the value that `pointer` names stands in `text`; where the text does not have it, the nearest
 * value around it.
 */
export function positionOf(text: string, pointer: string): { line: number; column: number } {
  const root = parseTree(text);
  const path: (string | number)[] = [];
  let node = root;
  for (const token of pointerTokens(pointer)) {
    path.push(node?.type === "array" ? Number(token) : token);
    const next = root && findNodeAtLocation(root, path);
    if (!next) break;
    node = next;
  }
  return lineAndColumn(text, node?.offset ?? 0);
}
