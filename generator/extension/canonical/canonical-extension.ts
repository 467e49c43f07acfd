import {
  type JsonObject,
  type JsonValue,
  canonicalise,
  canonicalText,
  isJsonObject,
  jsonObject,
  naturalCompare,
  pointer,
} from "@mcpgen/engine";
import { type BaseSchema, type Folded, foldCopies } from "./fold.js";
import { mapReferences, passedPlaces, subschemas } from "./references.js";
import { referencedDefinition, basePrefix, decoded, withDefinitions } from "../flatten.js";

/** An extension's schema in canonical form, and the changes made to get there. */
export interface CanonicalExtension extends Omit<Folded, "document"> {
  /** The content of schema.json. */
  readonly document: JsonObject;
  /** Number of references to a published revision's schema that became references to the base. */
  readonly baseReferences: number;
  readonly hoisted: readonly Hoisted[];
  readonly style: StyleCounts;
  /** Definitions that extend others: an `allOf` of references, with or without an object. */
  readonly extending: readonly { readonly definition: string; readonly bases: readonly string[] }[];
  /**
   * Places of objects that a program closed and that were opened. Empty if an author seems to have closed
   * them.
   */
  readonly reopened: readonly string[];
  /** Places of objects that remain closed. */
  readonly closed: readonly string[];
}

/**
 * Converts an extension's schema to its canonical form: JSON Schema 2020-12 with only the extension's own
 * definitions, which refers to those of the base as `base#/$defs/X`. Converting the result again changes
 * nothing.
 *
 * @param source canonical JSON Schema; not modified
 * @param bases newest first
 * @param revisions ids of all known revisions
 */
export function canonicalExtension(
  source: JsonObject,
  bases: readonly BaseSchema[],
  revisions: readonly string[],
): CanonicalExtension {
  const renamed = baseReferences(source, revisions);
  const { document: whole, hoisted } = hoistDefinitions(renamed.document);
  const isByProgram = areClosedByProgram(findClosedObjects(whole["$defs"] as JsonObject));
  const { document: folded, ...changes } = foldCopies(whole, bases);
  const used = withoutUnused(folded["$defs"] as JsonObject, new Set(hoisted.map(({ name }) => name)));
  const passed = passedPlaces(used);
  const { definitions, counts } = inPlainStyle(used, (at) => passed.has(at));
  const { $schema, description } = folded;
  const document = canonicalise(
    jsonObject([
      ...($schema === undefined ? [] : [["$schema", $schema] as const]),
      ...(typeof description === "string" ? [["description", description] as const] : []),
      ["$defs", definitions],
    ]),
  );
  const { closed } = findClosedObjects(document["$defs"] as JsonObject);
  return {
    ...changes,
    document,
    baseReferences: renamed.count,
    hoisted: hoisted.filter(({ name }) => name in used),
    style: counts,
    extending: extendingDefinitions(document["$defs"] as JsonObject),
    reopened: isByProgram ? closed : [],
    closed: isByProgram ? [] : closed,
  };
}

/** The definitions without those in `removable` that no other definition refers to. */
function withoutUnused(definitions: JsonObject, removable: ReadonlySet<string>): JsonObject {
  const used = new Set<string>();
  const pending = Object.keys(definitions).filter((name) => !removable.has(name));
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (used.has(name) || !Object.hasOwn(definitions, name)) continue;
    used.add(name);
    for (const { node } of subschemas(definitions[name]!)) {
      const target = typeof node["$ref"] === "string" ? referencedDefinition(node["$ref"]) : undefined;
      if (target !== undefined) pending.push(target);
    }
  }
  return jsonObject(Object.entries(definitions).filter(([name]) => used.has(name)));
}

function extendingDefinitions(definitions: JsonObject): CanonicalExtension["extending"] {
  return Object.entries(definitions).flatMap(([definition, node]) => {
    const arms = isJsonObject(node) ? node["allOf"] : undefined;
    if (!Array.isArray(arms)) return [];
    const bases = arms.flatMap((arm) =>
      isJsonObject(arm) && typeof arm["$ref"] === "string" ? [arm["$ref"]] : [],
    );
    return bases.length > 0 ? [{ definition, bases: bases.map(shownReference) }] : [];
  });
}

