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

/** The places that a schema describes; `undefined` if it refuses the value. */
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
    areItemsRight(schema, value, at, found, holds) &&
    areOthersRight(schema, value, at, found, holds);
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
  const { required = [], dependentRequired = {} } = schema as {
    readonly required?: string[];
    readonly dependentRequired?: { readonly [name: string]: string[] };
  };
  const { properties = {}, patternProperties = {} } = schema as { readonly [keyword: string]: Schemas };
  const others = schema["additionalProperties"] as Schema | undefined;
  const names = schema["propertyNames"] as Schema | undefined;
  const dependent = Object.entries(dependentRequired);
  const wanted = [...required, ...dependent.flatMap(([name, list]) => (hasMember(value, name) ? list : []))];
  return (
    wanted.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([key, child]) => {
      if (names !== undefined && !placesOf(names, key, at, names)) return false;
      const named = Object.hasOwn(properties, key) ? [properties[key]!] : [];
      const matched = Object.entries(patternProperties)
        .filter(([pattern]) => new RegExp(pattern, "u").test(key))
        .map(([, part]) => part);
      const rest = named.length + matched.length === 0 && others !== undefined ? [others] : [];
      const own = [...named, ...matched, ...rest];
      if (own.length > 0) found.add(`${at}/${key}`);
      return own.every((part) => holds(part, child, `${at}/${key}`));
    })
  );
}

function areItemsRight(
  schema: Exclude<Schema, boolean>,
  value: JsonValue,
  at: string,
  found: Set<string>,
  holds: Holds,
): boolean {
  if (!Array.isArray(value)) return true;
  const {
    minItems = 0,
    maxItems = Infinity,
    minContains = 1,
  } = schema as { readonly [keyword: string]: number };
  const { prefixItems = [] } = schema as { readonly prefixItems?: Schema[] };
  const { items, contains } = schema as { readonly [keyword: string]: Schema | undefined };
  const are = value.every((item, index) => {
    const own = prefixItems[index] ?? items;
    if (own !== undefined) found.add(`${at}/${index}`);
    return holds(own, item, `${at}/${index}`);
  });
  const matching = [...value.keys()].filter(
    (index) => contains !== undefined && holds(contains, value[index], `${at}/${index}`),
  );
  for (const index of matching) found.add(`${at}/${index}`);
  return (
    are &&
    value.length >= minItems &&
    value.length <= maxItems &&
    (contains === undefined || matching.length >= minContains)
  );
}

/** Whether the members that no other keyword describes are valid. */
function areOthersRight(
  schema: Exclude<Schema, boolean>,
  value: JsonValue,
  at: string,
  found: Set<string>,
  holds: Holds,
): boolean {
  if (typeof value !== "object" || value === null) return true;
  const keyword = Array.isArray(value) ? "unevaluatedItems" : "unevaluatedProperties";
  const others = schema[keyword] as Schema | undefined;
  if (others === undefined) return true;
  const left = Object.entries(value).filter(([key]) => !found.has(`${at}/${key}`));
  for (const [key] of left) found.add(`${at}/${key}`);
  return left.every(([key, child]) => holds(others, child, `${at}/${key}`));
}

function isWithinLimits(schema: Exclude<Schema, boolean>, value: JsonValue): boolean {
  const {
    minimum = -Infinity,
    minLength = 0,
    maxLength = Infinity,
  } = schema as {
    readonly [keyword: string]: number;
  };
  const pattern = schema["pattern"] as string | undefined;
  if (typeof value === "number") return value >= minimum;
  if (typeof value !== "string") return true;
  const isMatched = pattern === undefined || new RegExp(pattern, "u").test(value);
  return value.length >= minLength && value.length <= maxLength && isMatched;
}

function isOfType(type: string | readonly string[] | undefined, value: JsonValue): boolean {
  if (type === undefined) return true;
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return [type].flat().some((each) => each === kind || (each === "integer" && Number.isInteger(value)));
}

function hasMember(value: JsonValue, name: string): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name);
}
