import type { JsonValue } from "@mcpgen/engine";
import type { SchemaObject } from "./typed-schema.js";

/** A schema written in another way, which means the same for values whose members are renamed. */
export interface Spelling {
  readonly name: string;
  /** Returns `undefined` if the schema cannot be written so. */
  readonly write: (schema: SchemaObject) => SchemaObject | undefined;
  readonly rename: (name: string) => string;
}

type Keywords = { readonly [keyword: string]: JsonValue };

const same = (name: string): string => name;
const isObject = (value: JsonValue | undefined): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const one = new Set([
  ...["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const maps = new Set(["$defs", "dependentSchemas", "patternProperties", "properties"]);

/** A schema with all its subschemas, inner ones first, changed. */
function changed(schema: JsonValue, change: (schema: Keywords) => Keywords): JsonValue {
  if (!isObject(schema)) return schema;
  const inner = (keyword: string, content: JsonValue): JsonValue => {
    if (one.has(keyword)) return changed(content, change);
    if (lists.has(keyword)) return (content as JsonValue[]).map((each) => changed(each, change));
    if (!maps.has(keyword)) return content;
    return mapped(content as Keywords, same, (each) => changed(each, change));
  };
  return change(
    Object.fromEntries(
      Object.entries(schema).map(([keyword, content]) => [keyword, inner(keyword, content)]),
    ),
  );
}

function mapped(
  members: Keywords,
  rename: (name: string) => string,
  change: (value: JsonValue) => JsonValue,
): Keywords {
  return Object.fromEntries(Object.entries(members).map(([key, child]) => [rename(key), change(child)]));
}

/** Whether a keyword occurs anywhere in a schema. */
function has(schema: SchemaObject, ...keywords: readonly string[]): boolean {
  return keywords.some((keyword) => JSON.stringify(schema).includes(`${JSON.stringify(keyword)}:`));
}

const changedWhole = (schema: SchemaObject, change: (schema: Keywords) => Keywords): SchemaObject =>
  changed(schema, change) as SchemaObject;

/** References written in another way, and definitions to which they lead. */
function referring(
  name: string,
  referenceTo: (definition: string) => Keywords,
  define: (name: string, definition: JsonValue) => JsonValue,
  whole: (schema: SchemaObject) => SchemaObject = (schema) => schema,
): Spelling {
  return {
    name,
    rename: same,
    write: (schema) => {
      const { $defs, ...rest } = changedWhole(schema, ({ $ref, ...others }) =>
        typeof $ref === "string" ? { ...others, ...referenceTo($ref.slice("#/$defs/".length)) } : others,
      );
      const definitions = Object.entries($defs as Keywords).map(([key, each]) => [key, define(key, each)]);
      return whole({ ...rest, $defs: Object.fromEntries(definitions) as Keywords });
    },
  };
}

/** The identity needs an object, so a boolean schema becomes one. */
const asObject = (schema: JsonValue): Keywords =>
  schema === true ? {} : schema === false ? { not: {} } : (schema as Keywords);

/** Names for the members a, b and c that are also keywords, and names of definitions. */
const names: readonly (readonly [members: readonly string[], definitions: readonly string[]])[] = [
  [
    ["__proto__", "a/b~c%25", "type"],
    ["constructor", "__proto__"],
  ],
  [
    ["$ref", "properties", "~0"],
    ["", "a/b~1 c%"],
  ],
  [
    ["", "$id", "items"],
    ["~1", "é天"],
  ],
];

const renamed = ([members, definitions]: (typeof names)[number]): Spelling => {
  const from = ["a", "b", "c"];
  const rename = (name: string): string => members[from.indexOf(name)] ?? name;
  const define = (name: string): string => definitions[["A", "B"].indexOf(name)]!;
  const escaped = (name: string): string =>
    define(name).replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25");
  const renamedValue = (value: JsonValue): JsonValue => withNames(value, rename);
  const change = (schema: Keywords): Keywords => {
    const { $ref, const: only, enum: values, required, dependentRequired } = schema;
    const { properties, dependentSchemas, $defs } = schema;
    return {
      ...schema,
      ...(typeof $ref === "string" && { $ref: `#/$defs/${escaped($ref.slice("#/$defs/".length))}` }),
      ...(only !== undefined && { const: renamedValue(only) }),
      ...(values !== undefined && { enum: (values as JsonValue[]).map(renamedValue) }),
      ...(required !== undefined && { required: (required as string[]).map(rename) }),
      ...(isObject(dependentRequired) && {
        dependentRequired: mapped(dependentRequired, rename, (list) => (list as string[]).map(rename)),
      }),
      ...(isObject(properties) && { properties: mapped(properties, rename, (each) => each) }),
      ...(isObject(dependentSchemas) && {
        dependentSchemas: mapped(dependentSchemas, rename, (each) => each),
      }),
      ...(isObject($defs) && { $defs: mapped($defs, define, (each) => each) }),
    };
  };
  return {
    name: `members called ${members.map((each) => JSON.stringify(each)).join(", ")}`,
    rename,
    write: (schema) =>
      has(schema, "patternProperties", "propertyNames") ? undefined : changedWhole(schema, change),
  };
};

/** A value with other names of its members. */
export function withNames(value: JsonValue, rename: (name: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((each) => withNames(each, rename));
  if (!isObject(value)) return value;
  return mapped(value, rename, (each) => withNames(each, rename));
}

/** Draft-07 has other keywords, and ignores the siblings of `$ref`. */
function asDraft07(schema: Keywords): Keywords {
  const { $ref, $defs, prefixItems, items, allOf = [], ...rest } = schema;
  const { dependentRequired, dependentSchemas, ...others } = rest;
  const dependencies = {
    ...(dependentRequired as Keywords | undefined),
    ...(dependentSchemas as Keywords | undefined),
  };
  const parts = [...($ref === undefined ? [] : [{ $ref }]), ...(allOf as JsonValue[])];
  return {
    ...others,
    ...(parts.length > 0 && { allOf: parts }),
    ...(prefixItems !== undefined && { items: prefixItems, additionalItems: items ?? true }),
    ...(prefixItems === undefined && items !== undefined && { items }),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
    ...($defs !== undefined && { definitions: $defs }),
  };
}

const newer = ["unevaluatedItems", "unevaluatedProperties", "minContains"];

const draft07: Spelling = {
  name: "draft-07",
  rename: same,
  write: (schema) =>
    has(schema, ...newer)
      ? undefined
      : {
          $schema: "http://json-schema.org/draft-07/schema#",
          ...(JSON.parse(
            JSON.stringify(changedWhole(schema, asDraft07)).replaceAll("#/$defs/", "#/definitions/"),
          ) as SchemaObject),
        },
};

/** The ways to write a schema; the first is the schema itself. */
export const spellings: readonly Spelling[] = [
  { name: "as it is", rename: same, write: (schema) => schema },
  referring(
    "anchors",
    (name) => ({ $ref: `#${name}` }),
    (name, each) => ({ ...asObject(each), $anchor: name }),
  ),
  referring(
    "dynamic anchors",
    (name) => ({ $dynamicRef: `#${name}` }),
    (name, each) => ({ ...asObject(each), $dynamicAnchor: name }),
  ),
  referring(
    "pointers with escapes",
    (name) => ({ $ref: `#/$defs/${name}~1~0%25%20/allOf/0` }),
    (_, each) => each,
    ({ $defs, ...rest }) => ({
      ...rest,
      $defs: mapped(
        $defs as Keywords,
        (key) => `${key}/~% `,
        (each) => ({ allOf: [each] }),
      ),
    }),
  ),
  referring(
    "identities",
    (name) => ({ $ref: `${name}.json` }),
    (name, each) => ({ ...asObject(each), $id: `${name}.json` }),
    (schema) => ({ $id: "https://example.com/schemas/root.json", ...schema }),
  ),
  referring(
    "absolute identities",
    (name) => ({ $ref: `urn:example:${name}` }),
    (name, each) => ({ ...asObject(each), $id: `urn:example:${name}` }),
  ),
  draft07,
  ...names.map(renamed),
];
