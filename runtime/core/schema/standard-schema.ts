import { placeOf, pointer } from "@mcpgen/engine/explain";
import { isObject, isPromise, McpError, messageOf } from "@mcpgen/base";
import type {
  Checked,
  JsonSchema,
  Parse,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./schema-type.js";

/** The side of a schema that is described: values before parsing, or after it. */
export type Side = "input" | "output";

/** How to get JSON Schema from libraries that do not implement Standard JSON Schema themselves. */
const remedies: { readonly [vendor: string]: string } = {
  zod: "Use zod 4.2 or newer",
  valibot: "Wrap it by toStandardJsonSchema(…) of the package @valibot/to-json-schema",
  arktype: "Use arktype 2.1.28 or newer",
};

/** The function that makes an object schema from a shape. */
const wrappers: { readonly [vendor: string]: string } = {
  zod: "z.object({ … })",
  valibot: "toStandardJsonSchema(v.object({ … }))",
  arktype: "type({ … })",
};

export function isStandard(schema: unknown): schema is StandardSchema {
  const standard = (schema as Partial<StandardSchema> | null | undefined)?.["~standard"];
  return typeof standard?.validate === "function";
}

/**
 * The JSON Schema of one side of a schema.
 *
 * @param place the name of the schema in errors
 * @throws {McpError} `invalid-definition`: the library has no JSON Schema, or JSON Schema cannot express the schema
 */
export function jsonSchemaOf(schema: StandardSchema, side: Side, place: string): JsonSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  if (!jsonSchema) {
    const remedy = Object.hasOwn(remedies, vendor)
      ? remedies[vendor]!
      : "Use a version that implements Standard JSON Schema";
    throw invalid(`${place}: the schema of ${vendor} has no JSON Schema. ${remedy}, or pass JSON Schema.`);
  }
  try {
    return converted(schema, side);
  } catch (error) {
    const member = failingMember(schema, side);
    const where = member === "" ? place : `${place}, member ${member}`;
    throw invalid(
      `${where}: ${vendor} cannot write it as JSON Schema: ${messageOf(error).replace(/[.]?$/, ".")} ${advice[side]}, or pass JSON Schema.`,
      error,
    );
  }
}

const advice: { readonly [side in Side]: string } = {
  input: "Describe the JSON that arrives, such as a text in place of a date, and transform it in the schema",
  output: "End a transformation with a schema of the JSON that it makes, such as a text in place of a date",
};

function converted(schema: StandardSchema, side: Side, override?: Override): JsonSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  const overrideAction = (step: ValibotStep): object | undefined =>
    sameTypeSchema(step, side) ?? override?.(step);
  const libraryOptions = vendor === "valibot" ? { overrideAction, overrideSchema: override } : undefined;
  const written = jsonSchema![side]({ target, ...(libraryOptions ? { libraryOptions } : {}) });
  return withoutDefaultDialect(written);
}

const target = "draft-2020-12";

/**
 * A schema without `$schema`, if that names the dialect that MCP assumes without it (2025-11-25, JSON Schema usage). The
 * library wrote it, so its author cannot remove it, and hosts that know only draft-07 refuse every call of the tool.
 */
function withoutDefaultDialect(schema: JsonSchema): JsonSchema {
  const { $schema, ...rest } = schema;
  return $schema === "https://json-schema.org/draft/2020-12/schema" ? rest : schema;
}

/** Actions of valibot that keep the type of a value. */
const sameType =
  /^(trim|normalize|readonly|brand|flavor|(to_(lower|upper)_case|to_(min|max)_value|(filter|sort)_items)$)/;

/**
 * Steps of a pipe that JSON Schema cannot express. The schema sent to clients leaves out a step that keeps the type; the
 * library still applies it.
 */
function sameTypeSchema(
  { valibotAction: action, jsonSchema, errors }: ValibotStep,
  side: Side,
): object | undefined {
  return action &&
    errors &&
    (side === "input" || action.kind !== "transformation" || sameType.test(action.type))
    ? jsonSchema
    : undefined;
}

/** Returns the JSON Schema that replaces the converted one. */
type Override = (step: ValibotStep) => object | undefined;

/** A schema, or an action of a pipe, that valibot converts. */
interface ValibotStep {
  readonly valibotAction?: { readonly kind: string; readonly type: string };
  readonly jsonSchema: object;
  readonly errors?: unknown;
}

