import type { JsonObject } from "@mcpgen/engine";
import { typesOf } from "./places.js";
import { type LintRule, everyProfile } from "./rule.js";
import { keyword, objectIn, schema, value } from "./spots.js";

const geminiFields = "https://github.com/pizza-bot-app/pizza-bot/issues/62";
const strictFields = "https://developers.openai.com/api/docs/guides/structured-outputs";
const inside = ({ isRoot }: { readonly isRoot: boolean }): boolean => !isRoot;

/** Rules about keywords that single hosts do not know. */
export const keywordRules: readonly LintRule[] = [
  {
    id: "gemini-unknown-keyword",
    profiles: ["gemini"],
    level: "error",
    reason:
      "Function declarations know a part of OpenAPI 3.0: a keyword beyond it has the whole request refused, unless the host takes it out.",
    fix: "Leave it out and say it in the description: `enum` with one value for `const`, `minimum` for `exclusiveMinimum`, `anyOf` for `oneOf`.",
    sources: [geminiFields],
    find: (subject) => [
      ...keyword([
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "uniqueItems",
        "const",
        "propertyNames",
        "patternProperties",
        "oneOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "prefixItems",
        "contains",
      ])(subject),
    ],
  },
  {
    id: "gemini-reference",
    profiles: ["gemini"],
    level: "error",
    reason: "Function declarations have no references, unless the host resolves them.",
    fix: "Write the schema out where it is used.",
    sources: ["https://github.com/Intelligent-Internet/gemini-cli-mcp-openai-bridge/pull/7"],
    find: keyword(["$ref", "$defs", "definitions"]),
  },
  {
    id: "gemini-dropped-keyword",
    profiles: ["gemini"],
    level: "warning",
    reason: "Older interfaces refuse `$schema` and `additionalProperties`; hosts mostly take them out.",
    fix: "Leave them out where Gemini matters.",
    sources: ["https://github.com/zed-industries/zed/pull/29400"],
    find: keyword(["$schema", "additionalProperties"]),
  },
  {
    id: "gemini-enum",
    profiles: ["gemini"],
    level: "error",
    reason: "Values of `enum` are strings.",
    fix: "Make it an enum of strings, or give `minimum` and `maximum`.",
    sources: ["https://github.com/weave-os/router/pull/65"],
    find: value(
      "enum",
      "an `enum` of more than strings",
      (each) => Array.isArray(each) && each.some((one) => typeof one !== "string"),
    ),
  },
  {
    id: "gemini-type-list",
    profiles: ["gemini"],
    level: "error",
    reason: "`type` is one type, never a list.",
    fix: "Use `anyOf` with a schema for each type; leave `null` out and make the argument optional.",
    sources: ["https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099"],
    find: value("type", "a list of types", Array.isArray),
  },
  {
    id: "strict-open-object",
    profiles: ["strict"],
    level: "error",
    reason: "Every object must have `additionalProperties: false`.",
    fix: "Add `additionalProperties: false`.",
    sources: ["https://github.com/bytedance/trae-agent/issues/173"],
    find: schema(
      "an object without `additionalProperties: false`",
      (each) => isObject(each) && each["additionalProperties"] !== false,
    ),
  },
  {
    id: "strict-optional",
    profiles: ["strict"],
    level: "error",
    reason: "Every property must be in `required`.",
    fix: 'Require it, and let it be null if it may be left out: `type: ["string", "null"]`.',
    sources: ["https://github.com/kevinwatt/mysql-mcp/issues/5"],
    find: schema("a property that is not required", (each) => {
      const required = new Set([each["required"]].flat());
      return Object.keys(objectIn(each, "properties")).some((name) => !required.has(name));
    }),
  },
  {
    id: "strict-unknown-keyword",
    profiles: ["strict"],
    level: "error",
    reason: "Strict mode knows a part of JSON Schema; these keywords are not permitted.",
    fix: "Leave it out and say it in the description; `anyOf` for `oneOf`.",
    sources: [strictFields],
    find: (subject) => [
      ...keyword(["oneOf", "allOf", "not"], inside)(subject),
      ...keyword([
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "contains",
        "minContains",
        "maxContains",
        "uniqueItems",
      ])(subject),
    ],
  },
  {
    id: "strict-depth",
    profiles: ["strict"],
    level: "warning",
    reason: "At most 10 levels of nesting are taken, by older models 5.",
    fix: "Make it flatter.",
    sources: ["https://github.com/tidyverse/ellmer/issues/671"],
    find: ({ places }) => {
      const deep = places.find(({ depth, schema: each }) => depth > 5 && isObject(each));
      return deep ? [{ pointer: deep.pointer, message: `${deep.depth} levels of nesting` }] : [];
    },
  },
  {
    id: "untyped",
    profiles: everyProfile,
    level: "warning",
    reason: "A schema that says nothing of the type leaves a model to guess, and some hosts refuse it.",
    fix: "Add `type`.",
    find: ({ places }) =>
      places
        .filter(({ schema: each, pointer: at }) => /\/properties\/[^/]*$/.test(at) && saysNothing(each))
        .map(({ pointer: at }) => ({ pointer: at, message: "no type" })),
  },
];

function isObject(each: JsonObject): boolean {
  return typesOf(each).includes("object") || Object.hasOwn(each, "properties");
}

function saysNothing(each: JsonObject): boolean {
  return !["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"].some((name) =>
    Object.hasOwn(each, name),
  );
}
