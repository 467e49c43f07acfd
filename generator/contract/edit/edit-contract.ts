import { type JsonObject, jsonEqual } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { ContractDocument } from "../contract.js";
import { isJsonContract, readContract } from "../read-contract.js";
import { type Edit, edited, together } from "./edit.js";
import { editText } from "./edit-text.js";
import type { Part } from "./parts.js";

/** A group of edits that are made together or not at all. */
export type EditGroup = readonly Edit[];

/**
 * Makes edits in the text of a contract, each group where it can be made: the text with it, read again, must be the contract
 * with it and nothing else. In YAML a value that several places share (`*alias`, `<<`) changes if each of them is to change.
 *
 * @param groups places are those of the document
 * @returns the contract with the edits, and the indexes of the groups that it has
 */
export async function editContract(
  document: ContractDocument,
  groups: readonly EditGroup[],
): Promise<{ readonly document: ContractDocument; readonly made: readonly number[] }> {
  const root = await partsOf(document);
  let current = document;
  let made: readonly number[] = [];
  const tried = async (indexes: readonly number[]): Promise<void> => {
    if (indexes.length === 0) return;
    const all = [...made, ...indexes].sort((a, b) => a - b);
    const next = await withEdits(document, root, together(all.flatMap((index) => groups[index]!)));
    if (next) {
      current = next;
      made = all;
    } else if (indexes.length > 1) {
      const half = indexes.length >> 1;
      await tried(indexes.slice(0, half));
      await tried(indexes.slice(half));
    }
  };
  await tried([...groups.keys()]);
  return { document: current, made };
}

async function partsOf({ text, file }: ContractDocument): Promise<Part> {
  if (isJsonContract(text, file)) return (await import("./json-parts.js")).jsonParts(text);
  return (await import("./yaml-parts.js")).yamlParts(text);
}

async function withEdits(
  { contract, file, text }: ContractDocument,
  root: Part,
  edits: readonly Edit[],
): Promise<ContractDocument | undefined> {
  const wanted = edited(contract as unknown as JsonObject, edits);
  const result = editText(text, root, isJsonContract(text, file) ? "json" : "yaml", edits);
  if (result === undefined) return undefined;
  try {
    const document = await readContract(result, file);
    return jsonEqual(document.contract as unknown as JsonObject, wanted) ? document : undefined;
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}
