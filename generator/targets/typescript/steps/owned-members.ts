import { partsOf } from "../../../model/owned.js";
import { pointerTokens, reachable, referencesOf } from "@mcpgen/engine";
import type { ShapeArm, Property } from "../../../compare/shape/form.js";
import { type ProtocolModel, answersOf } from "../../../model/model.js";

/** A model with its owned members, the schema that describes them, and the methods. */
export type Owner = Pick<ProtocolModel, "methods" | "owned" | "schema">;

/** The owned members of a definition, with their schemas. */
export function ownedOf({ owned, schema }: Owner, definition: string): ReadonlyMap<string, Property> {
  const node = schema.definitions.get(definition)?.node;
  const parts = node && owned.has(definition) ? partsOf(node) : [];
  return new Map(
    [...(owned.get(definition) ?? [])].map((key) => [
      key,
      {
        nodes: parts.flatMap((part) => part.properties?.get(key) ?? []),
        required: parts.some((part) => part.required?.includes(key)),
      },
    ]),
  );
}

/** Whether a token of a pointer leads to a part or an arm of the same object. */
function isOfObject(token: string): boolean {
  return /^(?:allOf|anyOf|oneOf|\d+)$/.test(token);
}

/** The owned members of an object, from all definitions that describe it. */
export function ownedMembers(owner: Owner, { nodes }: ShapeArm): ReadonlyMap<string, Property> {
  const members = new Map<string, Property>();
  const definitions = nodes.flatMap(({ pointer }) => {
    const [holder, definition, ...inside] = pointerTokens(pointer);
    const isOwn = holder === "$defs" && definition !== undefined && inside.every(isOfObject);
    return isOwn ? [definition] : [];
  });
  for (const definition of new Set(definitions)) {
    for (const [key, property] of ownedOf(owner, definition)) {
      const known = members.get(key);
      members.set(key, {
        nodes: [...(known?.nodes ?? []), ...property.nodes],
        required: property.required || (known?.required ?? false),
      });
    }
  }
  return members;
}

/** A member that both revisions' eras fill in. */
export interface FilledIn {
  readonly key: string;
  /** The definition with the member. */
  readonly definition: string;
  readonly source: Property;
  readonly target: Property;
}

/** The members that both eras fill in, each name once. */
export function filledInByBoth(source: Owner, target: Owner): readonly FilledIn[] {
  const found = new Map<string, FilledIn>();
  for (const definition of source.owned.keys()) {
    const others = ownedOf(target, definition);
    for (const [key, property] of ownedOf(source, definition)) {
      const other = others.get(key);
      if (other && !found.has(key)) found.set(key, { key, definition, source: property, target: other });
    }
  }
  return [...found.values()];
}

/**
 * Whether a member contains messages of methods, or their results. The runtime converts each of these by its
 * method.
 */
export function holdsMessages({ schema, methods }: Owner, { nodes }: Property): boolean {
  const inside = reachable(
    schema,
    nodes.flatMap((node) => [...referencesOf(node)]),
  );
  return methods.some((method) =>
    [method.message, ...answersOf(method)].some((definition) => inside.has(definition)),
  );
}
