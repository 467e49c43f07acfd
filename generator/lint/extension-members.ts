import { type JsonObject, type JsonValue, atPointer, pointer, pointerTokens } from "@mcpgen/engine";
import type { Contract } from "../contract/contract.js";
import { contractCodes, faultsWithSlips } from "../contract/fault.js";
import { Form, correctionOf } from "../files/file-form.js";
import type { ExtensionModel, MemberRule } from "../model/extension-model.js";

/** A fault of a member that an extension adds to entries of a contract. */
export interface MemberProblem {
  readonly kind: "wrong" | "unknown-key" | "undeclared";
  /** The entry in messages, e.g. `tool "clock"`. */
  readonly entry: string;
  /** Number of other entries with the same fault. */
  readonly others: number;
  /** JSON Pointer into the contract. */
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
}

/** The lists of a contract, with the protocol's definition of their entries, and the noun for messages. */
const lists = [
  { list: "tools", definition: "Tool", called: "tool" },
  { list: "resources", definition: "Resource", called: "resource" },
  { list: "resourceTemplates", definition: "ResourceTemplate", called: "resource template" },
  { list: "prompts", definition: "Prompt", called: "prompt" },
] as const;

/** An entry of a contract. */
interface Entry {
  readonly value: JsonObject;
  /** JSON Pointer into the contract. */
  readonly pointer: string;
  readonly shown: string;
}

/** The entries of a contract that are objects of a protocol definition. */
function entriesOf(contract: Contract, of: string): Entry[] {
  return lists
    .filter(({ definition }) => definition === of)
    .flatMap(({ list, called }) =>
      (contract[list] ?? []).map((entry, index) => ({
        value: entry as unknown as JsonObject,
        pointer: pointer("", list, index),
        shown: `${called} ${JSON.stringify(entry.name)}`,
      })),
    );
}

/**
 * Whether an entry of the contract can violate the rule: one has the member, or every one must have it.
 *
 * @param rule rule for a member; `of` is the protocol's definition
 */
export function concernsContract(
  contract: Contract,
  { of, path, required }: Pick<MemberRule, "of" | "path" | "required">,
): boolean {
  const entries = entriesOf(contract, of);
  return entries.length > 0 && (required || entries.some(({ value }) => hasMember(value, path)));
}

function hasMember(value: JsonObject, path: string): boolean {
  return atPointer(value, path) !== undefined;
}

/**
 * Checks the members that an extension adds to entries of a contract against its definitions and the server's
 * capabilities. An extension without a place in server capabilities need not be declared.
 */
export function memberProblems(contract: Contract, extension: ExtensionModel): MemberProblem[] {
  const place = extension.declared.server?.path;
  const declares = place !== undefined && atPointer(contract.capabilities ?? {}, place) !== undefined;
  const undeclared: Omit<MemberProblem, "others">[] = [];
  const wrong: MemberProblem[] = [];
  for (const [rule, entry] of ruledEntries(contract, extension)) {
    const value = atPointer(entry.value, rule.path);
    if (value !== undefined) wrong.push(...wrongValue(extension, rule, entry, value));
    else if (rule.required && declares) wrong.push(missing(extension, rule, entry));
    if (value !== undefined && place !== undefined && !declares)
      undeclared.push(notDeclared(extension, place, rule, entry));
  }
  const [first] = undeclared;
  return [...(first ? [{ ...first, others: undeclared.length - 1 }] : []), ...wrong];
}

/** Each rule with each entry it applies to, in the order of the lists. */
function ruledEntries(contract: Contract, { members }: ExtensionModel): [MemberRule, Entry][] {
  return lists.flatMap(({ definition }) =>
    members
      .filter(({ of }) => of === definition)
      .flatMap((rule) => entriesOf(contract, rule.of).map((entry): [MemberRule, Entry] => [rule, entry])),
  );
}

function wrongValue(
  { id, version, schema }: ExtensionModel,
  { path, definition }: MemberRule,
  entry: Entry,
  value: JsonValue,
): MemberProblem[] {
  const { node } = schema.definitions.get(definition)!;
  return faultsWithSlips(new Form(schema, contractCodes), node, value).map((fault) => ({
    kind: fault.code === contractCodes.unknownKey ? "unknown-key" : "wrong",
    entry: entry.shown,
    others: 0,
    pointer: entry.pointer + path + fault.pointer,
    message: `${fault.message} (by ${id}@${version})`,
    next:
      fault.next === correctionOf(contractCodes)
        ? `Correct the value; the definition is ${definition} in the schema of the extension.`
        : fault.next,
  }));
}

function missing(
  { id, version }: ExtensionModel,
  { path, definition }: MemberRule,
  entry: Entry,
): MemberProblem {
  return {
    kind: "wrong",
    entry: entry.shown,
    others: 0,
    pointer: entry.pointer,
    message: `expected the member ${path}, which is missing (by ${id}@${version})`,
    next: `Add it; the definition is ${definition} in the schema of the extension.`,
  };
}

function notDeclared(
  { id }: ExtensionModel,
  place: string,
  { path }: MemberRule,
  entry: Entry,
): Omit<MemberProblem, "others"> {
  const declaration = pointerTokens(place).reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), {});
  return {
    kind: "undeclared",
    entry: entry.shown,
    pointer: entry.pointer + path,
    message: `the member belongs to ${id}, which the capabilities do not declare`,
    next: `Enable the extension, and add ${JSON.stringify(declaration)} with its settings to \`capabilities\`; or remove the member.`,
  };
}
