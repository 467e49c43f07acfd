import { type Schema, pointerTokens } from "@mcpgen/engine";
import type { NoteProblem } from "../notes/apply.js";
import type { OwnedNote } from "../notes/note.js";

/**
 * The properties that the era owns, by definition: those that notes name, and the same ones in extensions.
 *
 * @param known those that are known before
 */
export function findOwned(
  schema: Schema,
  notes: readonly OwnedNote[],
  problems: NoteProblem[],
  known: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map([...known].map(([name, properties]) => [name, new Set(properties)]));
  for (const note of notes) {
    for (const target of note.targets) {
      const place = propertyAt(schema, target);
      if (!place)
        problems.push({
          code: "MG1202",
          note,
          target,
          message: "the schema has no such property of a definition",
        });
      else named.set(place.definition, (named.get(place.definition) ?? new Set()).add(place.property));
    }
  }
  const owned = new Map<string, ReadonlySet<string>>();
  for (const { name, node } of named.size === 0 ? [] : schema.definitions.values()) {
    const inherited = [name, ...basesOf(schema, name)].flatMap((base) => [...(named.get(base) ?? [])]);
    const parts = [node, ...(node.allOf ?? [])];
    const properties = inherited.filter((property) => parts.some((part) => part.properties?.has(property)));
    if (properties.length > 0) owned.set(name, new Set(properties));
  }
  return owned;
}

/** `/$defs/Result/properties/resultType` → that property of that definition, if the schema has it. */
export function propertyAt(
  schema: Schema,
  target: string,
): { readonly definition: string; readonly property: string } | undefined {
  const [keyword, definition, properties, property, ...rest] = pointerTokens(target);
  if (keyword !== "$defs" || properties !== "properties" || rest.length > 0) return undefined;
  if (definition === undefined || property === undefined) return undefined;
  const known = schema.definitions.get(definition)?.node.properties?.has(property);
  return known ? { definition, property } : undefined;
}

/** All definitions that `name` extends or combines with members, directly or not. */
function basesOf(schema: Schema, name: string): Set<string> {
  const bases = new Set<string>();
  const of = (one: string): string[] => {
    const { extends: extended = [], node } = schema.definitions.get(one) ?? {};
    const combined = (node?.allOf ?? []).map(({ ref }) => ref).filter((ref) => ref !== undefined);
    return [...extended, ...combined];
  };
  const pending = of(name);
  while (pending.length > 0) {
    const base = pending.pop()!;
    if (bases.has(base)) continue;
    bases.add(base);
    pending.push(...of(base));
  }
  return bases;
}
