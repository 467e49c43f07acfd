import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  keywords,
  pointer,
  referencedPointer,
} from "@mcpgen/engine";
import type { SchemaPlace } from "./rule.js";

/** Keywords of older drafts that contain schemas. */
const older = new Map([
  ["definitions", "schemaMap"],
  ["dependencies", "schemaMap"],
  ["additionalItems", "schema"],
]);

/** Keywords whose schemas describe values inside the value. */
const inward = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "items",
  "prefixItems",
  "contains",
]);

/** A schema and all subschemas in the order of the text, at any depth without recursion. */
export function placesOf(root: JsonObject, at: string): SchemaPlace[] {
  const places: SchemaPlace[] = [];
  const waiting: SchemaPlace[] = [{ schema: root, pointer: at, isRoot: true, depth: 1 }];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    places.push(place);
    const below: SchemaPlace[] = [];
    for (const [keyword, value] of Object.entries(place.schema)) {
      const depth = place.depth + (inward.has(keyword) ? 1 : 0);
      for (const [path, schema] of schemasIn(keyword, value, place.pointer)) {
        if (isJsonObject(schema)) below.push({ schema, pointer: path, isRoot: false, depth });
      }
    }
    waiting.push(...below.reverse());
  }
  return places;
}

/** The keywords that contain a schema's definitions. */
export const definitionLists = ["$defs", "definitions"];

/** Pointers of the definitions that the schema itself does not refer to, directly or indirectly. */
export function unusedDefinitions(places: readonly SchemaPlace[]): string[] {
  const [root] = places;
  const prefixes = definitionLists.flatMap((list) => {
    const found = root!.schema[list];
    return isJsonObject(found) ? Object.keys(found).map((name) => pointer(root!.pointer, list, name)) : [];
  });
  if (prefixes.length === 0) return [];
  const targets = new Map<string | undefined, Set<string>>();
  for (const { schema, pointer: at } of places) {
    const within = definitionAround(at, root!.pointer);
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const reference = schema[keyword];
      if (typeof reference !== "string") continue;
      const target = definitionAround(root!.pointer + referencedPointer(reference), root!.pointer);
      // A reference by URI is not followed, because its target may be anywhere.
      if (!/^#(?:\/|$)/.test(reference)) return [];
      if (target !== undefined) targets.set(within, (targets.get(within) ?? new Set()).add(target));
    }
  }
  const used = new Set<string>();
  const waiting = [...(targets.get(undefined) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (used.has(next)) continue;
    used.add(next);
    waiting.push(...(targets.get(next) ?? []));
  }
  return prefixes.filter((prefix) => !used.has(prefix));
}

/** The definition that contains a place; undefined if it is in none. */
export function definitionAround(at: string, root: string): string | undefined {
  const [, list, name] = at.slice(root.length).split("/");
  return name !== undefined && definitionLists.includes(list!) ? `${root}/${list}/${name}` : undefined;
}

function schemasIn(keyword: string, value: JsonValue, at: string): [string, JsonValue][] {
  const shape = keywords.get(keyword)?.shape ?? older.get(keyword);
  const here = pointer(at, keyword);
  if (shape === "schemaMap")
    return isJsonObject(value) ? Object.entries(value).map(([key, each]) => [pointer(here, key), each]) : [];
  if (shape !== "schema" && shape !== "schemaList" && shape !== "schemaSet") return [];
  if (Array.isArray(value)) return value.map((each, index) => [pointer(here, index), each]);
  return [[here, value]];
}

/** The types that a schema names. */
export function typesOf({ type }: JsonObject): readonly string[] {
  return [type].flat().filter((each) => typeof each === "string");
}
