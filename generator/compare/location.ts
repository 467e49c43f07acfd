import { type Schema, pointerTokens } from "@mcpgen/engine";

/** A place in findings: a definition, and the path from it. */
export interface Location {
  readonly definition: string;
  /** `a.b` for members, `[]` for items, `{}` for undeclared members; empty for the definition itself. */
  readonly path: string;
}

/** Converts the JSON Pointer of a node to a location. Union arms and conjunctions add nothing to the path. */
export function locationOf(pointer: string): Location {
  const [holder, definition, ...rest] = pointerTokens(pointer);
  if (holder !== "$defs" || definition === undefined)
    return { definition: "", path: pathOf(pointerTokens(pointer)) };
  return { definition, path: pathOf(rest) };
}

function pathOf(tokens: readonly string[]): string {
  let path = "";
  for (let index = 0; index < tokens.length; index++) {
    switch (tokens[index]) {
      case "properties":
        path = extended(path, tokens[++index] ?? "");
        break;
      case "items":
      case "contains":
        path += "[]";
        break;
      case "prefixItems":
        path += "[]";
        index++;
        break;
      case "additionalProperties":
      case "unevaluatedProperties":
        path += "{}";
        break;
      case "patternProperties":
        path += "{}";
        index++;
        break;
      case "anyOf":
      case "oneOf":
      case "allOf":
        index++;
        break;
      default:
        break;
    }
  }
  return path;
}

/** Extends a path by a member. */
export function extended(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/**
 * Chooses the location that describes both of two corresponding places: the one nearer to a named definition.
 * Does not depend on the order of the schemas.
 */
export function commonLocation(a: Location, b: Location): Location {
  if (a.definition === b.definition && a.path === b.path) return a;
  const [first, second] = [depthOf(a), depthOf(b)];
  if (first !== second) return first < second ? a : b;
  const key = (location: Location): string => `${location.definition} ${location.path}`;
  return key(a) < key(b) ? a : b;
}

function depthOf({ path }: Location): number {
  return path === "" ? 0 : path.split(/\.|(?=\[\]|\{\})/).length;
}

/** Whether a definition has another name in the other schema: neither schema has both names. */
export function isRenamed(a: string, b: string, schemas: readonly [Schema, Schema]): boolean {
  return a !== b && !schemas[1].definitions.has(a) && !schemas[0].definitions.has(b);
}
