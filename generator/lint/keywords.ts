import { type JsonObject, type JsonValue, type JudgingKeyword, isJsonObject, pointer } from "@mcpgen/engine";
import { counted } from "../print/terminal-text.js";
import { definitionLists, typesOf } from "./places.js";
import {
  type LintRule,
  type LintSubject,
  type Mend,
  type SchemaPlace,
  type Spot,
  everyProfile,
  geminiProfiles,
} from "./rule.js";
import { keyword, objectIn, schema, spot, value, withoutKeyword } from "./spots.js";

const geminiFields = "https://github.com/pizza-bot-app/pizza-bot/issues/62";
const strictFields = "https://developers.openai.com/api/docs/guides/structured-outputs";
const inside = ({ isRoot }: { readonly isRoot: boolean }): boolean => !isRoot;

type Refusing = "gemini" | "strict" | "strict below the root";

/**
 * The interfaces that refuse a keyword whatever its value is: the rules `gemini-unknown-keyword` and `strict-unknown-keyword` say so.
 * None where the interfaces take it, or another rule says when they do not.
 */
const refusals: { readonly [Name in JudgingKeyword]: readonly Refusing[] } = {
  exclusiveMinimum: ["gemini"],
  exclusiveMaximum: ["gemini"],
  multipleOf: ["gemini"],
  uniqueItems: ["gemini", "strict"],
  const: ["gemini"],
  propertyNames: ["gemini", "strict"],
  patternProperties: ["gemini", "strict"],
  oneOf: ["gemini", "strict below the root"],
  allOf: ["gemini", "strict below the root"],
  not: ["gemini", "strict below the root"],
  if: ["gemini", "strict"],
  then: ["gemini", "strict"],
  else: ["gemini", "strict"],
  dependentRequired: ["gemini", "strict"],
  dependentSchemas: ["gemini", "strict"],
  prefixItems: ["gemini"],
  contains: ["gemini", "strict"],
  minContains: ["strict"],
  maxContains: ["strict"],
  minProperties: ["strict"],
  maxProperties: ["strict"],
  unevaluatedProperties: ["strict"],
  unevaluatedItems: ["strict"],
  $ref: [],
  anyOf: [],
  items: [],
  properties: [],
  additionalProperties: [],
  type: [],
  enum: [],
  minimum: [],
  maximum: [],
  minLength: [],
  maxLength: [],
  pattern: [],
  minItems: [],
  maxItems: [],
  required: [],
};

function refusedBy(profile: Refusing): string[] {
  return Object.entries(refusals).flatMap(([name, refusing]) => (refusing.includes(profile) ? [name] : []));
}

