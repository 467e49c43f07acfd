import {
  type JsonObject,
  type JsonValue,
  type PatternBudget,
  type Schema,
  atPointer,
  isJsonObject,
  jsonEqual,
  keywords,
  pointer,
  pointerTokens,
  readDocument,
  type UnreadPart,
  readableSchema,
} from "@mcpgen/engine";
import { Aligner } from "../../compare/align/aligner.js";
import { type Finding, type Policy, Collection, fingerprintOf } from "../finding.js";
import type { Context } from "../walk/context.js";
import { reachedFrom } from "../../compare/reach.js";
import { Maker } from "../../compare/instance-maker.js";
import { Prover } from "../witness/prove.js";
import type { ProtocolModel, Role } from "../../model/model.js";
import { type Part, contractFinding, inside } from "./contract-finding.js";
import { locationOf } from "../../compare/location.js";

/** Name of the root schema among its definitions; no JSON Pointer gives another definition this name. */
const root = "";
const whole: Context = { part: "definition", definition: [root, root] };

/** The context in which the schemas of two contracts are compared. */
export interface Comparison {
  readonly policy: Policy;
  /** Limit of the work for analysing the patterns of each contract. */
  readonly budgets: { readonly old: PatternBudget; readonly new: PatternBudget };
}

/**
 * Compares two schemas by the same rules as those of the protocol, and finds values that prove breaks. A part
 * that cannot be read in one schema is omitted from both.
 */
export function compareSchemas(pair: SchemaPair, { policy, budgets }: Comparison): Finding[] {
  if (jsonEqual(pair.old, pair.new)) return [];
  const { models, unread } = readBoth(pair, budgets);
  const left = unread.flatMap((difference) => notCompared(pair, difference, policy));
  if (!models) return left;
  const [old, next] = models;
  const aligner = new Aligner(old.schema, next.schema);
  const start = aligner.pair([old.schema.root!], [next.schema.root!]);
  aligner.run();
  const reached = reachedFrom({ pair: start });
  const collection = new Collection();
  for (const met of reached.keys())
    for (const fact of met.facts)
      if (!isProse(fact.rule))
        collection.add({ fact, context: whole, place: { pair: met, reached } }, [pair.writer], []);
  const prover = new Prover(old, next, { old: new Maker(aligner.old), new: new Maker(aligner.new) });
  const findings = collection.findings(prover, policy).map((finding) => placed(finding, pair));
  const others = [...compareHeaders(pair, policy), ...compareProse(pair, policy)];
  const all = [...findings, ...left, ...others];
  if (all.length > 0) return all;
  const { part, noun: path, pointer, writer } = pair;
  const rewritten = { rule: "schema-rewritten", old: null, new: null };
  return contractFinding(part, { ...rewritten, path, writer, pointer }, policy);
}

/** Text is compared separately here, because for a model it is more than documentation. */
function isProse(rule: string): boolean {
  return rule === "description-changed" || rule === "docs-normative";
}

