import { extname } from "node:path";
import { type JsonObject, type JsonValue, pointer } from "@mcpgen/engine";
import { CodedError, type Place } from "../diagnostics/coded-error.js";
import { parseJson } from "../input/json-file.js";
import { positionsIn } from "../input/position-index.js";
import { decodeText, readBytes } from "../input/text-file.js";
import type { Contract, ContractDocument } from "./contract.js";
import { contractFault } from "./fault.js";

/** A document's value, and where its parts stand. */
interface Parsed {
  readonly value: JsonValue;
  readonly place: (pointer: string) => Place;
}

/**
 * Reads a contract file.
 *
 * @param path where it is
 * @param file what errors call it
 * @throws CodedError MG10xx for a file that cannot be read, and as `readContract`
 */
export async function loadContract(path: string, file = path): Promise<ContractDocument> {
  return readContract(decodeText(await readBytes(path), file), file);
}

/**
 * The contract that `text` is: JSON where the file's name or the first character says so, else YAML 1.2.
 *
 * @param file what errors call it
 * @throws CodedError MG1002, MG1009 for JSON and MG6001 for YAML that cannot be read; MG6002 for a key that means
 *   nothing, MG6003 for a value of another type, MG6004 for a name that stands twice
 */
export async function readContract(text: string, file: string): Promise<ContractDocument> {
  const isJson = extname(file) === ".json" || /^\s*\{/.test(text);
  const { value, place } = isJson ? await readJson(text, file) : await readYaml(text, file);
  const fault = contractFault(value);
  if (fault)
    throw new CodedError(fault.code, fault.message, { place: place(fault.pointer), next: fault.next });
  const { $schema: _, ...contract } = value as JsonObject;
  refuseTwins(contract as unknown as Contract, place);
  return { contract: contract as unknown as Contract, file, text, place };
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

/** Each list tells its entries apart by one member. */
const keys = { tools: "name", resources: "uri", resourceTemplates: "uriTemplate", prompts: "name" } as const;

function refuseTwins(contract: Contract, place: Parsed["place"]): void {
  for (const [list, key] of Object.entries(keys)) {
    const entries = contract[list as keyof typeof keys] ?? [];
    refuseTwinsIn(entries as unknown as readonly JsonObject[], key, pointer("", list), place);
  }
  for (const [index, prompt] of (contract.prompts ?? []).entries()) {
    const at = `/prompts/${index}/arguments`;
    refuseTwinsIn((prompt.arguments ?? []) as unknown as readonly JsonObject[], "name", at, place);
  }
}

function refuseTwinsIn(
  entries: readonly JsonObject[],
  key: string,
  at: string,
  place: Parsed["place"],
): void {
  const seen = new Map<JsonValue, number>();
  for (const [index, entry] of entries.entries()) {
    const name = entry[key]!;
    const first = seen.get(name);
    if (first !== undefined) {
      const { line } = place(`${at}/${first}/${key}`);
      throw new CodedError(
        "MG6004",
        `the ${key} ${JSON.stringify(name)} stands twice, first in line ${line ?? "?"}`,
        { place: place(`${at}/${index}/${key}`), next: "Give one of them another one, or remove it." },
      );
    }
    seen.set(name, index);
  }
}
