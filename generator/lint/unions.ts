import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { typesOf } from "./places.js";
import { type LintRule, type Spot, everyProfile } from "./rule.js";
import { objectIn } from "./spots.js";

/** Rules about unions. */
export const unionRules: readonly LintRule[] = [
  {
    id: "ambiguous-union",
    profiles: everyProfile,
    level: "warning",
    reason:
      "One value can match two arms of a union. A model cannot know which is meant, `oneOf` rejects a value that matches both, and errors may refer to the wrong arm.",
    fix: "Give each object a required property with a different constant (`kind: { const: circle }`), or merge them into one object.",
    find: ({ tool, places }) =>
      places.flatMap(({ schema, pointer: at }) =>
        ["anyOf", "oneOf"].flatMap((keyword) =>
          ambiguous(schema[keyword], pointer(at, keyword), tool.inputSchema),
        ),
      ),
  },
];

/** Only the first arms are compared: comparing all pairs of a large union would take quadratic time. */
const mostArms = 100;

function ambiguous(arms: JsonValue | undefined, at: string, root: JsonObject): Spot[] {
  if (!Array.isArray(arms)) return [];
  const resolved = arms.slice(0, mostArms).map((arm) => (isJsonObject(arm) ? resolve(arm, root) : {}));
  for (const [index, arm] of resolved.entries()) {
    const other = resolved.slice(0, index).findIndex((each) => overlaps(each, arm));
    if (other >= 0)
      return [{ pointer: pointer(at, index), message: `arms ${other} and ${index} can be the same value` }];
  }
  return [];
}

function resolve(arm: JsonObject, root: JsonObject): JsonObject {
  const [, list, name] =
    typeof arm["$ref"] === "string" ? (/^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(arm["$ref"]) ?? []) : [];
  return list === undefined ? arm : objectIn(objectIn(root, list), name!);
}

/** Whether a value may match both schemas. Nested unions count as distinct, because they are not analysed. */
function overlaps(a: JsonObject, b: JsonObject): boolean {
  if (isNested(a) || isNested(b) || onlyRequires(a) || onlyRequires(b)) return false;
  const [types, others] = [kinds(a), kinds(b)];
  const common = types.filter((type) => others.includes(type));
  if (common.length === 0) return false;
  const [values, otherValues] = [valuesOf(a), valuesOf(b)];
  if (values || otherValues)
    return !!values && !!otherValues && values.some((value) => otherValues.includes(value));
  if (common.some((type) => type !== "object"))
    return !["pattern", "format", "items", "minimum", "maximum"].some((each) => each in a || each in b);
  return !areDistinct(a, b);
}

function isNested(each: JsonObject): boolean {
  return ["anyOf", "oneOf", "allOf", "not", "if"].some((keyword) => Object.hasOwn(each, keyword));
}

/** `anyOf: [{ required: [a] }, { required: [b] }]` requires at least one of them; both may be present. */
function onlyRequires(each: JsonObject): boolean {
  return Object.keys(each).every((keyword) => keyword === "required");
}

function kinds(each: JsonObject): readonly string[] {
  const types = typesOf(each).map((type) => (type === "integer" ? "number" : type));
  if (types.length > 0) return types;
  const values = valuesOf(each);
  if (values) return [...new Set(values.map((value) => kindOfText(value)))];
  return Object.hasOwn(each, "properties")
    ? ["object"]
    : ["string", "number", "boolean", "object", "array", "null"];
}

function kindOfText(json: string): string {
  const value: unknown = JSON.parse(json);
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/** The values that a schema allows, as JSON, where it lists them. */
function valuesOf(each: JsonObject): readonly string[] | undefined {
  if (Object.hasOwn(each, "const")) return [JSON.stringify(each["const"])];
  return Array.isArray(each["enum"]) ? each["enum"].map((value) => JSON.stringify(value)) : undefined;
}

/** A required property distinguishes two objects if the other object cannot have it, or not with such a value. */
function areDistinct(a: JsonObject, b: JsonObject): boolean {
  return (
    lacks(a, b) ||
    lacks(b, a) ||
    requiredOf(a).some((name) => requiredOf(b).includes(name) && differ(name, a, b))
  );
}

function lacks(a: JsonObject, b: JsonObject): boolean {
  const known = objectIn(b, "properties");
  return b["additionalProperties"] === false && requiredOf(a).some((name) => !Object.hasOwn(known, name));
}

function differ(name: string, a: JsonObject, b: JsonObject): boolean {
  const [one, other] = [objectIn(objectIn(a, "properties"), name), objectIn(objectIn(b, "properties"), name)];
  const [values, others] = [valuesOf(one), valuesOf(other)];
  if (values && others) return !values.some((value) => others.includes(value));
  return !kinds(one).some((kind) => kinds(other).includes(kind));
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return [required].flat().filter((each) => typeof each === "string");
}
