import { withoutOptionalNulls } from "./optional-nulls.js";
import { type CheckedSchema, orElse, schemaCheck } from "./schema-check.js";
import type { Check, JsonSchema, Parse, ToolSchema } from "./schema-type.js";
import { isStandard } from "./standard-schema.js";
import { inPlace, namesIn, ofItem, ofMember } from "./subschemas.js";

// What becomes of the arguments of a call before the handler gets them.

/**
 * The schema of the arguments of a tool or a prompt. Its check fills in the defaults of JSON Schema; a library fills in its own. Null
 * counts as absent where it may.
 *
 * @param place as for `schemaCheck`
 * @throws {McpError} `invalid-definition`
 */
export function argumentsCheck(given: ToolSchema, place: string): CheckedSchema {
  const checked = schemaCheck(given, place, "input", "object");
  const { schema, check } = checked;
  const isFilled = isStandard(given) || !hasDefaults(schema);
  const filled = isFilled ? check : withDefaults(check as Check, () => schema);
  return { schema, check: withoutNulls(filled, () => schema) };
}

/**
 * A check for which the null of an optional member counts as absent where its schema takes no null: hosts in the strict mode of
 * OpenAI make each argument required and nullable. Only what the check refuses is searched for nulls.
 *
 * @param schemaOf returns the schema; it is called with each value that is refused
 */
export function withoutNulls(check: Parse, schemaOf: () => JsonSchema | undefined): Parse {
  return orElse(check, async (problem, value, request) => {
    if (request?.connection.definition.nulls === "reject") return problem;
    const schema = schemaOf();
    const rest = schema && withoutOptionalNulls(schema, value);
    if (!rest) return problem;
    const found = await check(rest.value, request);
    if (request) {
      const { method, params, id: requestId } = request.request;
      const name = params?.["name"] as string | undefined;
      request.connection.emit({ type: "nulls-ignored", method, name, requestId, members: rest.nulls });
    }
    return found ?? { value: rest.value };
  });
}

/**
 * A check that fills in the defaults of a JSON Schema: of absent members that `properties` names, at every depth that
 * `properties`, `items`, `prefixItems`, `allOf` and `$ref` to a place in the schema lead to. An alternative (`anyOf`, `oneOf`,
 * `if`) gives none: which one applies is known after the check only. If the schema refuses a value with its defaults, the
 * value is judged as it was sent: a wrong default makes no call fail.
 *
 * @param schemaOf returns the schema; it is called with each value
 */
export function withDefaults(check: Check, schemaOf: () => JsonSchema | undefined): Parse {
  return (value, request) => {
    const { argumentDefaults = true } = request?.connection.definition ?? {};
    const root = argumentDefaults ? schemaOf() : undefined;
    const given = root ? filled([root], value, root, mostDepth) : value;
    return given !== value && check(given) === undefined ? { value: given } : check(value);
  };
}

/** Whether a JSON Schema may have defaults; one that has none spares each call a look for them. */
function hasDefaults(schema: JsonSchema): boolean {
  return JSON.stringify(schema).includes('"default":');
}

/** Values in values; defaults further below are not filled in. */
const mostDepth = 64;

/** @param schemas that all describe the value */
function filled(schemas: readonly unknown[], value: unknown, root: JsonSchema, left: number): unknown {
  if (typeof value !== "object" || value === null || left === 0) return value;
  const here = inPlace(schemas, root);
  return Array.isArray(value)
    ? filledItems(here, value, root, left - 1)
    : filledMembers(here, value, root, left - 1);
}

function filledMembers(here: readonly JsonSchema[], value: object, root: JsonSchema, left: number): object {
  const members = new Map(Object.entries(value));
  for (const name of namesIn(here)) {
    const schemas = ofMember(here, name);
    const member = members.has(name) ? members.get(name) : defaultIn(inPlace(schemas, root));
    if (member !== undefined) members.set(name, filled(schemas, member, root, left));
  }
  const isSame =
    members.size === Object.keys(value).length &&
    Object.entries(value).every(([name, member]) => members.get(name) === member);
  return isSame ? value : Object.fromEntries(members);
}

function filledItems(
  here: readonly JsonSchema[],
  value: readonly unknown[],
  root: JsonSchema,
  left: number,
): readonly unknown[] {
  const items = value.map((item, index) => filled(ofItem(here, index), item, root, left));
  return items.some((item, index) => item !== value[index]) ? items : value;
}

/** A copy of the first default: a handler may change it. */
function defaultIn(schemas: readonly JsonSchema[]): unknown {
  const schema = schemas.find((each) => each["default"] !== undefined);
  return schema && JSON.parse(JSON.stringify(schema["default"]));
}
