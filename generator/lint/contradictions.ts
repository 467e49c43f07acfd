import {
  type JsonObject,
  type JsonValue,
  atPointer,
  isJsonObject,
  matcherOf,
  pointer,
  referencedPointer,
} from "@mcpgen/engine";
import { typesOf } from "./places.js";
import { type Question, answers } from "./reading.js";
import {
  type LintRule,
  type LintSubject,
  type Mend,
  type SchemaPlace,
  type Spot,
  everyProfile,
} from "./rule.js";
import { inResults, objectIn, schema, spot, value } from "./spots.js";

/** Rules about schemas whose keywords contradict each other. */
export const contradictionRules: readonly LintRule[] = [
  {
    id: "default-does-not-fit",
    profiles: everyProfile,
    level: "warning",
    reason: "The default is not valid: a model that sends it gets an error.",
    fix: "Correct the default or the schema. If the argument may be absent, leave `default: null` out.",
    certain: "removes null where the argument may be absent",
    sources: ["https://json-schema.org/draft/2020-12/json-schema-validation#section-9.2"],
    find: wrongDefaults,
  },
  {
    id: "choice-does-not-fit",
    profiles: everyProfile,
    level: "warning",
    reason:
      "`enum` or `const` has a value that the same schema refuses: a model that sends it gets an error.",
    fix: "Correct the value or the schema, e.g. `type`; a choice of null needs null among the types.",
    sources: ["https://json-schema.org/draft/2020-12/json-schema-validation#section-6.1"],
    find: inResults(({ places }) =>
      (["enum", "const"] as const).flatMap((name) =>
        refused(places, (each) => choicesIn(each, name)).map(({ place, value: choice }) =>
          spot(pointer(place.pointer, name), `the choice ${shortText(choice)} is not valid`),
        ),
      ),
    ),
  },
  {
    id: "empty-enum",
    profiles: everyProfile,
    level: "warning",
    reason:
      "No value is valid; some interfaces reject an empty list, and hosts that compile the schema of a result fail.",
    fix: "List the values, or remove `enum`.",
    sources: ["https://github.com/hugohe3/ppt-master/issues/58"],
    find: inResults(value("enum", "an empty `enum`", (each) => Array.isArray(each) && each.length === 0)),
  },
  {
    id: "empty-range",
    profiles: everyProfile,
    level: "warning",
    reason: "The lower limit is above the upper one: nothing of that type is valid.",
    fix: "Correct the limits.",
    find: inResults(schema("a lower limit above the upper one", isEmptyRange)),
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
    find: (subject) => undeclared(subject),
  },
  {
    id: "nullable",
    profiles: ["claude", "openai", "strict"],
    level: "warning",
    reason: "JSON Schema has no `nullable`: null stays invalid, also in results, which hosts then refuse.",
    fix: 'Add null to the types, `type: ["string", "null"]`, or make the argument optional.',
    sources: ["https://json-schema.org/draft/2020-12/json-schema-validation#section-6.1.1"],
    find: inResults(({ places }) =>
      refused(places, (each) => (each["nullable"] === true ? [null] : [])).map(({ place }) =>
        spot(pointer(place.pointer, "nullable"), "`nullable: true`"),
      ),
    ),
  },
];

/** Finds values in schemas that the schemas reject. @param named returns the values that a schema names */
function refused(
  places: readonly SchemaPlace[],
  named: (schema: JsonObject) => readonly JsonValue[],
): Question[] {
  const questions = places.flatMap((place) =>
    named(place.schema).map((each): Question => ({ place, value: each })),
  );
  const valid = answers(places[0]!, questions);
  return questions.filter((_, index) => !valid[index]);
}

function choicesIn(each: JsonObject, name: "enum" | "const"): readonly JsonValue[] {
  if (!Object.hasOwn(each, name)) return [];
  const choices = name === "const" ? [each[name]!] : each[name]!;
  return Array.isArray(choices) ? choices : [];
}

function wrongDefaults({ places }: LintSubject): Spot[] {
  return refused(places, (each) => (Object.hasOwn(each, "default") ? [each["default"]!] : [])).map(
    (question) =>
      spot(
        pointer(question.place.pointer, "default"),
        `the default ${shortText(question.value)} is not valid`,
        question.value === null ? absentDefault(question.place, places) : undefined,
      ),
  );
}

/** Removes a default of null from an optional property, where it only means that the property is absent. */
function absentDefault({ pointer: at }: SchemaPlace, places: readonly SchemaPlace[]): Mend | undefined {
  const [, around, key] = /^(.*)\/properties\/([^/]*)$/.exec(at) ?? [];
  const holder = places.find((place) => place.pointer === around);
  const required = holder && [holder.schema["required"]].flat();
  const isOptional = required && !required.some((name) => pointer("", name as string) === `/${key}`);
  return isOptional ? { edits: [{ remove: pointer(at, "default") }] } : undefined;
}

