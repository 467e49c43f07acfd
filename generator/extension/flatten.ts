import {
  type Definition,
  type Schema,
  type SchemaNode,
  type JsonObject,
  type JsonValue,
  naturalCompare,
  isJsonObject,
  jsonObject,
  pointer,
  pointerTokens,
  reachable,
  withReferenceNames,
} from "@mcpgen/engine";
import { type Place, CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";

/**
 * Flattens each definition in `own` that is an `allOf` of plain objects into one object that extends the
 * referenced ones: `allOf: [{ $ref: Result }, { … }]` becomes the members of both. The accepted values do not
 * change.
 */
export function flattened(schema: Schema, own: ReadonlySet<string>): Schema {
  const definitions = new Map(schema.definitions);
  const begun = new Set<string>();
  const settle = (wanted: string): Definition => {
    // Chains of definitions may be long, so the work is in a list instead of the call stack.
    const work = [{ name: wanted, basesDone: false }];
    for (let next = work.pop(); next; next = work.pop()) {
      const { name, basesDone } = next;
      const definition = definitions.get(name)!;
      if (basesDone) definitions.set(name, flatDefinition(definition, settle));
      else if (own.has(name) && !begun.has(name) && definition.node.allOf) {
        begun.add(name);
        work.push({ name, basesDone: true });
        const bases = definition.node.allOf.map(referred).filter((base) => base !== undefined);
        work.push(...bases.reverse().map((base) => ({ name: base, basesDone: false })));
      }
    }
    return definitions.get(wanted)!;
  };
  for (const name of own) settle(name);
  return { ...schema, definitions };
}

function flatDefinition(definition: Definition, settle: (name: string) => Definition): Definition {
  const { allOf = [], ...rest } = definition.node;
  const bases: string[] = [];
  const parts: SchemaNode[] = [];
  for (const part of [...allOf, rest]) {
    const target = referred(part);
    if (target !== undefined) bases.push(target);
    parts.push(target === undefined ? part : settle(target).node);
  }
  if (!parts.every((part) => part === rest || isPlainObject(part)) || !isPlain(rest)) return definition;
  const { pointer, description, deprecated, title } = definition.node;
  const merged = parts.reduce((all, part) => mergedObjects(all, part, settle));
  const node: SchemaNode = {
    ...merged,
    pointer,
    types: ["object"],
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
  };
  const inherited = [...new Set([...(definition.extends ?? []), ...bases])].sort(naturalCompare);
  return { ...definition, node, ...(inherited.length > 0 && { extends: inherited }) };
}

/** The definition that a node only refers to; undefined if it has other keywords. */
function referred({ pointer: _pointer, ref, ...rest }: SchemaNode): string | undefined {
  return Object.keys(rest).length === 0 ? ref : undefined;
}

const remarks = ["pointer", "title", "description", "deprecated", "examples"];
const ofObjects = new Set([...remarks, "types", "properties", "required", "additionalProperties"]);

/** Whether a node only declares members of an object, and allows others. */
function isPlainObject(node: SchemaNode): boolean {
  return node.types?.join() === "object" && isPlain(node);
}

function isPlain(node: SchemaNode): boolean {
  return Object.keys(node).every((key) => ofObjects.has(key)) && isUnlimited(node.additionalProperties);
}

function isUnlimited(node: SchemaNode | undefined): boolean {
  return (
    node === undefined ||
    Object.keys(node).every((key) => key === "always" || key === "typeText" || remarks.includes(key))
  );
}

/** Merges two objects into one with the members of both. */
function mergedObjects(a: SchemaNode, b: SchemaNode, settle: (name: string) => Definition): SchemaNode {
  const properties = new Map(a.properties);
  for (const [name, member] of b.properties ?? []) {
    const known = properties.get(name);
    properties.set(name, known ? both(known, member, settle) : member);
  }
  const required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])].sort(naturalCompare);
  const additional = a.additionalProperties ?? b.additionalProperties;
  return {
    pointer: a.pointer,
    types: ["object"],
    ...(properties.size > 0 && {
      properties: new Map([...properties].sort(([one], [other]) => naturalCompare(one, other))),
    }),
    ...(required.length > 0 && { required }),
    ...(additional && { additionalProperties: additional }),
  };
}

/** A node that accepts the values that both accept; one of them if it implies the other. */
function both(a: SchemaNode, b: SchemaNode, settle: (name: string) => Definition): SchemaNode {
  if (implies(b, a, settle)) return b;
  if (implies(a, b, settle)) return withRemarks(a, b);
  if (isPlainObject(a) && isPlainObject(b)) return withRemarks(mergedObjects(a, b, settle), b);
  return withRemarks({ pointer: b.pointer, allOf: [bare(a), bare(b)] }, b);
}

