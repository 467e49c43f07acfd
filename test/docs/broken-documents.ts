import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";

/** A document with one mistake. */
export interface Break {
  readonly document: JsonValue;
  /** JSON Pointer of the mistake. */
  readonly at: string;
  /** The keyword of the schema that must refuse it. */
  readonly keyword: string;
  /** The member or the value that is wrong. */
  readonly subject: string;
}

/**
 * Breaks each place of a schema once, in the first document that has the place: a value of another type, a value that
 * is not of an `enum`, a required member that is missing, and a member that is unknown. Places are those that
 * `properties`, `items` and `$ref` lead to, and `if` with `then` by the kind of a value.
 */
export function breaks(schema: JsonObject, documents: readonly JsonObject[]): Break[] {
  const done = new Set<JsonObject>();
  const found: Break[] = [];
  for (const document of documents)
    for (const { node, value, at } of placesOf(schema, schema, document, "")) {
      if (done.has(node)) continue;
      done.add(node);
      for (const { changed, keyword, subject } of changesOf(node, value))
        found.push({ document: replaced(document, at, changed), at, keyword, subject });
    }
  return found;
}

interface Place {
  readonly node: JsonObject;
  readonly value: JsonValue;
  readonly at: string;
}

function* placesOf(root: JsonObject, schema: JsonObject, value: JsonValue, at: string): Generator<Place> {
  const node = resolved(root, schema);
  yield { node, value, at };
  for (const part of (node["allOf"] ?? []) as readonly JsonObject[])
    if (isOfKind(part, value)) yield* placesOf(root, part["then"] as JsonObject, value, at);
  if (isJsonObject(value)) {
    for (const [name, inner] of Object.entries(objectIn(node, "properties")))
      if (Object.hasOwn(value, name))
        yield* placesOf(root, inner as JsonObject, value[name]!, pointer(at, name));
  } else if (Array.isArray(value) && isJsonObject(node["items"]!))
    for (const [index, item] of value.entries())
      yield* placesOf(root, node["items"], item as JsonValue, pointer(at, index));
}

/** Whether a part of an `allOf` asks for a value by members with an `enum`, and the value has them. */
function isOfKind(part: JsonObject, value: JsonValue): boolean {
  const asked = Object.entries(objectIn(objectIn(part, "if"), "properties"));
  return (
    isJsonObject(value) &&
    asked.length > 0 &&
    asked.every(([name, node]) =>
      ((node as JsonObject)["enum"] as JsonValue[] | undefined)?.includes(value[name]!),
    )
  );
}

function* changesOf(
  node: JsonObject,
  value: JsonValue,
): Generator<{ readonly changed: JsonValue; readonly keyword: string; readonly subject: string }> {
  if (node["type"] !== undefined) {
    const types = [node["type"]].flat() as readonly string[];
    // A schema has two of the types at most: one of three values is of none.
    const [type, changed] = others.find(([each]) => !types.includes(each))!;
    yield { changed, keyword: "type", subject: type };
  }
  if (node["enum"] !== undefined) yield { changed: "no such value", keyword: "enum", subject: "a value" };
  if (!isJsonObject(value)) return;
  for (const name of (node["required"] ?? []) as readonly string[])
    yield { changed: without(value, name), keyword: "required", subject: name };
  if (node["additionalProperties"] === false)
    yield { changed: { ...value, "no such key": 1 }, keyword: "additionalProperties", subject: "a key" };
}

const others: readonly (readonly [string, JsonValue])[] = [
  ["boolean", true],
  ["null", null],
  ["array", []],
];

function resolved(root: JsonObject, schema: JsonObject): JsonObject {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  let found: JsonValue = root;
  for (const name of reference.slice(2).split("/")) found = (found as JsonObject)[name]!;
  return found as JsonObject;
}

function replaced(document: JsonValue, at: string, value: JsonValue): JsonValue {
  if (at === "") return value;
  const copy = structuredClone(document) as Record<string, unknown>;
  const path = at
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  let inner = copy;
  for (const part of path.slice(0, -1)) inner = inner[part] as Record<string, unknown>;
  inner[path.at(-1)!] = value;
  return copy as JsonValue;
}

function without(value: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

function objectIn(node: JsonObject, name: string): JsonObject {
  const value = node[name];
  return value !== undefined && isJsonObject(value) ? value : {};
}
