import { isObject } from "../jsonrpc/message.js";
import type { Check, JsonSchema, Parse } from "./schema-type.js";
import { valueAt } from "./words.js";

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
export function hasDefaults(schema: JsonSchema): boolean {
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

function filledMembers(here: ReadonlySet<JsonSchema>, value: object, root: JsonSchema, left: number): object {
  const described = new Map<string, unknown[]>();
  for (const { properties } of here)
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {}))
      described.set(name, [...(described.get(name) ?? []), schema]);
  const members = new Map(Object.entries(value));
  for (const [name, schemas] of described) {
    const member = members.has(name) ? members.get(name) : defaultIn(inPlace(schemas, root));
    if (member !== undefined) members.set(name, filled(schemas, member, root, left));
  }
  const isSame =
    members.size === Object.keys(value).length &&
    Object.entries(value).every(([name, member]) => members.get(name) === member);
  return isSame ? value : Object.fromEntries(members);
}

function filledItems(
  here: ReadonlySet<JsonSchema>,
  value: readonly unknown[],
  root: JsonSchema,
  left: number,
): readonly unknown[] {
  const items = value.map((item, at) => {
    const schemas = [...here].map(({ prefixItems, items: rest }) =>
      Array.isArray(prefixItems) && at < prefixItems.length ? (prefixItems[at] as unknown) : rest,
    );
    return filled(schemas, item, root, left);
  });
  return items.some((item, at) => item !== value[at]) ? items : value;
}

/** The schemas, and those that they apply to the same value. */
function inPlace(schemas: readonly unknown[], root: JsonSchema): ReadonlySet<JsonSchema> {
  const found = new Set<JsonSchema>();
  const pending = [...schemas];
  for (const schema of pending) {
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    const { $ref, allOf } = schema;
    if (typeof $ref === "string") pending.push(target($ref, root));
    if (Array.isArray(allOf)) pending.push(...allOf);
  }
  return found;
}

/** A copy of the first default: a handler may change it. */
function defaultIn(schemas: ReadonlySet<JsonSchema>): unknown {
  const schema = [...schemas].find((each) => each["default"] !== undefined);
  return schema && JSON.parse(JSON.stringify(schema["default"]));
}

/** The place of a schema that a reference names by a JSON pointer (RFC 6901, section 6). */
function target(reference: string, root: JsonSchema): unknown {
  return /^#(?:\/|$)/.test(reference) ? valueAt(root, decoded(reference.slice(1))) : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // Not percent-encoded: the engine takes the name as it stands, too.
    return fragment;
  }
}
