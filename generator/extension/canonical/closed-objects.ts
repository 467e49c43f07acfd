import { type JsonObject, isJsonObject, naturalCompare, pointer } from "@mcpgen/engine";
import { subschemas } from "./references.js";

/** The objects of a schema that refuse members they do not name. */
export interface ClosedObjects {
  /** Places of objects with `additionalProperties: false`. */
  readonly closed: readonly string[];
  /** Objects that name members and say nothing about others. */
  readonly silent: number;
}

/** Finds objects that refuse members they do not name. */
export function findClosedObjects(definitions: JsonObject): ClosedObjects {
  const closed: string[] = [];
  let silent = 0;
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { node, at } of subschemas(definition, pointer("/$defs", name))) {
      if (!isJsonObject(node["properties"])) continue;
      if (node["additionalProperties"] === false) closed.push(at);
      else if (!("additionalProperties" in node) && !("unevaluatedProperties" in node)) silent++;
    }
  }
  return { closed: closed.sort(naturalCompare), silent };
}

/**
 * Whether a program closed the objects, and no author: it says of every object what other members may be. An author
 * who closes an object leaves others as they are.
 */
export function areClosedByProgram({ closed, silent }: ClosedObjects): boolean {
  return closed.length > 0 && silent === 0;
}