/** Rules about keywords that some model interfaces do not support. */
export const keywordRules: readonly LintRule[] = [
  {
    id: "gemini-unknown-keyword",
    profiles: geminiProfiles,
    level: "error",
    warns: ["gemini"],
    reason:
      "The field `parameters` of function declarations takes a subset of OpenAPI 3.0, and the interface rejects any other keyword. The field `parametersJsonSchema`, which most hosts use today, takes them.",
    fix: "Remove it and describe the limit, or replace it: `const` by `enum` with one value, `exclusiveMinimum` by `minimum`, `oneOf` by `anyOf`.",
    certain:
      "writes a `const` of text as `enum`, and removes what excludes nothing; for `gemini-parameters` only",
    sources: [geminiFields],
    find: keyword(
      refusedBy("gemini"),
      () => true,
      (place, name) => withoutIdle(place, name) ?? asEnum(place, name),
    ),
  },
  {
    id: "gemini-reference",
    profiles: geminiProfiles,
    level: "error",
    warns: ["gemini"],
    reason:
      "The field `parameters` of function declarations takes no references. The field `parametersJsonSchema`, which most hosts use today, takes them.",
    fix: "Inline the schema where it is used.",
    sources: [
      "https://github.com/Intelligent-Internet/gemini-cli-mcp-openai-bridge/pull/7",
      "https://github.com/DEEIX-AI/DEEIX-Chat/pull/564",
    ],
    find: keyword(["$ref", "$defs", "definitions"]),
  },
  {
    id: "gemini-reference-with-keywords",
    profiles: geminiProfiles,
    level: "error",
    reason: "Beside `$ref` the interface takes `description` and `default` only.",
    fix: "Remove the other keywords, or inline the schema.",
    sources: [
      "https://github.com/su-kaka/gcli2api/pull/374",
      "https://github.com/anomalyco/opencode/issues/12295",
    ],
    find: ({ places }) =>
      places.flatMap(({ schema: each, pointer: at }) => {
        if (typeof each["$ref"] !== "string") return [];
        return Object.keys(each)
          .filter((name) => !["$ref", "description", "default", ...definitionLists].includes(name))
          .map((name) => ({ pointer: pointer(at, name), message: `\`${name}\` beside \`$ref\`` }));
      }),
  },
  {
    id: "gemini-dropped-keyword",
    profiles: ["gemini-parameters"],
    level: "warning",
    reason:
      "The field `parameters` of function declarations does not take `$schema` and `additionalProperties`; most hosts remove them.",
    fix: "Remove them if the server must work with hosts that fill this field.",
    sources: [
      "https://github.com/zed-industries/zed/issues/45552",
      "https://github.com/zed-industries/zed/pull/29400",
    ],
    find: keyword(["$schema", "additionalProperties"]),
  },
  {
    id: "gemini-enum",
    profiles: geminiProfiles,
    level: "error",
    reason: "Values of `enum` must be strings, and none may be empty.",
    fix: "Use an enum of strings, or `minimum` and `maximum`; make an argument optional instead of the empty string.",
    sources: [
      "https://github.com/router-for-me/CLIProxyAPI/pull/1076",
      "https://github.com/weave-os/router/pull/65",
      "https://github.com/sbroenne/mcp-server-excel/issues/607",
    ],
    find: (subject) => [
      ...value(
        "enum",
        "an `enum` of more than strings",
        (each) => Array.isArray(each) && each.some((one) => typeof one !== "string"),
      )(subject),
      ...value(
        "enum",
        "the empty string in an `enum`",
        (each) => Array.isArray(each) && each.includes(""),
      )(subject),
    ],
  },
  {
    id: "gemini-type-list",
    profiles: geminiProfiles,
    level: "error",
    warns: ["gemini"],
    reason:
      "In the field `parameters` of function declarations `type` must be one type, not a list. The field `parametersJsonSchema`, which most hosts use today, takes a list.",
    fix: "Use `anyOf` with a schema for each type; replace `null` by an optional argument.",
    certain: "writes a list of one type as the type; for `gemini-parameters` only",
    sources: ["https://github.com/taylorwilsdon/google_workspace_mcp/issues/1099"],
    find: value("type", "a list of types", Array.isArray, ({ schema: { type }, pointer: at }) =>
      Array.isArray(type) && type.length === 1
        ? { edits: [{ replace: pointer(at, "type"), value: type[0]! }] }
        : undefined,
    ),
  },
  {
    id: "gemini-members-of-another-type",
    profiles: geminiProfiles,
    level: "error",
    reason:
      "The interface takes `properties` and `required` only where `type` is `object`, and `items` only where it is `array`.",
    fix: "Remove the keyword, or correct `type`.",
    certain: "removes the keyword, which restricts nothing",
    sources: ["https://github.com/anomalyco/opencode/issues/11889"],
    find: ({ places }) =>
      places.flatMap(({ schema: each, pointer: at }) => {
        const types = typesOf(each);
        if (types.length === 0) return [];
        return (["properties", "required", "items"] as const)
          .filter(
            (name) => Object.hasOwn(each, name) && !types.includes(name === "items" ? "array" : "object"),
          )
          .map((name) =>
            spot(pointer(at, name), `\`${name}\` of type ${types.join(", ")}`, {
              edits: [{ remove: pointer(at, name) }],
            }),
          );
      }),
  },
  {
    id: "gemini-enum-without-type",
    profiles: ["gemini-parameters"],
    level: "error",
    reason: "In the field `parameters` of function declarations `enum` is for `type: string` only.",
    fix: "Add `type: string`.",
    certain: "adds it if all values are texts",
    sources: ["https://github.com/JetBrains/mcp-jetbrains/issues/71"],
    find: schema(
      "an `enum` without `type: string`",
      ({ enum: values, type }) => Array.isArray(values) && type === undefined,
      ({ schema: { enum: values }, pointer: at }) =>
        Array.isArray(values) && values.length > 0 && values.every((one) => typeof one === "string")
          ? { edits: [{ after: pointer(at, "enum"), key: "type", value: "string" }] }
          : undefined,
    ),
  },
  {
    id: "gemini-format",
    profiles: ["gemini-parameters"],
    level: "error",
    reason:
      "In the field `parameters` of function declarations the `format` of a string is `enum` or `date-time`.",
    fix: "Remove it and describe the form.",
    sources: ["https://github.com/google-gemini/gemini-cli/issues/2237"],
    find: value(
      "format",
      "a `format` of a string",
      (each, within) => typesOf(within).includes("string") && each !== "enum" && each !== "date-time",
    ),
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
    fix: 'Require it, and allow null for an optional value: `type: ["string", "null"]`.',
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
    reason: "Strict mode supports a subset of JSON Schema without this keyword.",
    fix: "Remove it and describe the limit; replace `oneOf` by `anyOf`.",
    certain: "removes what excludes nothing, e.g. `uniqueItems: false`",
    sources: [strictFields],
    find: (subject) => [
      ...keyword(refusedBy("strict below the root"), inside)(subject),
      ...keyword(refusedBy("strict"), () => true, withoutIdle)(subject),
    ],
  },
  {
    id: "strict-format",
    profiles: ["openai", "strict"],
    level: "error",
    warns: ["openai"],
    reason:
      "Strict mode knows the formats `date-time`, `time`, `date`, `duration`, `email`, `hostname`, `ipv4`, `ipv6` and `uuid`, and rejects any other. Requests to the Responses API are strict unless the host says otherwise.",
    fix: "Remove `format` and describe the form.",
    sources: [
      strictFields,
      "https://github.com/cyanheads/git-mcp-server/issues/47",
      "https://github.com/tailcallhq/forgecode/issues/2974",
    ],
    find: (subject) =>
      subject.places
        .filter(({ schema: { format } }) => typeof format === "string" && !strictFormats.has(format))
        .map(({ schema: { format }, pointer: at }) =>
          spot(pointer(at, "format"), `the format ${JSON.stringify(format)}`),
        ),
  },
  {
    id: "strict-depth",
    profiles: ["strict"],
    level: "warning",
    reason: "The interface accepts at most 10 levels of nesting; older models accept 5.",
    fix: "Reduce the nesting.",
    sources: ["https://github.com/tidyverse/ellmer/issues/671"],
    find: ({ places }) => {
      const deep = places.find(({ depth, schema: each }) => depth > 5 && isObject(each));
      return deep ? [{ pointer: deep.pointer, message: `${deep.depth} levels of nesting` }] : [];
    },
  },
  {
    id: "strict-enum-size",
    profiles: ["strict"],
    level: "error",
    reason:
      "The interface accepts at most 1,000 values in all enums of a schema, and 15,000 characters in an enum of more than 250.",
    fix: "Declare a string without `enum`, describe its values, and check them in the handler; or add a tool that searches them.",
    sources: [strictFields],
    find: largeEnums,
  },
  {
    id: "untyped",
    profiles: everyProfile,
    level: "warning",
    reason: "Without a type a model must guess; some older hosts leave the tool out.",
    fix: "Add `type`.",
    sources: ["https://github.com/arben-adm/mcp-sequential-thinking/issues/12"],
    find: ({ places }) =>
      places
        .filter(({ schema: each, pointer: at }) => /\/properties\/[^/]*$/.test(at) && saysNothing(each))
        .map(({ pointer: at }) => ({ pointer: at, message: "no type" })),
  },
];

