import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  jsonObject,
  naturalCompare,
  pointer,
} from "@mcpgen/engine";
import { mapReferences, referencedDefinition } from "./references.js";

/** A definition that stood inside another one. */
export interface Hoisted {
  readonly name: string;
  /** The place where it stood. */
  readonly from: string;
}

/**
 * Moves definitions that stand inside definitions to the top. Generators print each type as a document, and put the
 * documents into one: `#/$defs/X` then names the X of the definition around it where the top has none.
 *
 * @param document canonical; it is left as it is
 */
export function hoistDefinitions(document: JsonObject): { document: JsonObject; hoisted: Hoisted[] } {
  const top = document["$defs"] as JsonObject;
  const definitions = jsonObject();
  const hoisted: Hoisted[] = [];
  const free = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; name in top || name in definitions; count++) name = `${wanted}${count}`;
    return name;
  };
  const lift = (
    node: JsonValue,
    at: string,
    owner: string,
    scope: ReadonlyMap<string, string>,
  ): JsonValue => {
    if (!isJsonObject(node)) return node;
    const { $defs: local, $schema: _, $id: __, ...rest } = node;
    const inner = new Map(scope);
    const entries = isJsonObject(local) ? Object.entries(local) : [];
    for (const [name] of entries) {
      const found = free(owner + words(name));
      definitions[found] = true;
      inner.set(name, found);
      hoisted.push({ name: found, from: pointer(at, "$defs", name) });
    }
    for (const [name, definition] of entries)
      definitions[inner.get(name)!] = lift(definition, pointer(at, "$defs", name), owner, inner);
    return mapReferences(
      jsonObject(Object.entries(rest)),
      (reference) => {
        const name = referencedDefinition(reference);
        const target = name === undefined || name in top ? undefined : inner.get(name);
        return target === undefined ? reference : reference.replace(`#/$defs/${name}`, `#/$defs/${target}`);
      },
      (child, place) => lift(child, at + place, owner, inner),
    );
  };
  for (const [name, node] of Object.entries(top))
    definitions[name] = lift(node, pointer("/$defs", name), name, new Map());
  const sorted = Object.entries(definitions).sort(([a], [b]) => naturalCompare(a, b));
  return {
    document: jsonObject([
      ...Object.entries(document).filter(([key]) => key !== "$defs"),
      ["$defs", jsonObject(sorted)],
    ]),
    hoisted,
  };
}

/** The words of a name, as an end of another name: `__schema0` is `Schema0`. */
function words(name: string): string {
  return (name.match(/[\p{L}\p{N}]+/gu) ?? ["Part"])
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}
