import {
  type JsonObject,
  type JsonValue,
  canonicalText,
  isJsonObject,
  jsonObject,
  pointer,
} from "@mcpgen/engine";
import { mapReferences } from "./references.js";

/** What programs that print schemas write at length, and how often. */
export interface StyleCounts {
  /** Unions of constants that became one `enum`. */
  readonly enums: number;
  /** Ranges of JavaScript's integers, and names of members that are strings, that were left out. */
  readonly empty: number;
}

/**
 * The definitions in the style of the protocol's own schema: a set of strings is an `enum`, and keywords that say
 * nothing about JSON messages are left out.
 *
 * @param keep whether a place must stay as it is
 */
export function inPlainStyle(
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

/** The strings of a union of constants that are strings; undefined for any other node. */
function constants(node: JsonObject): string[] | undefined {
  const arms = node["anyOf"] ?? node["oneOf"];
  if (!Array.isArray(arms) || "type" in node || "enum" in node) return undefined;
  const values = arms.map((arm) => (isJsonObject(arm) && isConstant(arm) ? arm["const"] : undefined));
  return values.every((value) => typeof value === "string") ? [...new Set(values)] : undefined;
}

function isConstant(arm: JsonObject): boolean {
  return Object.keys(arm).every((keyword) => keyword === "const" || keyword === "type");
}

/** Members of `allOf` that are only an `allOf` stand in the outer one; objects of different members become one. */
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
