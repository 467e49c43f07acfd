import type { SchemaNode } from "@mcpgen/engine";
import { type ProtocolModel, answersOf } from "../../../model/model.js";
import type { AuthoredSchema } from "./authored-schema.js";
import { withArms } from "../../../model/owned.js";

/** An object schema that names all its members. */
interface Listed {
  readonly place: ListedPlace;
  /** Its members, each with the place of its value (or of its items) if that is listed as well. */
  readonly members: readonly ListedMember[];
}

/** A definition, or an object schema inside one. */
export interface ListedPlace {
  readonly definition: string;
  /** The path of members to the inner object, e.g. `.a.b`; empty for the definition itself. */
  readonly path: string;
}

export interface ListedMember {
  readonly name: string;
  readonly place: ListedPlace | undefined;
  /** Whether the member is an array of such values. */
  readonly list: boolean;
}

/**
 * The objects that authors write and clients read: items of paginated lists, the server's identity and
 * capabilities, and the objects inside these, in the order of discovery.
 */
export function listedMembers(model: ProtocolModel, { schema }: AuthoredSchema): readonly Listed[] {
  const listed = new Map<string, Listed>();
  const pending: (readonly [place: ListedPlace, node: SchemaNode])[] = [];
  const add = (place: ListedPlace, node: SchemaNode | undefined): ListedPlace | undefined => {
    if (!node || !isClosed(node)) return undefined;
    pending.push([place, node]);
    return place;
  };
  const addDefinition = (definition: string | undefined): ListedPlace | undefined =>
    definition === undefined
      ? undefined
      : add({ definition, path: "" }, schema.definitions.get(definition)?.node);
  const capabilities = new Set(capabilityDefinitions(model));
  const items = itemDefinitions(model).flatMap((name) => withArms(schema, name));
  for (const name of [...items, ...identityDefinitions(model), ...capabilities]) addDefinition(name);
  for (const [place, node] of pending) {
    const { definition, path } = place;
    if (listed.has(definition + path)) continue;
    const members = [...node.properties!].map(([name, member]) => ({
      name,
      place: capabilities.has(definition)
        ? (addDefinition(member.ref) ?? add({ definition, path: `${path}.${name}` }, member))
        : addDefinition(member.ref ?? member.items?.ref),
      list: member.ref === undefined && member.items !== undefined,
    }));
    listed.set(definition + path, { place, members });
    // The loop also visits entries added here.
  }
  return [...listed.values()];
}

function itemDefinitions({ methods }: ProtocolModel): string[] {
  return methods.flatMap(({ page, senders }) => (page && senders.includes("client") ? [page.item] : []));
}

/** Definitions of the server's identity, which the runtime adds to results from the server's setup. */
function identityDefinitions({ methods, owned, schema }: ProtocolModel): string[] {
  const membersOf = (name: string) =>
    schema.definitions.get(name)?.node.properties ?? new Map<string, SchemaNode>();
  const results = methods.flatMap((method) => (method.senders.includes("client") ? answersOf(method) : []));
  const beside = new Set(
    results.flatMap((name) => [...membersOf(name).values()].flatMap(({ ref }) => ref ?? [])),
  );
  return [...beside].flatMap((name) =>
    [...(owned.get(name) ?? [])].flatMap((member) => membersOf(name).get(member)?.ref ?? []),
  );
}

/** Definitions that have a member for every server capability that a method requires. */
function capabilityDefinitions({ methods, schema }: ProtocolModel): string[] {
  const gates = methods.flatMap(({ capabilities }) => capabilities.filter((each) => each.of === "server"));
  const names = new Set(gates.map(({ path }) => path.split("/")[1]!));
  return [...schema.definitions.values()]
    .filter(({ node: { properties } }) => names.size > 0 && [...names].every((name) => properties?.has(name)))
    .map(({ name }) => name);
}

/** Whether the TypeScript type of the node is an object without further members. */
function isClosed(node: SchemaNode): boolean {
  const { properties, additionalProperties, patternProperties, allOf, anyOf, oneOf, ref } = node;
  if (allOf ?? anyOf ?? oneOf ?? ref ?? patternProperties) return false;
  return (
    properties !== undefined && (additionalProperties === undefined || additionalProperties.never === true)
  );
}
