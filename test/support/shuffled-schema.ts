import { type JsonObject, type JsonValue, isJsonObject, jsonObject, keywords } from "@mcpgen/engine";
import { type Random, shuffled } from "../../generator/sample/values.js";

/** Keywords of draft-07, with the shape of their successors. */
const former: { readonly [keyword: string]: string } = {
  definitions: "schemaMap",
  additionalItems: "schema",
  dependencies: "schemaMap",
};

/** Returns a schema with the meaning of `document`, with keys and sets in random order. */
export function shuffledSchema(document: JsonObject, random: Random): JsonObject {
  return schema(document, random) as JsonObject;
}

function schema(value: JsonValue, random: Random): JsonValue {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([keyword, content]): [string, JsonValue] => [
    keyword,
    keywordValue(former[keyword] ?? keywords.get(keyword)?.shape, content, random),
  ]);
  return jsonObject(shuffled(entries, random));
}

function keywordValue(shape: string | undefined, value: JsonValue, random: Random): JsonValue {
  if (shape === "schema" && !Array.isArray(value)) return schema(value, random);
  if (shape === "schemaMap" && isJsonObject(value)) {
    return jsonObject(
      shuffled(
        Object.entries(value).map(([key, member]) => [key, schema(member, random)] as const),
        random,
      ),
    );
  }
  if (Array.isArray(value)) {
    if (shape === "schemaSet")
      return shuffled(
        value.map((member) => schema(member, random)),
        random,
      );
    if (shape === "schemaList" || shape === "schema") return value.map((member) => schema(member, random));
    if (shape === "valueSet")
      return shuffled(
        value.map((member) => shuffledValue(member, random)),
        random,
      );
  }
  if (shape === "stringSetMap" && isJsonObject(value)) {
    return jsonObject(
      shuffled(
        Object.entries(value).map(
          ([key, names]) => [key, shuffled(names as JsonValue[], random) as JsonValue] as const,
        ),
        random,
      ),
    );
  }
  return shuffledValue(value, random);
}

function shuffledValue(value: JsonValue, random: Random): JsonValue {
  if (Array.isArray(value)) return value.map((item) => shuffledValue(item, random));
  if (!isJsonObject(value)) return value;
  return jsonObject(
    shuffled(
      Object.entries(value).map(([key, member]) => [key, shuffledValue(member, random)] as const),
      random,
    ),
  );
}
