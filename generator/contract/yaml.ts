import { type JsonValue, pointerTokens } from "@mcpgen/engine";
import { LineCounter, type Document, isMap, isNode, isScalar, isSeq, parseAllDocuments } from "yaml";
import { CodedError, type Place } from "../diagnostics/coded-error.js";

/** More aliases of one anchor than people write: a small file could stand for an enormous value. */
const mostAliases = 100;

/**
 * The JSON value that YAML 1.2 stands for, and where its parts stand.
 *
 * @throws CodedError MG6001 for text that is not one YAML document, or holds what JSON has no word for
 */
export function parseYaml(
  text: string,
  file: string,
): { readonly value: JsonValue; readonly place: (pointer: string) => Place } {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = guarded(file, () => onlyDocument(text, file, lines, at));
  const value = guarded(file, () => jsonOf(document));
  return {
    value,
    place: (pointer) => ({ ...at(offsetOf(document, pointerTokens(pointer))), pointer }),
  };
}

function onlyDocument(
  text: string,
  file: string,
  lineCounter: LineCounter,
  at: (offset: number) => Place,
): Document {
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (!document) throw refused("expected a contract, got an empty file", { file, line: 1, column: 1 });
  const [error] = document.errors;
  if (error) throw refused(said(error.message), at(error.pos[0]), error);
  if (second) throw refused("expected one document, got another after `---`", at(second.range?.[0] ?? 0));
  return document;
}

/** The library's message in the words of ours. */
function said(message: string): string {
  const first = message.split("\n")[0]!.replace(/[.:]$/, "");
  if (first === "Map keys must be unique") return "a key stands twice in one mapping";
  return `expected YAML: ${first.slice(0, 1).toLowerCase()}${first.slice(1)}`;
}

/** Through text, so that what aliases share is no longer shared, and a value that holds itself is found out. */
function jsonOf(document: Document): JsonValue {
  const value: unknown = document.toJS({ maxAliasCount: mostAliases });
  const text = JSON.stringify(value ?? null, (key, member: unknown) => {
    if (typeof member === "number" && !Number.isFinite(member))
      throw new NotJson(`${JSON.stringify(key)} is ${member}, which JSON has no word for`);
    if (typeof member === "bigint" || ArrayBuffer.isView(member))
      throw new NotJson(`${JSON.stringify(key)} holds what JSON has no word for`);
    return member;
  });
  return JSON.parse(text) as JsonValue;
}

class NotJson extends Error {}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodedError) throw error;
    const problem =
      error instanceof NotJson
        ? error.message
        : error instanceof ReferenceError
          ? "its aliases stand for too much, or for nothing"
          : error instanceof RangeError
            ? "it is nested too deep"
            : error instanceof TypeError
              ? "an alias stands inside of what it stands for"
              : undefined;
    if (problem === undefined) throw error;
    throw refused(problem, { file }, error);
  }
}

function refused(message: string, place: Place, cause?: unknown): CodedError {
  return new CodedError("MG6001", message, {
    place,
    next: "Correct the file; JSON is taken, too.",
    ...(cause !== undefined && { cause }),
  });
}

/** Offset of the value that a path leads to, or of the nearest around it; of a missing value, its key. */
function offsetOf(document: Document, path: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const token of path) {
    const next = memberOf(document, node, token);
    if (next === undefined) return offset;
    node = next.node;
    if (isNode(node) && node.range) offset = node.range[0];
  }
  return offset;
}

function memberOf(document: Document, node: unknown, token: string): { readonly node: unknown } | undefined {
  const inner = isNode(node) && "resolve" in node ? node.resolve(document) : node;
  if (isSeq(inner))
    return Number(token) < inner.items.length ? { node: inner.items[Number(token)] } : undefined;
  if (!isMap(inner)) return undefined;
  const pair = inner.items.find(({ key }) => String(isScalar(key) ? key.value : key) === token);
  return pair && { node: isNode(pair.value) ? pair.value : pair.key };
}
