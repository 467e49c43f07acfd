import { extname } from "node:path";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { Place } from "../diagnostics/coded-error.js";
import { errorOfFaults } from "../files/file-form.js";
import { parseJson, positionsIn } from "../files/json-file.js";
import { readRegularFile, decodeText } from "../files/regular-file.js";
import type { Contract, ContractDocument } from "./contract.js";
import { contractFaults } from "./fault.js";
import { shownJson } from "../print/terminal-text.js";

/** A parsed document, with the positions of its parts. */
interface Parsed {
  readonly value: JsonValue;
  readonly place: (pointer: string) => Place;
  /** The text of a number or boolean as written, if it may differ from its normal form. */
  readonly written?: (pointer: string) => string | undefined;
}

/**
 * Reads a contract file.
 *
 * @param path path of the file
 * @param file name of the file in errors
 * @throws CodedError MG10xx for a file that cannot be read, and those of `readContract`
 */
export async function loadContract(path: string, file = path): Promise<ContractDocument> {
  return readContract(decodeText(readRegularFile(path), file), file);
}

/**
 * Parses a contract: JSON if the file's name or the first character indicates it, else YAML 1.2.
 *
 * @param file name of the file in errors
 * @throws CodedError MG1002, MG1009 for JSON and MG6001 for YAML that cannot be read; MG6002 for an unknown
 * key, MG6003 for a value of the wrong type, MG6004 for a duplicate name; with all faults
 */
export async function readContract(text: string, file: string): Promise<ContractDocument> {
  const parsed = isJsonContract(text, file) ? await readJson(text, file) : await readYaml(text, file);
  refuseFaults(parsed);
  const { value, place } = parsed;
  const { $schema: _, ...contract } = value as JsonObject;
  return { contract: contract as unknown as Contract, file, text, place };
}

/** Whether the text is JSON rather than YAML. */
export function isJsonContract(text: string, file: string): boolean {
  return extname(file) === ".json" || /^\s*\{/.test(text);
}

async function readJson(text: string, file: string): Promise<Parsed> {
  const { value } = await parseJson(text, file);
  const position = positionsIn(text);
  return { value, place: (at) => ({ file, pointer: at, ...position(at) }) };
}

/** Loads the parser only for YAML. */
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
 * The text of a contract file: JSON if the file's name ends in .json, else YAML. Keeps the key order. Escapes
 * characters that are invisible, reorder text, or form commands for CI runners, so that readers see
 * everything.
 */
export async function contractText(contract: Contract, file: string): Promise<string> {
  if (extname(file) === ".json") return `${shownJson(contract)}\n`;
  const { stringifyYaml } = await import("./yaml.js");
  return stringifyYaml(contract);
}

/**
 * Reads the contract file at an absolute path; the second argument is its name in errors. See `loadContract`.
 */
export type LoadContract = (path: string, file: string) => Promise<ContractDocument>;

/**
 * A `LoadContract` that reads each file once, so that all steps of a run use the same text even if an editor
 * saves the file in between.
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
