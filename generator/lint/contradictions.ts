import { type JsonObject, type JsonValue, SchemaError, pointer, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { definitionLists, typesOf } from "./places.js";
import { type LintRule, type LintSubject, type SchemaPlace, type Spot, everyProfile } from "./rule.js";
import { objectIn, schema, value } from "./spots.js";

/** Rules about schemas whose keywords contradict each other. */
export const contradictionRules: readonly LintRule[] = [
  {
    id: "default-does-not-fit",
    profiles: everyProfile,
    level: "warning",
    reason: "The default is not valid: a model that sends it gets an error.",
    fix: "Correct the default or the schema. If the argument may be absent, leave `default: null` out.",
    sources: ["https://json-schema.org/draft/2020-12/json-schema-validation#section-9.2"],
    find: (subject) =>
      subject.places
        .filter((place) => Object.hasOwn(place.schema, "default") && !takesDefault(place, subject))
        .map(({ schema: each, pointer: at }) => ({
          pointer: pointer(at, "default"),
          message: `the default ${shortText(each["default"]!)} is not valid`,
        })),
  },
  {
    id: "empty-enum",
    profiles: everyProfile,
    level: "warning",
    reason: "No value is valid, and some interfaces reject an empty list.",
    fix: "List the values, or remove `enum`.",
    sources: ["https://github.com/hugohe3/ppt-master/issues/58"],
    find: value("enum", "an empty `enum`", (each) => Array.isArray(each) && each.length === 0),
  },
  {
    id: "empty-range",
    profiles: everyProfile,
    level: "warning",
    reason: "The lower limit is above the upper one: no value is valid.",
    fix: "Correct the limits.",
    find: schema("a lower limit above the upper one", isEmptyRange),
  },
  {
    id: "required-without-property",
    profiles: everyProfile,
    level: "error",
    warns: ["claude", "openai"],
    reason:
      "`required` names a property that `properties` does not declare. Gemini and the strict mode of OpenAI reject the request; other models do not know what to send.",
    fix: "Declare the property, or remove its name from `required`.",
    sources: [
      "https://github.com/MarkusPfundstein/mcp-obsidian/issues/105",
      "https://github.com/anomalyco/opencode/issues/3140",
    ],
    find: ({ places }) => places.flatMap(undeclared),
  },
];

/** Whether the default of a place is valid there; also if the schema cannot be read, which other findings report. */
function takesDefault({ schema: each }: SchemaPlace, { tool }: LintSubject): boolean {
  const definitions = definitionLists.flatMap((list) =>
    Object.hasOwn(tool.inputSchema, list) ? [[list, tool.inputSchema[list]!] as const] : [],
  );
  try {
    const read = readDocument({ ...Object.fromEntries(definitions), ...each });
    return !read.root || isValid(read, read.root, each["default"]!);
  } catch (error) {
    if (error instanceof SchemaError) return true;
    throw error;
  }
}

function shortText(given: JsonValue): string {
  const text = JSON.stringify(given);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

const ranges = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
] as const;

function isEmptyRange(each: JsonObject): boolean {
  const limit = (name: string): number | undefined => {
    const given = each[name];
    return typeof given === "number" ? given : undefined;
  };
  const isAbove = (lower: number | undefined, upper: number | undefined, exclusive: boolean): boolean =>
    lower !== undefined && upper !== undefined && (exclusive ? lower >= upper : lower > upper);
  return (
    ranges.some(([lower, upper]) => isAbove(limit(lower), limit(upper), false)) ||
    isAbove(limit("exclusiveMinimum"), limit("maximum"), true) ||
    isAbove(limit("minimum"), limit("exclusiveMaximum"), true) ||
    isAbove(limit("exclusiveMinimum"), limit("exclusiveMaximum"), true)
  );
}

/** Keywords that may declare properties beside `properties`. */
const declaring = ["allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas", "patternProperties"];

function undeclared({ schema: each, pointer: at, isRoot }: SchemaPlace): Spot[] {
  const isObject = isRoot || typesOf(each).includes("object") || Object.hasOwn(each, "properties");
  const { required } = each;
  if (!isObject || !Array.isArray(required) || declaring.some((name) => Object.hasOwn(each, name))) return [];
  const declared = objectIn(each, "properties");
  return required.flatMap((name, index) =>
    typeof name === "string" && !Object.hasOwn(declared, name)
      ? [
          {
            pointer: pointer(at, "required", index),
            message: `required ${JSON.stringify(name)}, not declared`,
          },
        ]
      : [],
  );
}