function withRemarks(node: SchemaNode, { description, deprecated }: SchemaNode): SchemaNode {
  return {
    ...node,
    ...(description !== undefined && { description }),
    ...(deprecated && { deprecated }),
  };
}

function bare({ description: _description, deprecated: _deprecated, ...node }: SchemaNode): SchemaNode {
  return node;
}

/** Whether `wide` certainly accepts every value that `narrow` accepts. */
function implies(
  narrow: SchemaNode,
  wide: SchemaNode,
  settle: (name: string) => Definition,
  depth = 0,
): boolean {
  if (isUnlimited(wide)) return true;
  if (depth > 8) return false;
  if (narrow.ref !== undefined && narrow.ref === wide.ref && isAlone(wide)) return true;
  const deeper = (one: SchemaNode, other: SchemaNode): boolean => implies(one, other, settle, depth + 1);
  if (isAnyObject(wide) && takesObjectsOnly(narrow, settle)) return true;
  if (wide.ref !== undefined) return isAlone(wide) && deeper(narrow, settle(wide.ref).node);
  if (narrow.ref !== undefined && isAlone(narrow)) return deeper(settle(narrow.ref).node, wide);
  if (isPlainObject(wide)) return isPlainObject(narrow) && holdsMembers(narrow, wide, deeper);
  return isScalarSubset(narrow, wide);
}

/** Whether a node accepts any object. */
function isAnyObject(node: SchemaNode): boolean {
  return isPlainObject(node) && !node.properties && !node.required?.length;
}

function takesObjectsOnly(node: SchemaNode, settle: (name: string) => Definition, depth = 0): boolean {
  if (depth > 8) return false;
  const deeper = (part: SchemaNode): boolean => takesObjectsOnly(part, settle, depth + 1);
  return (
    node.types?.join() === "object" ||
    (node.ref !== undefined && deeper(settle(node.ref).node)) ||
    (node.allOf?.some(deeper) ?? false) ||
    ((node.anyOf ?? node.oneOf)?.every(deeper) ?? false)
  );
}

function isAlone(node: SchemaNode): boolean {
  return Object.keys(node).every((key) => key === "ref" || remarks.includes(key));
}

function holdsMembers(
  narrow: SchemaNode,
  wide: SchemaNode,
  deeper: (narrow: SchemaNode, wide: SchemaNode) => boolean,
): boolean {
  return (
    (wide.required ?? []).every((name) => narrow.required?.includes(name)) &&
    [...(wide.properties ?? [])].every(([name, member]) => {
      const own = narrow.properties?.get(name);
      return own === undefined ? isUnlimited(member) : deeper(own, member);
    })
  );
}

const ofScalars = new Set([...remarks, "types", "const", "enum"]);

/**
 * Whether the values or types that `narrow` lists are among those of `wide`, which has no other constraint.
 */
function isScalarSubset(narrow: SchemaNode, wide: SchemaNode): boolean {
  if (!Object.keys(wide).every((key) => ofScalars.has(key)) || wide.open) return false;
  const values = narrow.const ? [narrow.const.value] : narrow.enum;
  const allowed = wide.const ? [wide.const.value] : wide.enum;
  if (allowed) return values?.every((value) => allowed.includes(value)) ?? false;
  const types = new Set<string>(wide.types);
  if (values && !narrow.types) return false;
  return (
    narrow.types?.every((type) => types.has(type) || (type === "integer" && types.has("number"))) ?? false
  );
}

/** Prefix of references to base definitions: `base#/$defs/X` is X of the base in use. */
export const basePrefix = "base";

/** The definition in a reference `#/$defs/X` or to a place inside it; undefined for any other reference. */
export function referencedDefinition(reference: string): string | undefined {
  const [, name] = /^#\/\$defs\/([^/]+)/.exec(reference) ?? [];
  return name === undefined ? undefined : pointerTokens(`/${decoded(name)}`)[0];
}

/** Decodes a percent-encoded fragment; returns invalid encoding unchanged. */
export function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Maps definitions of a base to their names in the schema of an extension. */
export interface BaseNames {
  /** The name of a base definition: its own, or a longer one if the extension defines that name. */
  readonly keyOf: (definition: string) => string;
  /** The base definition that a name stands for. */
  readonly definitionOf: (key: string) => string | undefined;
}

