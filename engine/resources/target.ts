import { referencedPointer } from "../ir/fragment.js";
import { type JsonObject, type JsonValue, isJsonObject, pointer, pointerTokens } from "../ir/json.js";
import { type Place, type Registry, type Resource, recursiveAnchor, throwSchemaError } from "./registry.js";
import { resolveUri, splitFragment } from "./uri.js";

/** The target of a reference. */
interface Target {
  readonly schema: JsonObject | boolean;
  /** The name of the dynamic anchor, if the reference names one. */
  readonly dynamic: string | undefined;
}

/**
 * Resolves a `$ref`, or a `$dynamicRef` as if it were a `$ref` (2020-12 core, sections 8.2.3.1 and 8.2.3.2).
 *
 * @param at place of the keyword, for errors
 * @throws SchemaError if none of the given documents has the target
 */
export function targetOf(registry: Registry, reference: JsonValue, from: Place, at: string): Target {
  if (typeof reference !== "string")
    return throwSchemaError("malformed-keyword", from, at, "expected a string");
  const { absolute, fragment } = splitFragment(resolveUri(reference, from.resource.uri));
  // A reference that is only a fragment leads into its own resource, even if another resource has the same
  // URI.
  const resource = reference.startsWith("#") || reference === "" ? from.resource : registry.find(absolute);
  if (!resource) {
    return throwSchemaError(
      "remote-reference",
      from,
      at,
      `expected a reference into this document or one handed in with it, got ${JSON.stringify(reference)}; remote schemas are never fetched`,
    );
  }
  if (fragment === "") {
    const schema = expectSchema(resource.root, reference, from, at);
    const isDynamic = resource.dynamicAnchors.get(recursiveAnchor) === schema;
    return { schema, dynamic: isDynamic ? recursiveAnchor : undefined };
  }
  const name = referencedPointer(`#${fragment}`);
  if (name.startsWith("/")) {
    return { schema: atPlace(registry, resource, name, { reference, from, at }), dynamic: undefined };
  }
  const schema = resource.anchors.get(name);
  if (schema === undefined) {
    return throwSchemaError("unresolved-reference", from, at, `there is no anchor ${JSON.stringify(name)}`, [
      ...resource.anchors.keys(),
    ]);
  }
  return {
    schema: schema as JsonObject,
    dynamic: resource.dynamicAnchors.get(name) === schema ? name : undefined,
  };
}

interface Reference {
  readonly reference: string;
  readonly from: Place;
  readonly at: string;
}

/** The schema at a JSON Pointer from the root of a resource. */
function atPlace(
  registry: Registry,
  resource: Resource,
  path: string,
  { reference, from, at }: Reference,
): JsonObject | boolean {
  let value: JsonValue | undefined = resource.root;
  let place: Place = { resource, at: resource.at };
  let holder: JsonValue | undefined;
  for (const token of pointerTokens(path)) {
    holder = value;
    value = memberOf(value, token);
    place = { resource: place.resource, at: pointer(place.at, token) };
    if (isJsonObject(value)) place = registry.places.get(value) ?? place;
  }
  if (value === undefined) {
    const names = isJsonObject(holder) ? Object.keys(holder) : [];
    return throwSchemaError(
      "unresolved-reference",
      from,
      at,
      `there is no schema at ${JSON.stringify(reference)}`,
      names,
    );
  }
  // The place is a schema only because a reference leads there: its `$id` does not count.
  if (isJsonObject(value) && !registry.places.has(value)) registry.scan(value, place, false);
  return expectSchema(value, reference, from, at);
}

function expectSchema(value: JsonValue, reference: string, from: Place, at: string): JsonObject | boolean {
  if (typeof value === "boolean" || isJsonObject(value)) return value;
  return throwSchemaError(
    "unresolved-reference",
    from,
    at,
    `there is no schema at ${JSON.stringify(reference)}`,
  );
}

function memberOf(value: JsonValue | undefined, token: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}