/** A reference for messages: `base#/$defs/X` as "the base's X". */
function shownReference(reference: string): string {
  const isOfBase = reference.startsWith(`${basePrefix}#`);
  const name = referencedDefinition(isOfBase ? reference.slice(basePrefix.length) : reference);
  return name === undefined || isOfBase ? reference : name;
}

/**
 * Replaces references to a revision's published schema by references to the base:
 * `https://…/2026-07-28/schema.json#/$defs/X` becomes `base#/$defs/X`.
 *
 * @param document canonical JSON Schema; not modified
 * @param revisions ids of all known revisions
 */
function baseReferences(
  document: JsonObject,
  revisions: readonly string[],
): { readonly document: JsonObject; readonly count: number } {
  let count = 0;
  const change = (reference: string): string => {
    const [address = "", fragment = ""] = reference.split("#", 2);
    const folders = address.split("/").slice(0, -1).map(decoded);
    if (!folders.some((folder) => revisions.includes(folder))) return reference;
    count++;
    // Draft-07 documents use `definitions`; the canonical base uses `$defs`.
    return `${basePrefix}#${fragment.replace(/^\/definitions\//, "/$defs/")}`;
  };
  const visit = (node: JsonValue): JsonValue =>
    isJsonObject(node) ? mapReferences(node, change, visit) : node;
  return { document: jsonObject(Object.entries(visit(document) as JsonObject)), count };
}

/** Facts about objects that reject undeclared members. */
interface ClosedObjects {
  /** Places of objects with `additionalProperties: false`. */
  readonly closed: readonly string[];
  /** Number of objects that declare members and do not say whether others are allowed. */
  readonly silent: number;
}

/** Finds objects that reject undeclared members. */
function findClosedObjects(definitions: JsonObject): ClosedObjects {
  const closed: string[] = [];
  let silent = 0;
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { node, at } of subschemas(definition, pointer("/$defs", name))) {
      if (!isJsonObject(node["properties"])) continue;
      if (node["additionalProperties"] === false) closed.push(at);
      else if (!("additionalProperties" in node) && !("unevaluatedProperties" in node)) silent++;
    }
  }
  return { closed: closed.sort(naturalCompare), silent };
}

/**
 * Whether a program rather than an author closed the objects. A program says of every object whether other
 * members are allowed; an author closes only some.
 */
function areClosedByProgram({ closed, silent }: ClosedObjects): boolean {
  return closed.length > 0 && silent === 0;
}

/** A definition that was inside another one. */
interface Hoisted {
  readonly name: string;
  /** Its original place. */
  readonly from: string;
}

/**
 * Moves nested definitions to the top level. Some generators print each type as a document and embed these in
 * one: `#/$defs/X` then means the X nested in the surrounding definition, unless there is one at the top.
 *
 * @param document canonical JSON Schema; not modified
 */
export function hoistDefinitions(document: JsonObject): { document: JsonObject; hoisted: Hoisted[] } {
  const top = document["$defs"] as JsonObject;
  const definitions = jsonObject();
  const hoisted: Hoisted[] = [];
  const free = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; name in top || name in definitions; count++) name = `${wanted}${count}`;
    return name;
  };
  const lift = (
    node: JsonValue,
    at: string,
    owner: string,
    scope: ReadonlyMap<string, string>,
  ): JsonValue => {
    if (!isJsonObject(node)) return node;
    const { $defs: local, $schema: _, $id: __, ...rest } = node;
    const inner = new Map(scope);
    const entries = isJsonObject(local) ? Object.entries(local) : [];
    for (const [name] of entries) {
      const found = free(owner + words(name));
      definitions[found] = true;
      inner.set(name, found);
      hoisted.push({ name: found, from: pointer(at, "$defs", name) });
    }
    for (const [name, definition] of entries)
      definitions[inner.get(name)!] = lift(definition, pointer(at, "$defs", name), owner, inner);
    return mapReferences(
      jsonObject(Object.entries(rest)),
      (reference) => {
        const name = referencedDefinition(reference);
        const target = name === undefined || name in top ? undefined : inner.get(name);
        return target === undefined ? reference : reference.replace(`#/$defs/${name}`, `#/$defs/${target}`);
      },
      (child, place) => lift(child, at + place, owner, inner),
    );
  };
  for (const [name, node] of Object.entries(top))
    definitions[name] = lift(node, pointer("/$defs", name), name, new Map());
  const sorted = Object.entries(definitions).sort(([a], [b]) => naturalCompare(a, b));
  return { document: withDefinitions(document, sorted), hoisted };
}

