import { type JsonValue, type Schema, type SchemaNode, isJsonObject, pointer } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";

/** A member that a schema describes for an object inside an instance; the object has it or not. */
export interface Described {
  /** JSON Pointer of the object. */
  readonly owner: string;
  readonly name: string;
  readonly isRequired: boolean;
}

/** The members that a schema describes for the objects inside a valid instance, by the arms of unions that take them. */
export function describedMembers(schema: Schema, name: string, value: JsonValue): Described[] {
  const found = new Map<string, Described>();
  const visit = (node: SchemaNode, current: JsonValue, at: string): void => {
    if (node.ref !== undefined) visit(schema.definitions.get(node.ref)!.node, current, at);
    for (const arm of node.allOf ?? []) visit(arm, current, at);
    for (const arms of [node.anyOf, node.oneOf]) {
      const taken = arms?.find((arm) => isValid(schema, arm, current));
      if (taken) visit(taken, current, at);
    }
    if (Array.isArray(current) && node.items)
      for (const [index, item] of current.entries()) visit(node.items, item, pointer(at, index));
    if (!isJsonObject(current)) return;
    for (const [member, child] of node.properties ?? []) {
      const place = pointer(at, member);
      const isRequired = node.required?.includes(member) === true || found.get(place)?.isRequired === true;
      found.set(place, { owner: at, name: member, isRequired });
      if (Object.hasOwn(current, member)) visit(child, current[member]!, place);
    }
    for (const [member, child] of Object.entries(current))
      if (node.additionalProperties && node.properties?.has(member) !== true)
        visit(node.additionalProperties, child, pointer(at, member));
  };
  visit(schema.definitions.get(name)!.node, value, "");
  return [...found.values()];
}
