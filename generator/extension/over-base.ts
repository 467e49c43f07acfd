import {
  type Definition,
  type JsonObject,
  type JsonValue,
  type Schema,
  type SchemaNode,
  isJsonObject,
  jsonObject,
  naturalCompare,
  pointer,
  reachable,
} from "@mcpgen/engine";
import { CodedError, type Place } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import { withChildren } from "../emit/with-children.js";

/** What the schema of an extension writes before the pointer of a definition of its base. */
const scheme = "base#";

/** The definitions of a base under the names that they have in the schema of an extension over it. */
export interface BaseNames {
  /** The name of a definition of the base: its own, or a longer one where the extension defines another so. */
  readonly keyOf: (definition: string) => string;
  /** The definition of the base that a name stands for. */
  readonly definitionOf: (key: string) => string | undefined;
}

/** The names of all definitions of `base` beside those that the extension has itself. */
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
  return reference.startsWith(scheme);
}

/** What reports a reference to something that a base does not have. */
interface Referring {
  readonly base: string;
  readonly schema: Schema;
  /** The place of a reference, by its pointer in the file. */
  readonly placeOf: (pointer: string) => Place;
}

/**
 * The definition that `base#/$defs/X` names.
 *
 * @throws CodedError MG1303 where the base has no such definition
 */
export function referredDefinition(
  reference: string,
  at: string,
  { base, schema, placeOf }: Referring,
): string {
  const [, written, ...rest] = /^base#\/\$defs\/([^/]+)$/.exec(reference) ?? [];
  if (written === undefined || rest.length > 0)
    throw new CodedError("MG1303", `${JSON.stringify(reference)} names no definition of the base`, {
      place: placeOf(at),
      next: "Write base#/$defs/NAME.",
    });
  const name = decoded(written);
  if (schema.definitions.has(name)) return name;
  const suggestion = closest(name, schema.definitions.keys());
  throw new CodedError("MG1303", `the base ${base} has no definition ${JSON.stringify(name)}`, {
    place: placeOf(at),
    next: `${suggestion === undefined ? "Correct the name" : `Did you mean base#/$defs/${suggestion}? Else correct the name`}, or remove the base ${base} from extension.json.`,
  });
}

function decoded(text: string): string {
  const token = text.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** References to a base, and the names that take their place. */
interface BaseReferences {
  readonly names: BaseNames;
  readonly referring: Referring;
  /** Collects the definitions referred to. */
  readonly seen: Set<string>;
}

/** `value` with each reference to the base in it changed. */
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

/** The reference to a definition of the same document. */
export function definitionReference(name: string): string {
  return `#${pointer("/$defs", name).replace(/[^\w/$~.-]/gu, encodeURIComponent)}`;
}

/** The document with a place for each definition of the base. */
export function withStubs(document: JsonObject, keys: Iterable<string>): JsonObject {
  const definitions = isJsonObject(document["$defs"]) ? document["$defs"] : jsonObject();
  const stubs = [...keys].map((key) => [key, jsonObject()] as const);
  return jsonObject([
    ...Object.entries(document).filter(([key]) => key !== "$defs"),
    ["$defs", jsonObject([...Object.entries(definitions), ...stubs])],
  ]);
}

/** The schema with the definitions of the base that it reaches in place of their stubs. */
export function withBaseDefinitions(
  schema: Schema,
  base: Schema,
  referred: ReadonlySet<string>,
  names: BaseNames,
): Schema {
  const definitions = new Map(schema.definitions);
  const rename = renaming(names);
  for (const name of reachable(base, referred)) {
    const definition = base.definitions.get(name);
    if (!definition) continue;
    const key = names.keyOf(name);
    definitions.set(key, renamed(definition, key, names, rename));
  }
  const patterns = new Map([...(base.patterns ?? []), ...(schema.patterns ?? [])]);
  return {
    ...schema,
    definitions: new Map([...definitions].sort(([a], [b]) => naturalCompare(a, b))),
    ...(patterns.size > 0 && { patterns }),
  };
}

type Rename = (node: SchemaNode) => SchemaNode;

function renamed(definition: Definition, key: string, { keyOf }: BaseNames, rename: Rename): Definition {
  const bases = definition.extends?.map(keyOf);
  return { ...definition, name: key, node: rename(definition.node), ...(bases && { extends: bases }) };
}

/** Nodes keep their identity where no name differs. */
function renaming({ keyOf }: BaseNames): Rename {
  const change = (node: SchemaNode): SchemaNode => {
    const inner = withChildren(node, change);
    return node.ref === undefined || keyOf(node.ref) === node.ref
      ? inner
      : { ...inner, ref: keyOf(node.ref) };
  };
  return change;
}