/** Formats that strict mode supports. */
const strictFormats = new Set([
  ...["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
]);

/** Keywords with a check for values that exclude nothing. */
const idleValues: ReadonlyMap<string, (given: JsonValue) => boolean> = new Map([
  ["uniqueItems", (given) => given === false],
  ["minProperties", (given) => given === 0],
  ...["propertyNames", "unevaluatedItems", "unevaluatedProperties"].map(
    (name) => [name, (given: JsonValue) => given === true || isEmpty(given)] as const,
  ),
  ...["patternProperties", "dependentSchemas", "dependentRequired"].map((name) => [name, isEmpty] as const),
]);

function isEmpty(given: JsonValue): boolean {
  return isJsonObject(given) && Object.keys(given).length === 0;
}

function withoutIdle(place: SchemaPlace, name: string): Mend | undefined {
  return idleValues.get(name)?.(place.schema[name]!) ? withoutKeyword(place, name) : undefined;
}

/** Replaces a string constant by an equivalent enum of one. */
function asEnum({ schema: each, pointer: at }: SchemaPlace, name: string): Mend | undefined {
  const only = each["const"];
  if (name !== "const" || typeof only !== "string" || only === "" || Object.hasOwn(each, "enum"))
    return undefined;
  const place = pointer(at, name);
  return {
    edits: [
      { replace: place, value: [only] },
      { rename: place, key: "enum" },
    ],
  };
}

/** The largest enum of a schema with too many values in total, and each enum with too many characters. */
function largeEnums({ places }: LintSubject): Spot[] {
  const lists = places.flatMap(({ schema: { enum: values }, pointer: at }) =>
    Array.isArray(values) ? [{ at: pointer(at, "enum"), size: values.length, text: textLength(values) }] : [],
  );
  const total = lists.reduce((sum, { size }) => sum + size, 0);
  const [largest] = [...lists].sort((a, b) => b.size - a.size);
  const inAll = `${total} values in ${counted(lists.length, "enum")}`;
  return [
    ...(total > 1000 ? [{ pointer: largest!.at, message: inAll }] : []),
    ...lists
      .filter(({ size, text }) => size > 250 && text > 15_000)
      .map(({ at, size, text }) => ({
        pointer: at,
        message: `${text} characters in an enum of ${size} values`,
      })),
  ];
}

/** Number of characters of the strings in an enum; null counts as none. */
function textLength(values: readonly JsonValue[]): number {
  return values.reduce<number>((sum, each) => sum + (typeof each === "string" ? each.length : 0), 0);
}

function isObject(each: JsonObject): boolean {
  return typesOf(each).includes("object") || Object.hasOwn(each, "properties");
}

function saysNothing(each: JsonObject): boolean {
  return !["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"].some((name) =>
    Object.hasOwn(each, name),
  );
}
