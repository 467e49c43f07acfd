import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  jsonObject,
  keywords,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import { basePrefix, decoded, referencedDefinition, withDefinitions } from "../flatten.js";

/** The reference to a definition of the extension (`own`) or of the base. */
export function definitionReference(name: string, of: "own" | "base"): string {
  return `${of === "base" ? basePrefix : ""}#${pointer("/$defs", name)}`;
}

/**
 * Copies a schema. `change` returns the new text of its reference, `visit` the new form of each subschema.
 *
 * @param visit receives a subschema and its pointer in the node
 */
export function mapReferences(
  node: JsonObject,
  change: (reference: string) => string,
  visit: (child: JsonValue, place: string) => JsonValue,
): JsonObject {
  const result = jsonObject();
  for (const [keyword, value] of Object.entries(node)) {
    result[keyword] =
      keyword === "$ref" && typeof value === "string" ? change(value) : mapSubschemas(keyword, value, visit);
  }
  return result;
}

function mapSubschemas(
  keyword: string,
  value: JsonValue,
  visit: (child: JsonValue, place: string) => JsonValue,
): JsonValue {
  const at = pointer("", keyword);
  switch (keywords.get(keyword)?.shape) {
    case "schema":
      return visit(value, at);
    case "schemaMap":
      if (!isJsonObject(value)) return value;
      return jsonObject(
        Object.entries(value).map(([name, child]) => [name, visit(child, pointer(at, name))] as const),
      );
    case "schemaSet":
    case "schemaList":
      return Array.isArray(value) ? value.map((child, index) => visit(child, pointer(at, index))) : value;
    default:
      return value;
  }
}

/** All subschemas of a schema including itself, with their pointers. */
export function* subschemas(node: JsonValue, at = ""): Generator<{ node: JsonObject; at: string }> {
  if (!isJsonObject(node)) return;
  yield { node, at };
  const children: [JsonValue, string][] = [];
  mapReferences(
    node,
    (reference) => reference,
    (child, place) => {
      children.push([child, at + place]);
      return child;
    },
  );
  for (const [child, place] of children) yield* subschemas(child, place);
}

/** The places on the path of references into definitions, which must keep their form. */
export function passedPlaces(definitions: JsonObject): ReadonlySet<string> {
  const passed = new Set<string>();
  for (const definition of Object.values(definitions)) {
    for (const { node } of subschemas(definition)) {
      const reference = node["$ref"];
      if (typeof reference !== "string" || !reference.startsWith("#/")) continue;
      const tokens = pointerTokens(decoded(reference.slice(1)));
      for (let length = 2; length < tokens.length; length++)
        passed.add(pointer("", ...tokens.slice(0, length)));
    }
  }
  return passed;
}

/** Prefix of the extension's definitions in a joined document; no base definition has it. */
const ownPrefix = "Own·";

/** The name of an extension's definition in a joined document. */
export function joinedName(name: string): string {
  return ownPrefix + name;
}

/** The extension's definition for a name in a joined document; undefined for a base definition. */
export function ownName(name: string): string | undefined {
  return name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : undefined;
}

/**
 * Joins the definitions of an extension and a base in one document. The extension's definitions get a prefix
 * that the base does not use. The ends of names are kept, because they associate requests with results.
 *
 * @param keyOf gives the name of an extension's definition in the joined document
 */
export function joinedWithBase(
  extension: JsonObject,
  base: JsonObject,
  keyOf: (name: string) => string = joinedName,
): JsonObject {
  const own = (reference: string): string => {
    if (reference.startsWith(`${basePrefix}#`)) return reference.slice(basePrefix.length);
    const name = referencedDefinition(reference);
    if (name === undefined) return reference;
    const whole = definitionReference(name, "own");
    return definitionReference(keyOf(name), "own") + reference.slice(whole.length);
  };
  const visit = (node: JsonValue): JsonValue => (isJsonObject(node) ? mapReferences(node, own, visit) : node);
  const definitions = Object.entries(extension["$defs"] as JsonObject).map(
    ([name, node]) => [keyOf(name), visit(node)] as const,
  );
  return withDefinitions(base, [...Object.entries(base["$defs"] as JsonObject), ...definitions]);
}

/** A reference to the base, and its place. */
interface BaseReference {
  /** Name of the definition; undefined if the reference leads elsewhere. */
  readonly definition: string | undefined;
  readonly reference: string;
  readonly at: string;
}

/** All references to the base in an extension's schema. */
export function referencesToBase(extension: JsonObject): BaseReference[] {
  return [...subschemas(extension)].flatMap(({ node, at }) => {
    const reference = node["$ref"];
    if (typeof reference !== "string" || !reference.startsWith(`${basePrefix}#`)) return [];
    return [{ definition: referencedDefinition(reference.slice(basePrefix.length)), reference, at }];
  });
}
