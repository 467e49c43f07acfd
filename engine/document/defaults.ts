import { type WrittenSchema, inPlace, namesIn, ofItem, ofMember } from "../ir/subschemas.js";

/** Whether a schema may have defaults. Otherwise, calls need not search for them. */
export function hasDefaults(schema: WrittenSchema): boolean {
  return JSON.stringify(schema).includes('"default":');
}

/** Maximum depth of values at which defaults are filled in. */
const mostDepth = 64;

/**
 * Fills in the defaults of a schema for absent members in `properties`, at every depth that `properties`, `items`,
 * `prefixItems`, `allOf` and a `$ref` within the schema reach. Defaults inside an alternative (`anyOf`, `oneOf`, `if`)
 * are ignored, because only validation shows which alternative applies.
 *
 * @returns the value itself if no defaults apply
 */
export function filled(schema: WrittenSchema, value: unknown): unknown {
  return filledBy([schema], value, schema, mostDepth);
}

/** @param schemas schemas that all describe the value */
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

/** A copy of the first default, because a handler may change it. */
function defaultIn(schemas: readonly WrittenSchema[]): unknown {
  const schema = schemas.find((each) => each["default"] !== undefined);
  return schema && JSON.parse(JSON.stringify(schema["default"]));
}
