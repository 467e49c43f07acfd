import { pointerTokens } from "@mcpgen/engine";
import type { ShapeArm, Property } from "../../compare/shape/form.js";
import type { ProtocolModel } from "../../model/model.js";
import { partsOf } from "../../model/owned.js";

/** A model whose era fills in members of its definitions, and the schema that describes them. */
export type Owner = Pick<ProtocolModel, "owned" | "schema">;

/** The members of a definition that the era fills in, as messages have them. */
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

/** Whether a step of a pointer leads to a part or an arm of the same object. */
function isOfObject(token: string): boolean {
  return /^(?:allOf|anyOf|oneOf|\d+)$/.test(token);
}

/** The members of an object that the era fills in: those of all definitions that describe the object. */
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
