import {
  type Definition,
  type Schema,
  type SchemaNode,
  naturalCompare,
  reachable,
  referencesOf,
  constantMember,
  hasMember,
  memberNodes,
  requiredMembers,
  withChildren,
  groupBy,
} from "@mcpgen/engine";
import {
  type Assumption,
  type Kind,
  type Params,
  type ResultOf,
  type Role,
  answersOf,
  opposite,
} from "./model.js";
import type { SenderNote } from "../notes/note.js";

/** A definition that describes the messages of one method. */
export interface Message {
  readonly method: string;
  readonly kind: Kind;
  readonly definition: Definition;
  readonly envelope: boolean;
  readonly params: Params;
}

/**
 * Finds the message of each method, in natural order of method. A definition is a message if its `method` is
 * a constant string, whatever its name. Abstract bases, whose `method` is any string, are not messages.
 *
 * @param among the definitions that may be messages; default: all
 */
export function findMessages(
  schema: Schema,
  memberships: ReadonlyMap<string, Membership>,
  assumptions: Assumption[],
  among?: ReadonlySet<string>,
): Message[] {
  const candidates = [...schema.definitions.values()].filter(({ name }) => among?.has(name) ?? true);
  const byMethod = groupBy(candidates, ({ node }) => constantMember(schema, node, "method"));
  const messages: Message[] = [];
  for (const [method, definitions] of byMethod) {
    if (method === undefined) continue;
    const definition = choose(method, definitions, assumptions);
    const kind = kindOf(schema, { method, definition }, memberships.get(method), assumptions);
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

/**
 * Chooses a definition. A method may have several: an inlined union of one member, an alias, or a competing
 * description.
 */
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
  schema: Schema,
  { method, definition: { name, node } }: Pick<Message, "method" | "definition">,
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

/** The kind of message that a definition's name indicates. */
export function kindByName(name: string): Kind | undefined {
  return name.endsWith("Request") ? "request" : name.endsWith("Notification") ? "notification" : undefined;
}

/**
 * Adds to `schema` a definition, named after its method, for each message that a union of messages describes
 * inline. Every message then has a type, validators and rows in the tables.
 */
export function defineInlineMessages(schema: Schema, assumptions: Assumption[]): Schema {
  const described = new Set(
    [...schema.definitions.values()].map(({ node }) => constantMember(schema, node, "method")),
  );
  const inline = listedMessages(schema).filter(({ method }) => !described.has(method));
  if (inline.length === 0) return schema;
  const defined = new Map<string, Definition>();
  const references = new Map<SchemaNode, SchemaNode>();
  for (const { node, method, kind } of inline) {
    const text = nodeJson(node);
    const wanted = nameOf(method, kind);
    let name = wanted;
    for (let number = 2; schema.definitions.has(name) || differs(defined.get(name), text); number++) {
      name = `${wanted}${number}`;
    }
    if (!defined.has(name)) {
      defined.set(name, { name, node });
      const said = `Its message has no definition; it is named ${name} after the method.`;
      assumptions.push({ kind: "message", subject: method, text: said });
    }
    references.set(node, { pointer: node.pointer, ref: name });
  }
  const kept = [...schema.definitions.values()].map((definition) => ({
    ...definition,
    node: withReferences(definition.node, references),
  }));
  const all = [...kept, ...defined.values()].sort((a, b) => naturalCompare(a.name, b.name));
  return { ...schema, definitions: new Map(all.map((definition) => [definition.name, definition])) };
}

/** `tools/call` → `ToolsCallRequest`, `notifications/tools/list_changed` → `ToolsListChangedNotification`. */
function nameOf(method: string, kind: Kind): string {
  const words = method.replace(/^notifications\//, "").match(/[\p{L}\p{N}]+/gu) ?? [];
  const capitals = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return capitals.join("") + (kind === "request" ? "Request" : "Notification");
}

function differs(definition: Definition | undefined, text: string): boolean {
  return definition !== undefined && nodeJson(definition.node) !== text;
}

/** The keywords of a node, without its place. */
function nodeJson(node: SchemaNode): string {
  return JSON.stringify(node, (key, value: unknown) =>
    key === "pointer" ? undefined : value instanceof Map ? [...(value as Map<string, unknown>)] : value,
  );
}

function withReferences(node: SchemaNode, references: ReadonlyMap<SchemaNode, SchemaNode>): SchemaNode {
  return references.get(node) ?? withChildren(node, (child) => withReferences(child, references));
}

/** The roles that send a method, and whether it is only sent inside other messages. */
export interface Sending {
  /** Empty if the schema does not show the senders. */
  readonly senders: readonly Role[];
  readonly payload: boolean;
  /** Set if the senders are assumed although the unions of messages list others of this kind. */
  readonly unlisted?: true;
}

interface Sent {
  readonly message: Message;
  readonly result: ResultOf | undefined;
}

/**
 * Finds the senders of each message: from the unions, else from the place where the message is embedded, else
 * assumed.
 */
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
    // A definition that others refer to is a part of them, even if no message contains it.
    if (roles.length > 0 || held.has(name)) senders.set(message.method, { senders: roles, payload: true });
  }
  return senders;
}

/** The definitions that others refer to, ignoring the unions that list the messages of a role. */
function heldDefinitions({ definitions }: Schema): ReadonlySet<string> {
  const holders = [...definitions.values()].filter(({ name }) => !isRoleUnion(name));
  return new Set(holders.flatMap(({ node }) => [...referencesOf(node)]));
}

/** The definitions in messages of `role`: in its own params, and in its results to the other side. */
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

/** Chooses the sender: from the note, else from the schema, else a default, which is reported. */
export function settleSender(
  message: Message,
  { found, note }: { readonly found: Sending | undefined; readonly note: SenderNote | undefined },
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

/** Facts about a method from the unions of all messages that one side may send. */
export interface Membership {
  readonly senders: Set<Role>;
  readonly kinds: Set<Kind>;
}

/**
 * Names of the definitions that list a side's messages. They need not be unions: a union of one is that one.
 */
const roleUnions: readonly { readonly name: string; readonly role: Role; readonly kind: Kind }[] = [
  { name: "ClientRequest", role: "client", kind: "request" },
  { name: "ServerRequest", role: "server", kind: "request" },
  { name: "ClientNotification", role: "client", kind: "notification" },
  { name: "ServerNotification", role: "server", kind: "notification" },
];

/** Whether the definition lists messages, and so is not a message itself even if it looks like one. */
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

/** A message in a role union: a definition, or an inline schema. */
interface ListedMessage {
  readonly node: SchemaNode;
  readonly method: string;
  readonly role: Role;
  readonly kind: Kind;
}

/** All messages that the role unions list. */
function listedMessages(schema: Schema): ListedMessage[] {
  return roleUnions.flatMap(({ name, role, kind }) =>
    messagesIn(schema, name).map((message) => ({ ...message, role, kind })),
  );
}

/** All messages that the definition `name` accepts. */
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