function compareProse(pair: SchemaPair, policy: Policy): Finding[] {
  const [before, after] = [proseOf(pair.old), proseOf(pair.new)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((pointer) => {
    const [old = null, next = null] = [before.get(pointer), after.get(pointer)];
    const holder = pointer.slice(0, pointer.lastIndexOf("/"));
    // Text added or removed together with its subject is not a separate difference.
    const isKept = [pair.old, pair.new].every((schema) => isJsonObject(atPointer(schema, holder)));
    if (old === next || !isKept) return [];
    const difference = {
      rule: "text-changed",
      path: pathAt(pair, holder),
      old,
      new: next,
      writer: "server" as const,
      pointer: pair.pointer + pointer,
    };
    return contractFinding(pair.part, difference, policy);
  });
}

/** A part that cannot be read in at least one of the schemas, with the reason for each. */
interface Unread {
  readonly pointer: string;
  readonly old: string | null;
  readonly new: string | null;
  readonly unread: NonNullable<Finding["unread"]>;
}

function notCompared(pair: SchemaPair, { pointer, unread, ...reasons }: Unread, policy: Policy): Finding[] {
  const { part, writer } = pair;
  const difference = { rule: "schema-not-compared", path: pathAt(pair, pointer), ...reasons, writer };
  return contractFinding(part, { ...difference, pointer: pair.pointer + pointer }, policy).map((finding) => ({
    ...finding,
    ...(unread !== "both" && { advice: `Correct the ${unread} schema: it cannot be read here.` }),
    unread,
  }));
}

/**
 * Reads both schemas as models, of which the comparison uses only the schema. No models if nothing readable
 * would remain.
 */
function readBoth(
  pair: SchemaPair,
  budgets: Comparison["budgets"],
): { readonly models?: readonly [ProtocolModel, ProtocolModel]; readonly unread: readonly Unread[] } {
  const read = (side: "old" | "new", others: readonly UnreadPart[]): ReturnType<typeof readableSchema> =>
    readableSchema(pair[side], (it) => readDocument(it, { patternBudget: budgets[side] }), others);
  let [old, next] = [read("old", []), read("new", [])];
  const unread = unreadParts(old.parts, next.parts);
  const parts = [...old.parts, ...next.parts];
  if (parts.some((part) => isOtherwiseWritten(pair, part))) return { unread };
  if (parts.length > 0) [old, next] = [read("old", parts), read("new", parts)];
  if (!old.schema || !next.schema) return { unread };
  return { models: [modelOf(old.schema), modelOf(next.schema)], unread };
}

/**
 * Whether the part is a top-level keyword that only one schema has. The other schema may express it with
 * other keywords, so omitting it would distort the comparison.
 */
function isOtherwiseWritten(pair: SchemaPair, { pointer }: UnreadPart): boolean {
  const [keyword, ...inner] = pointerTokens(pointer);
  if (keyword === undefined || inner.length > 0 || keywords.get(keyword)?.annotation) return false;
  const [old, next] = [pair.old[keyword], pair.new[keyword]];
  return (old === undefined && next !== null) || (next === undefined && old !== null);
}

function unreadParts(old: readonly UnreadPart[], next: readonly UnreadPart[]): Unread[] {
  const [before, after] = [old, next].map(
    (parts) => new Map(parts.map(({ pointer, error }) => [pointer, error.message])),
  );
  return [...new Set([...before!.keys(), ...after!.keys()])].map((pointer) => {
    const [a = null, b = null] = [before!.get(pointer), after!.get(pointer)];
    // A reason that applies to both is printed once.
    const unread = a === null ? "new" : b === null ? "old" : "both";
    return { pointer, old: a === b ? null : a, new: b, unread };
  });
}

function modelOf(schema: Schema): ProtocolModel {
  const node = schema.root ?? { pointer: "" };
  const definitions = new Map([...schema.definitions, [root, { name: root, node }] as const]);
  return {
    revision: "",
    status: "handwritten",
    era: "modern",
    schema: { ...schema, root: node, definitions },
    methods: [],
    errors: [],
    batches: false,
    transport: [],
    headers: [],
    owned: new Map(),
    stepNotes: [],
    renames: [],
    wraps: [],
    reshapes: [],
    conflicts: [],
    assumptions: [],
  };
}

/**
 * Converts a finding about the schema into one about the contract: with the tool's name and a pointer into
 * its schema.
 */
function placed(finding: Finding, pair: SchemaPair): Finding {
  const { subject, pointers } = finding;
  const { definition, path, member } = subject as Extract<Finding["subject"], { readonly path: string }>;
  const way =
    definition === root ? path : [`$defs/${definition}`, path].filter((step) => step !== "").join(".");
  const named = {
    definition: pair.part.name,
    path: pathOf(pair, way),
    ...(member !== undefined && { member }),
  };
  const at = inside(pair.part.at, pair.pointer);
  const { method } = pair.part;
  return {
    ...finding,
    subject: named,
    methods: method === null ? [] : [method],
    pointers: {
      old: at.old === null || pointers.old === null ? null : at.old + pointers.old,
      new: at.new === null || pointers.new === null ? null : at.new + pointers.new,
    },
    fingerprint: fingerprintOf({ ...finding, subject: named }),
  };
}

const keyword = "x-mcp-header";

/**
 * Compares which arguments HTTP headers repeat (2026-07-28, Streamable HTTP, custom headers). Added or
 * removed arguments are left to other rules, with or without a header.
 */
function compareHeaders(pair: SchemaPair, policy: Policy): Finding[] {
  const [before, after] = [headersOf(pair.old), headersOf(pair.new)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((at) => {
    const [old, next] = [before.get(at), after.get(at)];
    // Header names are case-insensitive (RFC 9110, section 5.1).
    if (old?.toLowerCase() === next?.toLowerCase()) return [];
    if (![pair.old, pair.new].every((schema) => isJsonObject(atPointer(schema, at)))) return [];
    const difference = {
      rule: old === undefined ? "header-added" : next === undefined ? "header-removed" : "header-renamed",
      path: pathAt(pair, at),
      old: old ?? null,
      new: next ?? null,
      writer: pair.writer,
      pointer: pair.pointer + at,
    };
    return contractFinding(pair.part, difference, policy);
  });
}

/** Header names by JSON Pointer of the argument's schema. Only schemas along `properties` can have them. */
function headersOf(schema: JsonObject, at = "", found = new Map<string, string>()): Map<string, string> {
  const name = schema[keyword];
  if (typeof name === "string") found.set(at, name);
  const { properties } = schema;
  for (const [key, property] of isJsonObject(properties) ? Object.entries(properties) : [])
    if (isJsonObject(property)) headersOf(property, pointer(at, "properties", key), found);
  return found;
}

/** Keywords whose members have names chosen by authors: a property may be called `description`. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords that contain values rather than schemas. */
const values = new Set(["const", "default", "enum", "examples"]);
const texts = new Set(["title", "description"]);

/** The texts of a schema and its subschemas, by JSON Pointer. */
function proseOf(schema: JsonValue): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  collect(schema, "", found);
  return found;
}

function collect(schema: JsonValue, at: string, found: Map<string, string>): void {
  if (Array.isArray(schema)) {
    for (const [index, item] of schema.entries()) collect(item, pointer(at, index), found);
    return;
  }
  if (!isJsonObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    const place = pointer(at, key);
    if (texts.has(key) && typeof value === "string") found.set(place, value);
    else if (maps.has(key) && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) collect(inner, pointer(place, name), found);
    } else if (!values.has(key)) collect(value, place, found);
  }
}

/** Two schemas of the same value: arguments, which a client writes, or a result, which a server writes. */
interface SchemaPair {
  readonly part: Part;
  /** The name of the value in findings. */
  readonly noun: string;
  /** JSON Pointer from the part of the contract to the schema. */
  readonly pointer: string;
  readonly writer: Role;
  readonly old: JsonObject;
  readonly new: JsonObject;
}

/** The path to a part of the value in the form of findings. */
function pathOf({ noun }: SchemaPair, path: string): string {
  return path === "" || path.startsWith("[") || path.startsWith("{") ? noun + path : `${noun}.${path}`;
}

/** The path to the part of the value that the schema at a JSON Pointer describes. */
function pathAt(pair: SchemaPair, pointer: string): string {
  const { definition, path } = locationOf(pointer);
  const way = [...(definition === "" ? [] : [`$defs/${definition}`]), ...(path === "" ? [] : [path])];
  return pathOf(pair, way.join("."));
}
