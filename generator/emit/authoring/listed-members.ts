import type { SchemaNode } from "@mcpgen/engine";
import type { ProtocolModel } from "../../model/model.js";
import type { AuthoredSchema } from "./authored-schema.js";

/** A definition whose members are all known by name. */
interface Listed {
  readonly name: string;
  /** Each with the definition of its value, or of its items, where that is such a definition, too. */
  readonly members: readonly ListedMember[];
}

export interface ListedMember {
  readonly name: string;
  readonly definition: string | undefined;
  /** The member is a list of such values. */
  readonly list: boolean;
}

/** What lists that a client reads page by page hold, and what that is made of, in the order it is met. */
export function listedMembers(model: ProtocolModel, { schema }: AuthoredSchema): readonly Listed[] {
  const listed = new Map<string, Listed>();
  const closed = (name: string | undefined): string | undefined => {
    const node = name === undefined ? undefined : schema.definitions.get(name)?.node;
    return node && isClosed(node) ? name : undefined;
  };
  const pending = model.methods.flatMap(({ page, senders }) =>
    page && senders.includes("client") ? [closed(page.item)] : [],
  );
  for (const name of pending) {
    if (name === undefined || listed.has(name)) continue;
    const { properties = new Map<string, SchemaNode>() } = schema.definitions.get(name)!.node;
    const members = [...properties].map(([member, { ref, items }]) => ({
      name: member,
      definition: closed(ref ?? items?.ref),
      list: ref === undefined,
    }));
    listed.set(name, { name, members });
    // The loop goes on with what is added here.
    pending.push(...members.map(({ definition }) => definition));
  }
  return [...listed.values()];
}

/** Types read it as an object without further members. */
function isClosed(node: SchemaNode): boolean {
  const { properties, additionalProperties, patternProperties, allOf, anyOf, oneOf, ref } = node;
  if (allOf ?? anyOf ?? oneOf ?? ref ?? patternProperties) return false;
  return (
    properties !== undefined && (additionalProperties === undefined || additionalProperties.never === true)
  );
}
