import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  jsonObject,
  keywords,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import { basePrefix, decoded, referencedDefinition } from "../flatten.js";

/** The reference to a definition, of the base where `of` says so. */
export function definitionReference(name: string, of: "own" | "base"): string {
  return `${of === "base" ? basePrefix : ""}#${pointer("/$defs", name)}`;
}

/**
 * A copy of a schema: `change` gives its reference, and `visit` each subschema.
 *
 * @param visit gets a subschema, and its place in the node
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

/** Every subschema of a schema, itself included, with its place. */
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

/** The places that references to parts of definitions lead through: these keep their form. */
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

/** Begins the names of own definitions in a joined document: no definition of a base has it. */
const ownPrefix = "Own·";

/** The name of an own definition in a joined document. */
export function joinedName(name: string): string {
  return ownPrefix + name;
}

/** The own definition that a joined document has under `name`; undefined for one of the base. */
export function ownName(name: string): string | undefined {
  return name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : undefined;
}

/**
 * The definitions of an extension and those of a base in one document. Own definitions get names that the base does not
 * have; names keep their ends, by which requests and results belong together.
 *
 * @param keyOf gives the name of an own definition in the joined document
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
  return jsonObject([
    ...Object.entries(base).filter(([key]) => key !== "$defs"),
    ["$defs", jsonObject([...Object.entries(base["$defs"] as JsonObject), ...definitions])],
  ]);
}

/** A reference to the base, and where it stands. */
interface BaseReference {
  /** Name of the definition; undefined for a reference to another place. */
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
