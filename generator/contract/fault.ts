import {
  type JsonObject,
  type JsonValue,
  type SchemaNode,
  atPointer,
  editDistance,
  isJsonObject,
  pointer,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { closest } from "../diagnostics/suggest.js";
import {
  type Fault as FileFault,
  type Form,
  type FormCodes,
  FileForm,
  didYouMean,
} from "../files/file-form.js";
import { identities, tooDeep, mostLevels } from "./contract.js";

/** A fault in a contract. */
interface Fault extends FileFault {
  /** For a duplicate name: the pointer of the first occurrence. */
  readonly first?: string;
  /** Set if a string is expected but a number or boolean found; in YAML, quotes may be missing. */
  readonly lacksQuotes?: boolean;
}

/** Error codes for faults of contracts, and of members that extensions describe. */
export const contractCodes: FormCodes = { unknownKey: "MG6002", wrongValue: "MG6003" };

const contractForm = new FileForm("contract", contractCodes);

/** The first fault of `value` as a contract; undefined if it is valid. */
export function contractFault(value: JsonValue): Fault | undefined {
  return contractFaults(value)[0];
}

/** All faults of `value` as a contract: violations of the schema, misspelt keys, and duplicate names. */
export function contractFaults(value: JsonValue): Fault[] {
  const deep = tooDeep(value);
  if (deep !== undefined) {
    const message = `expected at most ${mostLevels} nested levels, got more`;
    return [{ code: contractCodes.wrongValue, pointer: deep, message, next: "Make it flatter." }];
  }
  const { form } = contractForm;
  return [...faultsWithSlips(form, form.schema.root!, value), ...duplicateNameFaults(value)];
}

/**
 * Violations of a schema, and misspelt keys in open objects. A schema cannot detect the latter, because it
 * allows unknown keys there.
 */
export function faultsWithSlips(form: Form, node: SchemaNode, value: JsonValue): Fault[] {
  const slips = [...slipsIn(form, [node], value, "")];
  const meant = new Set(slips.map((slip) => slip.meant));
  const faults = form
    .faults(value, node)
    .filter(({ pointer: at, missing }) => missing === undefined || !meant.has(pointer(at, missing)));
  return [
    ...faults.map((fault) => ({ ...fault, lacksQuotes: lacksQuotes(fault, value) })),
    ...slips.map(({ fault }) => fault),
  ];
}

function lacksQuotes({ expected, pointer: at }: FileFault, value: JsonValue): boolean {
  return expected === "string" && ["number", "boolean"].includes(typeof atPointer(value, at));
}

/** A misspelt key. */
interface Slip {
  readonly fault: Fault;
  /** Pointer of the intended key. */
  readonly meant: string;
}

function* slipsIn(form: Form, nodes: readonly SchemaNode[], value: JsonValue, at: string): Generator<Slip> {
  const all = form.inPlace(nodes);
  if (Array.isArray(value)) {
    const items = all.flatMap((node) => node.items ?? []);
    for (const [index, item] of value.entries()) yield* slipsIn(form, items, item, pointer(at, index));
  } else if (isJsonObject(value)) yield* slipsOf(form, all, value, at);
}

function* slipsOf(form: Form, nodes: readonly SchemaNode[], value: JsonObject, at: string): Generator<Slip> {
  const described = new Map<string, SchemaNode[]>();
  for (const [key, part] of nodes.flatMap(({ properties }) => [...(properties ?? [])]))
    described.set(key, [...(described.get(key) ?? []), part]);
  const isClosed = nodes.some(({ additionalProperties }) => additionalProperties?.never);
  const free = [...described.keys()].filter((name) => !Object.hasOwn(value, name));
  for (const [key, member] of Object.entries(value)) {
    const parts = described.get(key);
    if (parts) yield* slipsIn(form, parts, member, pointer(at, key));
    if (parts || isClosed) continue;
    const meant = closest(key, free);
    const fits = (name: string): boolean =>
      Array.isArray(member) && described.get(name)!.every((part) => isValid(form.schema, part, member));
    if (meant === undefined || !isSlip(key, meant, fits)) continue;
    const message = `there is no key ${JSON.stringify(key)}`;
    const fault = {
      ...{ code: contractCodes.unknownKey, pointer: pointer(at, key), message },
      next: didYouMean(meant),
    };
    yield { fault, meant: pointer(at, meant) };
  }
}

/**
 * Whether a key of an open object is a misspelling: it differs only in case, `_` or `-`, or in one letter of
 * a long name. For a shorter name, the value must also fit, such as `scope: ["files:read"]`.
 */
function isSlip(key: string, meant: string, fits: (name: string) => boolean): boolean {
  const plain = (name: string): string => name.toLowerCase().replace(/(?<=.)[_-]/g, "");
  if (plain(key) === plain(meant)) return true;
  return editDistance(key, meant, 2) <= 1 && (meant.length >= 7 || fits(meant));
}

/** Finds entries of lists, and prompt arguments, that repeat an earlier name. */
function* duplicateNameFaults(contract: JsonValue): Generator<Fault> {
  if (!isJsonObject(contract)) return;
  for (const [list, key] of Object.entries(identities)) yield* duplicatesIn(contract, list, key, "");
  for (const [index, prompt] of entriesOf(contract, "prompts"))
    yield* duplicatesIn(prompt, "arguments", "name", pointer("/prompts", index));
}

function* duplicatesIn(holder: JsonObject, list: string, key: string, at: string): Generator<Fault> {
  const seen = new Map<JsonValue, string>();
  for (const [index, entry] of entriesOf(holder, list)) {
    const name = entry[key];
    if (typeof name !== "string") continue;
    const place = pointer(pointer(pointer(at, list), index), key);
    const first = seen.get(name);
    if (first === undefined) seen.set(name, place);
    else
      yield {
        code: "MG6004",
        pointer: place,
        message: `the ${key} ${JSON.stringify(name)} is used twice`,
        next: "Rename or remove one of the two.",
        first,
      };
  }
}

/** The objects of a list. Other values are skipped, because schema validation reports them. */
function entriesOf(holder: JsonObject, list: string): (readonly [number, JsonObject])[] {
  const entries = holder[list];
  if (!Array.isArray(entries)) return [];
  return [...entries.entries()].flatMap(([index, entry]) =>
    isJsonObject(entry) ? [[index, entry] as const] : [],
  );
}
