import { type JsonObject, type JsonValue, isJsonObject, jsonObject } from "@mcpgen/engine";
import {
  basePrefix,
  definitionReference,
  mapReferences,
  referencedDefinition,
  subschemas,
} from "./references.js";

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
export interface BaseReference {
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