/** The words of a name, for comparison with the end of another: `__schema0` is `Schema0`. */
function words(name: string): string {
  return (name.match(/[\p{L}\p{N}]+/gu) ?? ["Part"])
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

/** Counts of verbose forms, written by schema generators, that were shortened. */
interface StyleCounts {
  /** Number of unions of constants that became one `enum`. */
  readonly enums: number;
  /**
   * Number of keywords without effect that were removed: ranges of JavaScript integers, and `propertyNames`
   * that only require strings.
   */
  readonly empty: number;
}

/**
 * Converts definitions to the style of the protocol's schema: a set of strings becomes an `enum`, and
 * keywords without effect on JSON messages are removed.
 *
 * @param keep whether a place must not be changed
 */
function inPlainStyle(
  definitions: JsonObject,
  keep: (at: string) => boolean,
): { readonly definitions: JsonObject; readonly counts: StyleCounts } {
  const counts = { enums: 0, empty: 0 };
  const plain = (node: JsonValue, at: string): JsonValue => {
    if (!isJsonObject(node) || keep(at)) return node;
    const inner = mapReferences(
      node,
      (reference) => reference,
      (child, place) => plain(child, at + place),
    );
    const kept = Object.entries(inner).filter(([keyword, value]) => !isEmpty(keyword, value));
    counts.empty += Object.keys(inner).length - kept.length;
    const result = withoutNesting(jsonObject(kept));
    const values = constants(result);
    if (!values) return result;
    counts.enums++;
    const { anyOf: _, oneOf: __, ...rest } = result;
    return jsonObject([...Object.entries(rest), ["enum", values], ["type", "string"]]);
  };
  const entries = Object.entries(definitions).map(
    ([name, node]) => [name, plain(node, pointer("/$defs", name))] as const,
  );
  return { definitions: jsonObject(entries), counts };
}

function isEmpty(keyword: string, value: JsonValue): boolean {
  switch (keyword) {
    case "propertyNames":
      return (
        value === true || (isJsonObject(value) && /^\{(?:"type":"string")?\}$/.test(canonicalText(value)))
      );
    case "minimum":
      return value === -Number.MAX_SAFE_INTEGER;
    case "maximum":
      return value === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
}

/** The values of a union of string constants; undefined for any other node. */
function constants(node: JsonObject): string[] | undefined {
  const arms = node["anyOf"] ?? node["oneOf"];
  if (!Array.isArray(arms) || "type" in node || "enum" in node) return undefined;
  const values = arms.map((arm) => (isJsonObject(arm) && isConstant(arm) ? arm["const"] : undefined));
  return values.every((value) => typeof value === "string") ? [...new Set(values)] : undefined;
}

function isConstant(arm: JsonObject): boolean {
  return Object.keys(arm).every((keyword) => keyword === "const" || keyword === "type");
}

/** Merges an `allOf` inside `allOf` into the outer one, and objects with different members into one. */
function withoutNesting(node: JsonObject): JsonObject {
  const { allOf } = node;
  if (!Array.isArray(allOf)) return node;
  const flat = allOf.flatMap((arm) =>
    isJsonObject(arm) && Object.keys(arm).length === 1 && Array.isArray(arm["allOf"]) ? arm["allOf"] : [arm],
  );
  const objects = flat.filter(isPlainObject);
  const names = objects.flatMap((object) => Object.keys(object["properties"] as JsonObject));
  if (objects.length < 2 || new Set(names).size < names.length) return { ...node, allOf: flat };
  const required = objects.flatMap((object) => (Array.isArray(object["required"]) ? object["required"] : []));
  const members = objects.flatMap((object) => Object.entries(object["properties"] as JsonObject));
  const joined = jsonObject([["properties", jsonObject(members)]]);
  if (required.length > 0) joined["required"] = [...new Set(required)];
  joined["type"] = "object";
  return { ...node, allOf: [...flat.filter((arm) => !isPlainObject(arm)), joined] };
}

function isPlainObject(arm: JsonValue): arm is JsonObject {
  const known = new Set(["properties", "required", "type"]);
  return (
    isJsonObject(arm) &&
    arm["type"] === "object" &&
    isJsonObject(arm["properties"]) &&
    Object.keys(arm).every((keyword) => known.has(keyword))
  );
}