/** Names for all definitions of `base` that do not collide with those of the extension. */
export function baseNames(base: Schema, own: ReadonlySet<string>): BaseNames {
  const keys = new Map<string, string>();
  const definitions = new Map<string, string>();
  for (const name of base.definitions.keys()) {
    let key = name;
    while (own.has(key) || definitions.has(key)) key = `base ${key}`;
    keys.set(name, key);
    definitions.set(key, name);
  }
  return { keyOf: (name) => keys.get(name)!, definitionOf: (key) => definitions.get(key) };
}

/** Whether a text refers to a definition of the base. */
export function isBaseReference(reference: string): boolean {
  return reference.startsWith(`${basePrefix}#`);
}

/** Context for the error about a reference to a missing base definition. */
interface Referring {
  readonly base: string;
  readonly schema: Schema;
  /** The place of a reference, by its pointer in the file. */
  readonly placeOf: (pointer: string) => Place;
}

/**
 * Returns the definition that `base#/$defs/X` names.
 *
 * @throws CodedError MG1303 if the base does not have it
 */
export function referredDefinition(
  reference: string,
  at: string,
  { base, schema, placeOf }: Referring,
): string {
  const isWhole = /^[^/]*#\/\$defs\/[^/]+$/.test(reference);
  const name = isWhole ? referencedDefinition(reference.slice(basePrefix.length)) : undefined;
  if (name === undefined)
    throw new CodedError("MG1303", `${JSON.stringify(reference)} names no definition of the base`, {
      place: placeOf(at),
      next: "Write base#/$defs/NAME.",
    });
  if (schema.definitions.has(name)) return name;
  const suggestion = closest(name, schema.definitions.keys());
  throw new CodedError("MG1303", `the base ${base} has no definition ${JSON.stringify(name)}`, {
    place: placeOf(at),
    next: `${suggestion === undefined ? "Correct the name" : `Did you mean base#/$defs/${suggestion}? Else correct the name`}, or remove the base ${base} from extension.json.`,
  });
}

/** How to replace references to a base. */
interface BaseReferences {
  readonly names: BaseNames;
  readonly referring: Referring;
  /** Collects the definitions that are referred to. */
  readonly seen: Set<string>;
}

/** Copies `value` with each reference to the base replaced. */
export function withoutBaseReferences(value: JsonValue, references: BaseReferences, at = ""): JsonValue {
  const { names, referring, seen } = references;
  if (Array.isArray(value))
    return value.map((item, index) => withoutBaseReferences(item, references, pointer(at, index)));
  if (!isJsonObject(value)) return value;
  return jsonObject(
    Object.entries(value).map(([key, member]) => {
      const place = pointer(at, key);
      if (key !== "$ref" || typeof member !== "string" || !isBaseReference(member))
        return [key, withoutBaseReferences(member, references, place)];
      const name = referredDefinition(member, place, referring);
      seen.add(name);
      return [key, definitionReference(names.keyOf(name))];
    }),
  );
}

/** A reference to a definition of the same document. */
export function definitionReference(name: string): string {
  return `#${pointer("/$defs", name).replace(/[^\w/$~.-]/gu, encodeURIComponent)}`;
}

/** The document with other definitions. */
export function withDefinitions(
  document: JsonObject,
  definitions: Iterable<readonly [string, JsonValue]>,
): JsonObject {
  const others = Object.entries(document).filter(([key]) => key !== "$defs");
  return jsonObject([...others, ["$defs", jsonObject(definitions)]]);
}

/** The document with a placeholder for each base definition. */
export function withStubs(document: JsonObject, keys: Iterable<string>): JsonObject {
  const definitions = isJsonObject(document["$defs"]) ? document["$defs"] : jsonObject();
  const stubs = [...keys].map((key) => [key, jsonObject()] as const);
  return withDefinitions(document, [...Object.entries(definitions), ...stubs]);
}

/** The schema with its placeholders replaced by the base definitions that it uses, directly or not. */
export function withBaseDefinitions(
  schema: Schema,
  base: Schema,
  referred: ReadonlySet<string>,
  names: BaseNames,
): Schema {
  const definitions = new Map(schema.definitions);
  for (const name of reachable(base, referred)) {
    const definition = base.definitions.get(name);
    if (!definition) continue;
    const key = names.keyOf(name);
    definitions.set(key, renamed(definition, key, names));
  }
  const patterns = new Map([...(base.patterns ?? []), ...(schema.patterns ?? [])]);
  return {
    ...schema,
    definitions: new Map([...definitions].sort(([a], [b]) => naturalCompare(a, b))),
    ...(patterns.size > 0 && { patterns }),
  };
}

function renamed(definition: Definition, key: string, { keyOf }: BaseNames): Definition {
  const bases = definition.extends?.map(keyOf);
  const node = withReferenceNames(definition.node, keyOf);
  return { ...definition, name: key, node, ...(bases && { extends: bases }) };
}
