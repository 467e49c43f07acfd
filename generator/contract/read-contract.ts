import { extname } from "node:path";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Place } from "../diagnostics/coded-error.js";
import { errorOfFaults } from "../files/file-form.js";
import { parseJson, positionsIn } from "../files/json-file.js";
import { readRegularFile, decodeText } from "../files/regular-file.js";
import type { Contract, ContractDocument } from "./contract.js";
import { contractFaults } from "./fault.js";
import { shownJson } from "../print/terminal-text.js";

/** A document's value, and where its parts stand. */
interface Parsed {
  readonly value: JsonValue;
  readonly place: (pointer: string) => Place;
  /** A number or a truth value as it is written, where that may be another text than ours. */
  readonly written?: (pointer: string) => string | undefined;
}

/**
 * Reads a contract file.
 *
 * @param path where it is
 * @param file what errors call it
 * @throws CodedError MG10xx for a file that cannot be read, and as `readContract`
 */
export async function loadContract(path: string, file = path): Promise<ContractDocument> {
  return readContract(decodeText(readRegularFile(path), file), file);
}

/**
 * The contract that `text` is: JSON where the file's name or the first character says so, else YAML 1.2.
 *
 * @param file what errors call it
 * @throws CodedError MG1002, MG1009 for JSON and MG6001 for YAML that cannot be read; MG6002 for a key that means
 *   nothing, MG6003 for a value of another type, MG6004 for a name that stands twice; with all that are wrong
 */
export async function readContract(text: string, file: string): Promise<ContractDocument> {
  const parsed = isJsonContract(text, file) ? await readJson(text, file) : await readYaml(text, file);
  refuseFaults(parsed);
  const { value, place } = parsed;
  const { $schema: _, ...contract } = value as JsonObject;
  return { contract: contract as unknown as Contract, file, text, place };
}

/** Whether the text is read as JSON, not as YAML. */
export function isJsonContract(text: string, file: string): boolean {
  return extname(file) === ".json" || /^\s*\{/.test(text);
}

async function readJson(text: string, file: string): Promise<Parsed> {
  const { value } = await parseJson(text, file);
  const position = positionsIn(text);
  return { value, place: (at) => ({ file, pointer: at, ...position(at) }) };
}

/** The parser is loaded for YAML only. */
async function readYaml(text: string, file: string): Promise<Parsed> {
  const { parseYaml } = await import("./yaml.js");
  return parseYaml(text, file);
}

function refuseFaults({ value, place, written }: Parsed): void {
  const faults = contractFaults(value).map((fault) => {
    const { message, next, first, lacksQuotes } = fault;
    const text = lacksQuotes ? written?.(fault.pointer) : undefined;
    return {
      ...fault,
      message: first === undefined ? message : `${message}, first in line ${place(first).line ?? "?"}`,
      next: text === undefined ? next : `Put it in quotes: ${JSON.stringify(text)}.`,
    };
  });
  const error = errorOfFaults(faults, place);
  if (error) throw error;
}

/**
 * A contract as the text of a file: JSON where the file's name ends so, else YAML. Keys keep their order; what does
 * not show, reorders text or commands a CI runner is escaped, so that a reader sees all there is.
 */
export async function contractText(contract: Contract, file: string): Promise<string> {
  if (extname(file) === ".json") return `${shownJson(contract)}\n`;
  const { stringifyYaml } = await import("./yaml.js");
  return stringifyYaml(contract);
}

/** Reads the contract file at an absolute path; the second argument is its name in errors. As `loadContract`. */
export type LoadContract = (path: string, file: string) => Promise<ContractDocument>;

/**
 * A `LoadContract` that reads each file once, so that all steps of a run work on the same text: an editor may save the
 * file between two of them.
 */
export function readOnce(load: LoadContract = loadContract): LoadContract {
  const documents = new Map<string, Promise<ContractDocument>>();
  return (path, file) => {
    const known = documents.get(path);
    if (known) return known;
    const document = load(path, file);
    documents.set(path, document);
    return document;
  };
}
