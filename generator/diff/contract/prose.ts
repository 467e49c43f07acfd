import { type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";

/** Keywords whose members are named by people: a property may be called `description`. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords that hold values, not schemas. */
const values = new Set(["const", "default", "enum", "examples"]);
const texts = new Set(["title", "description"]);

/** The texts of a schema and of all schemas in it, by JSON Pointer. */
export function proseOf(schema: JsonValue): ReadonlyMap<string, string> {
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
