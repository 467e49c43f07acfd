import { type JsonObject, type JsonValue, isJsonObject, keywords, pointer } from "@mcpgen/engine";
import type { SchemaPlace } from "./rule.js";

/** Keywords of older drafts that hold schemas. */
const older = new Map([
  ["definitions", "schemaMap"],
  ["additionalItems", "schema"],
]);

/** Keywords whose schemas are about what is inside the value. */
const inward = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "items",
  "prefixItems",
  "contains",
]);

/** A schema and everything below it, in the order of the text; as deep as it goes, without recursion. */
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