function shortText(given: JsonValue): string {
  const text = JSON.stringify(given);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

const ranges = [
  ["string", "minLength", "maxLength"],
  ["array", "minItems", "maxItems"],
  ["array", "minContains", "maxContains"],
  ["object", "minProperties", "maxProperties"],
] as const;

/**
 * Whether limits exclude each other for a type that the schema allows; limits of other types have no effect.
 */
function isEmptyRange(each: JsonObject): boolean {
  const types = typesOf(each);
  const allows = (type: string): boolean => types.length === 0 || types.includes(type);
  const limit = (name: string, absent: number): number => {
    const given = each[name];
    return typeof given === "number" ? given : absent;
  };
  const isEmpty = ranges.some(
    ([type, lower, upper]) =>
      allows(type) &&
      // Without `contains`, its limits have no effect.
      (lower !== "minContains" || Object.hasOwn(each, "contains")) &&
      limit(lower, -Infinity) > limit(upper, Infinity),
  );
  if (isEmpty) return true;
  if (!allows("number") && !allows("integer")) return false;
  const [minimum, above] = [limit("minimum", -Infinity), limit("exclusiveMinimum", -Infinity)];
  const [maximum, below] = [limit("maximum", Infinity), limit("exclusiveMaximum", Infinity)];
  const [lower, upper] = [Math.max(minimum, above), Math.min(maximum, below)];
  if (lower > upper || (lower === upper && (lower === above || upper === below))) return true;
  const [lowest, highest] = [
    Math.max(Math.ceil(minimum), Math.floor(above) + 1),
    Math.min(Math.floor(maximum), Math.ceil(below) - 1),
  ];
  return !allows("number") && lowest > highest;
}

/** Names in `required` that no schema of the same object declares. */
function undeclared({ places, tool }: LintSubject): Spot[] {
  const byPointer = new Map(places.map((place) => [place.pointer, place]));
  return places.flatMap((place) => {
    const { schema: each, pointer: at, isRoot } = place;
    const isObject = isRoot || typesOf(each).includes("object") || Object.hasOwn(each, "properties");
    const { required } = each;
    if (!isObject || !Array.isArray(required) || isForbidding(at)) return [];
    const declared = new Declared(tool.inputSchema);
    for (let around: SchemaPlace | undefined = place; around; around = holderOf(around, byPointer))
      declared.add(around.schema);
    return required.flatMap((name, index) =>
      typeof name === "string" && !declared.has(name)
        ? [
            {
              pointer: pointer(at, "required", index),
              message: `required ${JSON.stringify(name)}, not declared`,
            },
          ]
        : [],
    );
  });
}

/** Whether the place describes what is forbidden (`not`), where names need no declaration. */
function isForbidding(at: string): boolean {
  return /\/not(?:\/|$)/.test(
    at.replace(/\/(?:properties|patternProperties|dependentSchemas|\$defs|definitions)\/[^/]*/g, ""),
  );
}

/** The enclosing schema that describes the same object. */
function holderOf(
  { pointer: at }: SchemaPlace,
  places: ReadonlyMap<string, SchemaPlace>,
): SchemaPlace | undefined {
  const around = /^(.*)\/(?:(?:allOf|anyOf|oneOf)\/\d+|if|then|else|dependentSchemas\/[^/]*)$/.exec(at)?.[1];
  return around === undefined ? undefined : places.get(around);
}

/** The names of properties that schemas of one object declare, including referenced schemas. */
class Declared {
  readonly #root: JsonObject;
  readonly #seen = new Set<JsonObject>();
  readonly #names = new Set<string>();
  readonly #patterns: { readonly test: (name: string) => boolean }[] = [];
  /** Set if a part cannot be examined, so that any name may be declared there. */
  #isOpen = false;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  has(name: string): boolean {
    return this.#isOpen || this.#names.has(name) || this.#patterns.some((pattern) => pattern.test(name));
  }

  add(each: JsonValue | undefined): void {
    if (!isJsonObject(each) || this.#seen.has(each)) return;
    this.#seen.add(each);
    for (const name of Object.keys(objectIn(each, "properties"))) this.#names.add(name);
    for (const pattern of Object.keys(objectIn(each, "patternProperties"))) this.#addPattern(pattern);
    for (const list of ["allOf", "anyOf", "oneOf"])
      for (const arm of [each[list] ?? []].flat()) this.add(arm);
    for (const name of ["if", "then", "else"]) this.add(each[name]);
    for (const arm of Object.values(objectIn(each, "dependentSchemas"))) this.add(arm);
    if (Object.hasOwn(each, "$ref")) this.#addTarget(each["$ref"]!);
    if (Object.hasOwn(each, "$dynamicRef") || Object.hasOwn(each, "$recursiveRef")) this.#isOpen = true;
  }

  #addPattern(pattern: string): void {
    try {
      const matcher = matcherOf(pattern);
      if (matcher) this.#patterns.push(matcher);
      else this.#isOpen = true;
    } catch {
      this.#isOpen = true;
    }
  }

  #addTarget(reference: JsonValue): void {
    const isPlace = typeof reference === "string" && /^#(?:\/|$)/.test(reference);
    const target = isPlace ? atPointer(this.#root, referencedPointer(reference)) : undefined;
    if (isJsonObject(target)) this.add(target);
    else this.#isOpen = true;
  }
}

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

/** Maximum number of arms compared: comparing all pairs of a large union would take quadratic time. */
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

/** The values that a schema lists, as JSON; undefined if it lists none. */
function valuesOf(each: JsonObject): readonly string[] | undefined {
  if (Object.hasOwn(each, "const")) return [JSON.stringify(each["const"])];
  return Array.isArray(each["enum"]) ? each["enum"].map((value) => JSON.stringify(value)) : undefined;
}

/**
 * Whether a required property distinguishes two objects: the other object cannot have it, or only with other
 * values.
 */
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
