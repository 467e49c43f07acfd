import { type JsonValue, pointerTokens } from "@mcpgen/engine";
import { LineCounter, type Document, isScalar, parseAllDocuments } from "yaml";
import { CodedError, type Place } from "../diagnostics/coded-error.js";
import { nodeAt } from "./yaml-node.js";
import { NotJson, aliasesOf, yamlValue } from "./yaml-value.js";

/** A YAML document as JSON, and where its parts stand. */
interface YamlDocument {
  readonly value: JsonValue;
  /** The position of the value at a JSON Pointer; of the nearest value around it, if there is none. */
  readonly place: (pointer: string) => Place;
  /** The number, truth value or text at a JSON Pointer as it is written: `1.0`. */
  readonly written: (pointer: string) => string | undefined;
}

/**
 * Reads YAML 1.2, with the merge keys of YAML 1.1.
 *
 * @throws CodedError MG6001 for text that is not one YAML document, or holds what JSON has no word for
 */
export function parseYaml(text: string, file: string): YamlDocument {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  return guarded(file, at, () => {
    const document = onlyDocument(text, file, lines, at);
    const resolve = aliasesOf(document);
    const found = (pointer: string) => nodeAt(document, pointerTokens(pointer), resolve);
    return {
      value: yamlValue(document, resolve),
      place: (pointer) => ({ ...at(found(pointer).offset), pointer }),
      written: (pointer) => {
        const { node, exact } = found(pointer);
        return exact && isScalar(node) ? node.source : undefined;
      },
    };
  });
}

function onlyDocument(
  text: string,
  file: string,
  lineCounter: LineCounter,
  at: (offset: number) => Place,
): Document {
  // The walk reports duplicate keys, in time linear in the text.
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (!document) throw yamlError("expected a contract, got an empty file", { file, line: 1, column: 1 });
  const [error] = document.errors;
  if (error) throw yamlError(said(error.message), at(error.pos[0]), error);
  if (second) throw yamlError("expected one document, got another after `---`", at(second.range?.[0] ?? 0));
  return document;
}

/** The library's message in the words of ours. */
function said(message: string): string {
  const first = message.split("\n")[0]!.replace(/[.:]$/, "");
  return `expected YAML: ${first.slice(0, 1).toLowerCase()}${first.slice(1)}`;
}

function guarded<T>(file: string, at: (offset: number) => Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotJson) {
      const offset = error.node?.range?.[0];
      throw yamlError(error.message, offset === undefined ? { file } : at(offset), error);
    }
    if (error instanceof RangeError) throw yamlError("it is nested too deeply", { file }, error);
    throw error;
  }
}

function yamlError(message: string, place: Place, cause?: unknown): CodedError {
  return new CodedError("MG6001", message, {
    place,
    next: "Correct the file; it may also be JSON.",
    ...(cause !== undefined && { cause }),
  });
}
