import { type JsonValue, jsonEqual } from "@mcpgen/engine";

type Schema = boolean | { readonly [keyword: string]: unknown };
type Schemas = { readonly [name: string]: Schema };

/** The places of members and items that a schema describes, by JSON Pointer without escapes. */
type Places = ReadonlySet<string>;

/**
 * Reads JSON Schema 2020-12 as a person does, and not as the engine: whether a value is valid, and whether each of its
 * members is described by a schema that accepts it (what `unevaluatedProperties` calls evaluated, at every depth).
 */
export function judged(root: Schema, value: JsonValue): "invalid" | "undescribed" | "described" {
  const places = placesOf(root, value, "", root);
  if (!places) return "invalid";
  return [...members(value, "")].every((place) => places.has(place)) ? "described" : "undescribed";
}

function* members(value: JsonValue, at: string): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (!Array.isArray(value)) yield `${at}/${key}`;
    yield* members(child, `${at}/${key}`);
  }
}

/** The places that a schema describes; nothing if it refuses the value. */
function placesOf(schema: Schema, value: JsonValue, at: string, root: Schema): Places | undefined {
  if (schema === true) return new Set();
  if (schema === false) return undefined;
  const found = new Set<string>();
  const holds = (part: Schema | undefined, inner: JsonValue = value, place = at): boolean => {
    const places = part === undefined ? new Set<string>() : placesOf(part, inner, place, root);
    for (const each of places ?? []) found.add(each);
    return places !== undefined;
  };
  const given = <T>(keyword: string): T | undefined => schema[keyword] as T | undefined;
  const isRight =
    isOfType(given<string | string[]>("type"), value) &&
    (given("const") === undefined || jsonEqual(given("const")!, value)) &&
    (given<JsonValue[]>("enum")?.some((one) => jsonEqual(one, value)) ?? true) &&
    isWithinLimits(schema, value) &&
    isInPlaceRight(schema, value, root, holds, at) &&
    areMembersRight(schema, value, at, found, holds) &&
    areItemsRight(schema, value, at, holds);
  return isRight ? found : undefined;
}

type Holds = (part: Schema | undefined, inner?: JsonValue, place?: string) => boolean;

function isInPlaceRight(
  schema: Exclude<Schema, boolean>,
  value: JsonValue,
  root: Schema,
  holds: Holds,
  at: string,
): boolean {
  const {
    $ref,
    allOf,
    anyOf,
    oneOf,
    not,
    if: test,
    then,
    else: otherwise,
  } = schema as {
    readonly $ref?: string;
    readonly allOf?: Schema[];
    readonly anyOf?: Schema[];
    readonly oneOf?: Schema[];
    readonly [keyword: string]: unknown;
  };
  const definitions = (root as { readonly $defs?: Schemas }).$defs ?? {};
  if ($ref !== undefined && !holds($ref === "#" ? root : definitions[$ref.slice("#/$defs/".length)]!))
    return false;
  if (allOf && !allOf.every((part) => holds(part))) return false;
  // Every arm that accepts the value describes its members.
  if (anyOf && anyOf.filter((arm) => holds(arm)).length === 0) return false;
  if (oneOf && oneOf.filter((arm) => holds(arm)).length !== 1) return false;
  if (not !== undefined && placesOf(not as Schema, value, at, root)) return false;
  if (test !== undefined && !holds((holds(test as Schema) ? then : otherwise) as Schema | undefined))
    return false;
  const dependent = Object.entries((schema["dependentSchemas"] as Schemas | undefined) ?? {});
  return dependent.every(([name, part]) => !hasMember(value, name) || holds(part));
}

function areMembersRight(
  schema: Exclude<Schema, boolean>,
  value: JsonValue,
  at: string,
  found: Set<string>,
  holds: Holds,
): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return true;
  const properties = (schema["properties"] as Schemas | undefined) ?? {};
  const others = schema["additionalProperties"] as Schema | undefined;
  const required = (schema["required"] as string[] | undefined) ?? [];
  const dependent = Object.entries(
    (schema["dependentRequired"] as { [name: string]: string[] } | undefined) ?? {},
  );
  const wanted = [
    ...required,
    ...dependent.flatMap(([name, names]) => (hasMember(value, name) ? names : [])),
  ];
  return (
    wanted.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([key, child]) => {
      const own = Object.hasOwn(properties, key) ? properties[key] : others;
      if (own === undefined) return true;
      found.add(`${at}/${key}`);
      return holds(own, child, `${at}/${key}`);
    })
  );
}

function areItemsRight(
  schema: Exclude<Schema, boolean>,
  value: JsonValue,
  at: string,
  holds: Holds,
): boolean {
  if (!Array.isArray(value)) return true;
  const prefix = (schema["prefixItems"] as Schema[] | undefined) ?? [];
  return (
    value.length >= ((schema["minItems"] as number | undefined) ?? 0) &&
    value.every((item, index) =>
      holds(prefix[index] ?? (schema["items"] as Schema | undefined), item, `${at}/${index}`),
    )
  );
}

function isWithinLimits(schema: Exclude<Schema, boolean>, value: JsonValue): boolean {
  const { minimum = -Infinity, minLength = 0 } = schema as {
    readonly minimum?: number;
    readonly minLength?: number;
  };
  return typeof value === "number"
    ? value >= minimum
    : typeof value !== "string" || value.length >= minLength;
}

function isOfType(type: string | readonly string[] | undefined, value: JsonValue): boolean {
  if (type === undefined) return true;
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return [type].flat().some((each) => each === kind || (each === "integer" && Number.isInteger(value)));
}

function hasMember(value: JsonValue, name: string): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name);
}
