import { type Definition, type Schema, naturalCompare } from "@mcpgen/engine";
import type { Assumption, Kind, Params } from "./model.js";
import { constantMember, hasMember, memberNodes, requiredMembers } from "./object-view.js";
import { type Membership, isRoleUnion } from "./role-unions.js";

/** A definition that describes the messages of one method. */
export interface Message {
  readonly method: string;
  readonly kind: Kind;
  readonly definition: Definition;
  readonly envelope: boolean;
  readonly params: Params;
}

/**
 * The message of each method, in natural order of method. A definition is a message because its `method` is one
 * constant string, never because of its name. Abstract bases, where `method` is any string, are no messages.
 *
 * @param among the definitions that may be messages; all of them without it
 */
export function findMessages(
  schema: Schema,
  memberships: ReadonlyMap<string, Membership>,
  assumptions: Assumption[],
  among?: ReadonlySet<string>,
): Message[] {
  const candidates = new Map<string, Definition[]>();
  for (const definition of schema.definitions.values()) {
    if (among && !among.has(definition.name)) continue;
    const method = constantMember(schema, definition.node, "method");
    if (method === undefined) continue;
    const others = candidates.get(method);
    if (others) others.push(definition);
    else candidates.set(method, [definition]);
  }
  const messages: Message[] = [];
  for (const [method, definitions] of candidates) {
    const definition = choose(method, definitions, assumptions);
    const kind = kindOf(method, definition, schema, memberships.get(method), assumptions);
    if (kind) messages.push(describe(schema, method, kind, definition));
  }
  return messages.sort((a, b) => naturalCompare(a.method, b.method));
}

function describe(schema: Schema, method: string, kind: Kind, definition: Definition): Message {
  return {
    method,
    kind,
    definition,
    envelope: hasMember(schema, definition.node, "jsonrpc"),
    params: paramsOf(schema, definition),
  };
}

/** The params of a message. */
export function paramsOf(schema: Schema, { node }: Definition): Params {
  const nodes = memberNodes(schema, node, "params");
  if (nodes.length === 0) return { presence: "none" };
  const presence = requiredMembers(schema, node).has("params") ? "required" : "optional";
  const ref = nodes.length === 1 ? nodes[0]!.ref : undefined;
  return ref === undefined ? { presence } : { definition: ref, presence };
}

/** A method may be described twice: by a union of one member that was inlined, an alias, or a rival. */
function choose(method: string, definitions: readonly Definition[], assumptions: Assumption[]): Definition {
  const ranked = [...definitions].sort((a, b) => rank(a) - rank(b) || naturalCompare(a.name, b.name));
  const [best, ...others] = ranked as [Definition, ...Definition[]];
  const rivals = others.filter((other) => rank(other) === rank(best));
  if (rivals.length > 0) {
    assumptions.push({
      kind: "message",
      subject: method,
      text: `${best.name} is taken for its message, the first by name of ${definitions.length} definitions that have this method.`,
    });
  }
  return best;
}

function rank({ name, node }: Definition): number {
  if (isRoleUnion(name)) return 3;
  if (node.ref !== undefined) return 2;
  return kindByName(name) ? 0 : 1;
}

function kindOf(
  method: string,
  { name, node }: Definition,
  schema: Schema,
  membership: Membership | undefined,
  assumptions: Assumption[],
): Kind | undefined {
  if (membership?.kinds.size === 1) return [...membership.kinds][0];
  if (hasMember(schema, node, "id")) return "request";
  const named = kindByName(name);
  if (named) return named;
  const kind = method.startsWith("notifications/") ? "notification" : undefined;
  const text = kind
    ? `It is taken for a ${kind} because the method says so; no union of messages lists it.`
    : `${name} is taken for no message: no union of messages lists it, it has no id, and its name says neither request nor notification.`;
  assumptions.push({ kind: "kind", subject: method, text });
  return kind;
}

/** The kind that the name of a message's definition says. */
export function kindByName(name: string): Kind | undefined {
  return name.endsWith("Request") ? "request" : name.endsWith("Notification") ? "notification" : undefined;
}
