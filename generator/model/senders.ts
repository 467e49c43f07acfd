import { type Schema, reachable, referencesOf } from "@mcpgen/engine";
import type { Message } from "./messages.js";
import { type Assumption, type ResultOf, type Role, answersOf, opposite } from "./model.js";
import type { SenderNote } from "../notes/note.js";
import { type Membership, isRoleUnion } from "./role-unions.js";

/** The roles that send a method, and whether only as a part of other messages. */
export interface Sending {
  /** Empty if the schema does not show them. */
  readonly senders: readonly Role[];
  readonly payload: boolean;
  /** The senders are assumed, though the unions of messages list others of this kind. */
  readonly unlisted?: true;
}

interface Sent {
  readonly message: Message;
  readonly result: ResultOf | undefined;
}

/** The senders of each message: from the unions, else from the place where the message is embedded, else assumed. */
export function findSenders(
  schema: Schema,
  sent: readonly Sent[],
  memberships: ReadonlyMap<string, Membership>,
): ReadonlyMap<string, Sending> {
  const senders = new Map<string, Sending>();
  for (const [method, membership] of memberships) {
    senders.set(method, { senders: inOrder(membership.senders), payload: false });
  }
  const unlisted = sent.filter(({ message }) => !senders.has(message.method));
  if (unlisted.length === 0) return senders;
  const parts = {
    client: partsSentBy("client", schema, sent, senders),
    server: partsSentBy("server", schema, sent, senders),
  };
  const held = heldDefinitions(schema);
  for (const { message } of unlisted) {
    const { name } = message.definition;
    const roles = inOrder((["client", "server"] as const).filter((role) => parts[role].has(name)));
    // A definition that others contain is a part of them, even if no message leads there.
    if (roles.length > 0 || held.has(name)) senders.set(message.method, { senders: roles, payload: true });
  }
  return senders;
}

/** The definitions that others refer to; the unions that list the messages of a role do not count. */
function heldDefinitions({ definitions }: Schema): ReadonlySet<string> {
  const holders = [...definitions.values()].filter(({ name }) => !isRoleUnion(name));
  return new Set(holders.flatMap(({ node }) => [...referencesOf(node)]));
}

/** The definitions that messages of `role` are made of: its own params, and its answers to the other side. */
function partsSentBy(
  role: Role,
  schema: Schema,
  sent: readonly Sent[],
  senders: ReadonlyMap<string, Sending>,
): Set<string> {
  const roots: string[] = [];
  for (const { message, result } of sent) {
    const roles = senders.get(message.method)?.senders ?? [];
    if (roles.includes(role)) roots.push(message.definition.name);
    if (result && roles.includes(opposite(role))) roots.push(...answersOf({ result }));
  }
  return reachable(schema, roots);
}

/** The sender in the note, else the one found in the schema, else the usual one, which is reported. */
export function settleSender(
  message: Message,
  found: Sending | undefined,
  note: SenderNote | undefined,
  assumptions: Assumption[],
  memberships: ReadonlyMap<string, Membership>,
): Sending {
  if (note) {
    const senders: readonly Role[] = note.sender === "both" ? ["client", "server"] : [note.sender];
    return { senders, payload: found?.payload ?? false };
  }
  if (found && found.senders.length > 0) return found;
  const senders: readonly Role[] = message.kind === "request" ? ["client"] : ["client", "server"];
  assumptions.push({
    kind: "sender",
    subject: message.method,
    text: `It is taken to be sent by ${senders.length === 2 ? "both sides" : "the client"}; no union of messages lists it and no message embeds it.`,
  });
  const payload = found?.payload ?? false;
  const isUnlisted = !payload && [...memberships.values()].some(({ kinds }) => kinds.has(message.kind));
  return { senders, payload, ...(isUnlisted && { unlisted: true }) };
}

export function isRedundantSender(note: SenderNote, found: Sending | undefined): boolean {
  const said = note.sender === "both" ? "client,server" : note.sender;
  return found !== undefined && found.senders.join() === said;
}

function inOrder(roles: Iterable<Role>): readonly Role[] {
  return [...new Set(roles)].sort();
}