/** The keyword that marks a schema valibot cannot convert. */
const marker = "x-mcpgen-unconverted";

const marked: Override = ({ errors }) => (errors ? { [marker]: true } : undefined);

/** Path of the member that has no JSON Schema; empty if it is the schema itself, or if the library hides the member. */
function failingMember(schema: StandardSchema, side: Side): string {
  try {
    // Valibot hides the original schema of a derived one, and converts a schema as a whole.
    if (schema["~standard"].vendor === "valibot")
      return placeOfFailure(converted(schema, side, marked), (part) =>
        JSON.stringify(part)?.includes(marker),
      );
    return placeOfFailure(schema, (part) => isStandard(part) && isUnconvertible(part, side));
  } catch {
    return "";
  }
}

function isUnconvertible(schema: StandardSchema, side: Side): boolean {
  if (!schema["~standard"].jsonSchema) return false;
  try {
    converted(schema, side);
    return false;
  } catch {
    return true;
  }
}

/** The problem if an object whose members are schemas stands in the place of a schema; otherwise `undefined`. */
export function shapeProblem(given: unknown): string | undefined {
  if (!isObject(given)) return undefined;
  const member = Object.values(given).find(isStandard);
  if (!member) return undefined;
  const { vendor } = member["~standard"];
  const wrapper = Object.hasOwn(wrappers, vendor) ? `, such as ${wrappers[vendor]}` : "";
  return `expected a schema, got an object whose members are schemas of ${vendor}. Make an object schema of it${wrapper}`;
}

/** Parses a value, with defaults, coercions and transformations. Returns the new value, or a text that explains the issues. */
export function parserOf(schema: StandardSchema): Parse {
  return (value) => {
    const result = schema["~standard"].validate(value);
    return isPromise(result) ? result.then(parsed) : parsed(result);
  };
}

function parsed({ value, issues }: StandardResult): Checked {
  return issues ? issuesText(issues) : { value };
}

/** The first three issues, one per line. */
function issuesText(issues: readonly StandardIssue[]): string {
  const lines = issues.slice(0, 3).map(({ message, path = [] }) => {
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
    return keys.length === 0 ? message : `${placeOf(pointer("", ...keys))}: ${message}`;
  });
  return lines.join("\n");
}

function invalid(message: string, cause?: unknown): McpError {
  return new McpError("invalid-definition", message, { cause });
}

/** Keywords of JSON Schema, zod and valibot whose value has a subschema for each member of an object. */
const membersOf = /^(properties|shape|entries)$/;

/** Keywords that hold the schema of items, or of members with any name. */
const itemsOf = /^(items?|prefixItems|element|rest|additionalProperties|valueType|value)$/;

/** Maximum number of parts that are examined. */
const mostParts = 1_000;

/**
 * The place of an innermost part that fails, such as `address.lines[]`; empty for the schema itself.
 *
 * @param fails whether a part or anything in it fails; also called with values that are not schemas
 */
function placeOfFailure(schema: unknown, fails: (part: unknown) => boolean): string {
  const pending: (readonly [step: string, part: unknown])[] = [["", schema]];
  for (const [place, part] of pending) {
    const failing = partsOf(part).filter(([, inner]) => fails(inner));
    if (failing.length === 0) return place.replace(/^\./, "");
    // The loop also visits the parts that it adds; a schema that refers to itself is added once.
    for (const [step, inner] of failing)
      if (pending.length < mostParts && pending.every(([, known]) => known !== inner))
        pending.push([place + step, inner]);
  }
  return "";
}

/** Subschemas, and other values at places of subschemas. */
function partsOf(schema: unknown): (readonly [step: string, part: unknown])[] {
  if (!isObject(schema)) return [];
  // Zod keeps the parts of a schema in `def`.
  const { def = schema } = schema;
  return Object.entries(def as object).flatMap(([keyword, value]: [string, unknown]) => {
    if (membersOf.test(keyword) && isObject(value))
      return Object.entries(value).map(([name, part]) => [stepTo(name), part] as const);
    const step = itemsOf.test(keyword) ? "[]" : "";
    return (Array.isArray(value) ? value : [value]).map((part: unknown) => [step, part] as const);
  });
}

function stepTo(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
