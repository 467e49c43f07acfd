import type { Schema, SchemaNode } from "@mcpgen/engine";
import { constantMember } from "./object-view.js";
import type { Kind, Role } from "./model.js";

/** The facts about a method in the unions of all messages that one side may send. */
export interface Membership {
  readonly senders: Set<Role>;
  readonly kinds: Set<Kind>;
}

/** The definitions that list what a side sends. Their form does not matter: a union of one arrives as that one. */
const roleUnions: readonly { readonly name: string; readonly role: Role; readonly kind: Kind }[] = [
  { name: "ClientRequest", role: "client", kind: "request" },
  { name: "ServerRequest", role: "server", kind: "request" },
  { name: "ClientNotification", role: "client", kind: "notification" },
  { name: "ServerNotification", role: "server", kind: "notification" },
];

/** Whether the definition lists messages, so that it is no message itself even where it looks like one. */
export function isRoleUnion(definition: string): boolean {
  return roleUnions.some(({ name }) => name === definition);
}

/** The facts in the role unions, by method. */
export function readRoleUnions(schema: Schema): ReadonlyMap<string, Membership> {
  const memberships = new Map<string, Membership>();
  for (const { method, role, kind } of listedMessages(schema)) {
    const membership = memberships.get(method) ?? { senders: new Set(), kinds: new Set() };
    membership.senders.add(role);
    membership.kinds.add(kind);
    memberships.set(method, membership);
  }
  return memberships;
}

/** A message at the place where a role union has it: a definition, or an inline schema of the union. */
interface ListedMessage {
  readonly node: SchemaNode;
  readonly method: string;
  readonly role: Role;
  readonly kind: Kind;
}

/** All messages that the role unions let through. */
export function listedMessages(schema: Schema): ListedMessage[] {
  return roleUnions.flatMap(({ name, role, kind }) =>
    messagesIn(schema, name).map((message) => ({ ...message, role, kind })),
  );
}

/** All messages that the definition `name` lets through. */
function messagesIn(schema: Schema, name: string): Pick<ListedMessage, "node" | "method">[] {
  const messages: Pick<ListedMessage, "node" | "method">[] = [];
  const seen = new Set<string>();
  const pending = [schema.definitions.get(name)?.node];
  while (pending.length > 0) {
    const node = pending.pop();
    if (!node) continue;
    const method = constantMember(schema, node, "method");
    if (method !== undefined) {
      messages.push({ node, method });
      continue;
    }
    pending.push(...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? []));
    if (node.ref !== undefined && !seen.has(node.ref)) {
      seen.add(node.ref);
      pending.push(schema.definitions.get(node.ref)?.node);
    }
  }
  return messages;
}
