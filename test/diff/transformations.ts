import { type JsonObject, type JsonValue, isJsonObject, keywords } from "@mcpgen/engine";
import { type Random, randomFrom } from "../../generator/sample/values.js";
import { shuffledSchema } from "../support/shuffled-schema.js";

/** Ways to write a schema differently that mean the same on the wire. */
export const transformations: Readonly<Record<string, (document: JsonObject) => JsonObject>> = {
  shuffled: (document) => shuffledSchema(document, randomFrom("shuffled")),
  renamed,
  extracted,
  inlined,
  split,
};

/** Names that carry meaning: the unions of messages by sender, and the result of requests without one. */
const keptNames = new Set([
  "ClientRequest",
  "ServerRequest",
  "ClientNotification",
  "ServerNotification",
  "Result",
  "EmptyResult",
]);

function definitionsOf(document: JsonObject): JsonObject {
  return document["$defs"] as JsonObject;
}

/** Rewrites every schema of a document, inner ones first. */
function rewritten(document: JsonObject, change: (schema: JsonObject, at: string) => JsonValue): JsonObject {
  const definitions = Object.entries(definitionsOf(document)).map(([name, schema]) => [
    name,
    deep(schema, name, change),
  ]);
  return { ...document, $defs: Object.fromEntries(definitions) as JsonObject };
}

function deep(
  value: JsonValue,
  at: string,
  change: (schema: JsonObject, at: string) => JsonValue,
): JsonValue {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([keyword, content]): [string, JsonValue] => {
    const shape = keywords.get(keyword)?.shape;
    const place = `${at}/${keyword}`;
    if (shape === "schema") return [keyword, deep(content, place, change)];
    if (shape === "schemaMap" && isJsonObject(content)) {
      const members = Object.entries(content).map(([key, member]) => [
        key,
        deep(member, `${place}/${key}`, change),
      ]);
      return [keyword, Object.fromEntries(members) as JsonObject];
    }
    if ((shape === "schemaSet" || shape === "schemaList") && Array.isArray(content)) {
      return [keyword, content.map((member, index) => deep(member, `${place}/${index}`, change))];
    }
    return [keyword, content];
  });
  return change(Object.fromEntries(entries), at);
}

function renamed(document: JsonObject): JsonObject {
  const nameOf = (name: string): string => (keptNames.has(name) ? name : `Renamed${name}`);
  const result = rewritten(document, (schema) =>
    typeof schema["$ref"] === "string"
      ? { ...schema, $ref: `#/$defs/${nameOf(schema["$ref"].slice("#/$defs/".length))}` }
      : schema,
  );
  const entries = Object.entries(definitionsOf(result)).map(([name, schema]) => [nameOf(name), schema]);
  return { ...result, $defs: Object.fromEntries(entries) as JsonObject };
}

/** Gives every object and union inside a definition a name. */
function extracted(document: JsonObject): JsonObject {
  const added: JsonObject = {};
  const result = rewritten(document, (schema, at) => {
    const isInside = at.includes("/");
    if (!isInside || !(schema["properties"] ?? schema["anyOf"] ?? schema["enum"])) return schema;
    // The constant that identifies a message must remain in its definition.
    const name = `Extracted${Object.keys(added).length}`;
    added[name] = schema;
    return { $ref: `#/$defs/${name}` };
  });
  return { ...result, $defs: { ...definitionsOf(result), ...added } };
}

/** Writes out every definition that does not contain itself in the places that refer to it, two levels deep. */
function inlined(document: JsonObject): JsonObject {
  const once = (source: JsonObject): JsonObject => {
    const definitions = definitionsOf(document);
    return rewritten(source, (schema, at) => {
      if (typeof schema["$ref"] !== "string" || at.split("/").length < 2) return schema;
      const name = schema["$ref"].slice("#/$defs/".length);
      const kept = /(Request|Notification|Result|Response)$/.test(name) || at.startsWith("JSONRPC");
      if (kept || contains(definitions, name, name)) return schema;
      const { $ref: _ref, ...rest } = schema;
      return { ...(definitions[name] as JsonObject), ...rest };
    });
  };
  return once(once(document));
}

function contains(definitions: JsonObject, from: string, name: string, seen = new Set<string>()): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  const references = [...JSON.stringify(definitions[from]).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(
    ([, to]) => to!,
  );
  return references.some((to) => to === name || contains(definitions, to, name, seen));
}

/** Divides the members of every open object between the two parts of an `allOf`. */
function split(document: JsonObject): JsonObject {
  return rewritten(document, (schema) => {
    const { properties, required, additionalProperties, type, ...rest } = schema;
    if (!isJsonObject(properties) || type !== "object" || Object.keys(properties).length < 2) return schema;
    if (additionalProperties !== undefined && JSON.stringify(additionalProperties) !== "{}") return schema;
    const names = Object.keys(properties);
    const isFirst = (name: string): boolean => names.indexOf(name) % 2 === 0;
    const part = (wanted: (name: string) => boolean): JsonObject => {
      const listed = ((required as string[] | undefined) ?? []).filter(wanted);
      return {
        type: "object",
        properties: Object.fromEntries(Object.entries(properties).filter(([name]) => wanted(name))),
        ...(listed.length > 0 && { required: listed }),
      };
    };
    return { ...rest, allOf: [part(isFirst), part((name) => !isFirst(name))] };
  });
}

export function seeded(seed: string): Random {
  return randomFrom(seed);
}
