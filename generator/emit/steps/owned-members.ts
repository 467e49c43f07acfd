import { pointerTokens } from "@mcpgen/engine";
import type { ShapeArm, Property } from "../../compare/shape/form.js";
import type { ProtocolModel } from "../../model/model.js";

/** A model whose era fills in members of its definitions, and the schema that describes them. */
export type Owner = Pick<ProtocolModel, "owned" | "schema">;

/** The members of a definition that the era fills in, as messages have them. */
export function ownedOf({ owned, schema }: Owner, definition: string): ReadonlyMap<string, Property> {
  const node = schema.definitions.get(definition)?.node;
  return new Map(
    [...(owned.get(definition) ?? [])].map((key) => [
      key,
      { nodes: [node!.properties!.get(key)!], required: node!.required?.includes(key) ?? false },
    ]),
  );
}

/** The members of an object that the era fills in: those of all definitions that describe the object. */
export function ownedMembers(owner: Owner, { nodes }: ShapeArm): ReadonlyMap<string, Property> {
  const members = new Map<string, Property>();
  for (const { pointer } of nodes) {
    const [holder, definition, ...inside] = pointerTokens(pointer);
    if (holder !== "$defs" || definition === undefined || inside.length > 0) continue;
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
