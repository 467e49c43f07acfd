import { isObject } from "@mcpgen/base";
import type { JsonSchema } from "./schema-type.js";
import { valueAt } from "./words.js";

// The subschemas that are certain to describe a value or a part of it, whatever the value is: `if`, `anyOf` and `oneOf` lead to
// none.

/** The schemas, and those that they apply to the same value: by `allOf`, and by references to a place in the root. */
export function inPlace(schemas: readonly unknown[], root: unknown): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const pending = [...schemas];
  for (const schema of pending) {
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    pending.push(referred(schema["$ref"], root), ...listOf(schema["allOf"]));
  }
  return [...found];
}

/** The members that `properties` names. */
export function namesIn(here: readonly JsonSchema[]): ReadonlySet<string> {
  return new Set(here.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])));
}

/** The schemas of a member. */
export function ofMember(here: readonly JsonSchema[], name: string): readonly unknown[] {
  return here.flatMap(({ properties }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  );
}

/** The schemas of an item. */
export function ofItem(here: readonly JsonSchema[], index: number): readonly unknown[] {
  return here.map(({ prefixItems, items }) => {
    const first = listOf(prefixItems);
    return index < first.length ? first[index] : items;
  });
}

/** The subschema that a reference names by a JSON Pointer (RFC 6901, section 6); no other reference is followed. */
export function referred(reference: unknown, root: unknown): unknown {
  const isPointer = typeof reference === "string" && /^#(?:\/|$)/.test(reference);
  return isPointer ? valueAt(root, decoded(reference.slice(1))) : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // Not percent-encoded: the engine takes the name as it stands, too.
    return fragment;
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
