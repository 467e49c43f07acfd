// Finds the subschemas of a written schema that certainly describe a value or a part of it, whatever the value is. So
// `if`, `anyOf` and `oneOf` are not followed.
import { referencedPointer } from "./fragment.js";
import { type JsonValue, atPointer, isJsonObject } from "./json.js";

/** A JSON Schema as an object. */
export interface WrittenSchema {
  readonly [keyword: string]: unknown;
}

/**
 * The schemas, and the subschemas that they apply to the same value by `allOf` and by references to a place in the
 * root.
 */
export function inPlace(schemas: readonly unknown[], root: unknown): readonly WrittenSchema[] {
  const found = new Set<WrittenSchema>();
  const pending = [...schemas];
  for (const schema of pending) {
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    pending.push(referred(schema["$ref"], root), ...listOf(schema["allOf"]));
  }
  return [...found];
}

/** The members that `properties` names. */
export function namesIn(here: readonly WrittenSchema[]): ReadonlySet<string> {
  return new Set(here.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : [])));
}

/** The schemas of a member. */
export function ofMember(here: readonly WrittenSchema[], name: string): readonly unknown[] {
  return here.flatMap(({ properties }) =>
    isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  );
}

/** The schemas of an item. */
export function ofItem(here: readonly WrittenSchema[], index: number): readonly unknown[] {
  return here.map(({ prefixItems, items }) => {
    const first = listOf(prefixItems);
    return index < first.length ? first[index] : items;
  });
}

/** The subschema that a reference names by a JSON Pointer (RFC 6901, section 6); no other reference is followed. */
export function referred(reference: unknown, root: unknown): unknown {
  const isPointer = typeof reference === "string" && /^#(?:\/|$)/.test(reference);
  return isPointer ? atPointer(root as JsonValue, referencedPointer(reference)) : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
