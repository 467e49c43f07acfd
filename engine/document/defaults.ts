import { type WrittenSchema, inPlace, namesIn, ofItem, ofMember } from "../ir/subschemas.js";

/** Whether a schema may have defaults; one that has none spares each call a look for them. */
export function hasDefaults(schema: WrittenSchema): boolean {
  return JSON.stringify(schema).includes('"default":');
}

/** Values in values; defaults further below are not filled in. */
const mostDepth = 64;

/**
 * A value with the defaults of absent members that `properties` names, at every depth that `properties`, `items`,
 * `prefixItems`, `allOf` and `$ref` to a place in the schema lead to. An alternative (`anyOf`, `oneOf`, `if`) gives none: which
 * one applies is not known before the value is judged.
 *
 * @returns the value itself if there are none
 */
export function filled(schema: WrittenSchema, value: unknown): unknown {
  return filledBy([schema], value, schema, mostDepth);
}

/** @param schemas that all describe the value */
function filledBy(schemas: readonly unknown[], value: unknown, root: WrittenSchema, left: number): unknown {
  if (typeof value !== "object" || value === null || left === 0) return value;
  const here = inPlace(schemas, root);
  return Array.isArray(value)
    ? filledItems(here, value, root, left - 1)
    : filledMembers(here, value, root, left - 1);
}

function filledMembers(
  here: readonly WrittenSchema[],
  value: object,
  root: WrittenSchema,
  left: number,
): object {
  const members = new Map(Object.entries(value));
  for (const name of namesIn(here)) {
    const schemas = ofMember(here, name);
    const member = members.has(name) ? members.get(name) : defaultIn(inPlace(schemas, root));
    if (member !== undefined) members.set(name, filledBy(schemas, member, root, left));
  }
  const isSame =
    members.size === Object.keys(value).length &&
    Object.entries(value).every(([name, member]) => members.get(name) === member);
  return isSame ? value : Object.fromEntries(members);
}

function filledItems(
  here: readonly WrittenSchema[],
  value: readonly unknown[],
  root: WrittenSchema,
  left: number,
): readonly unknown[] {
  const items = value.map((item, index) => filledBy(ofItem(here, index), item, root, left));
  return items.some((item, index) => item !== value[index]) ? items : value;
}

/** A copy of the first default: a handler may change it. */
function defaultIn(schemas: readonly WrittenSchema[]): unknown {
  const schema = schemas.find((each) => each["default"] !== undefined);
  return schema && JSON.parse(JSON.stringify(schema["default"]));
}
