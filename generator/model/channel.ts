import { naturalCompare } from "@mcpgen/engine";
import { closest } from "../diagnostics/suggest.js";
import type { NoteProblem } from "../notes/apply.js";
import type { ChannelNote, Note } from "../notes/note.js";
import { paramsOf } from "./messages.js";
import type { Assumption, Method, ProtocolModel, Role } from "./model.js";
import { hasMember } from "./object-view.js";

/** A second channel, with roles that are neither client nor server. */
export interface Channel {
  readonly roles: readonly string[];
  /** Methods that open it. */
  readonly handshake: { readonly request: string; readonly confirmation?: string };
  /** Natural order of method, then of sender. */
  readonly messages: readonly ChannelMessage[];
}

/** A method as it travels on a channel, from one role to another. */
interface ChannelMessage {
  /** Its senders are those that it has beside the channel. */
  readonly method: Method;
  readonly sender: string;
  readonly receiver: string;
}

/** A contradiction in the extension.json, at a JSON Pointer. */
export interface ChannelFault {
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
}

interface Source {
  readonly channel: Pick<Channel, "roles" | "handshake"> | undefined;
  readonly notes: readonly Note[];
  readonly base: ProtocolModel;
  /** The model of the extension's methods. */
  readonly model: ProtocolModel;
  /** The definition of the base that a name stands for. */
  readonly imported: ReadonlyMap<string, string>;
}

/**
 * The channel of an extension over one base, with the messages that notes name. Without such notes there is none, which
 * is reported. Faults of notes become problems.
 */
export function findChannel(
  source: Source,
  problems: NoteProblem[],
  assumptions: Assumption[],
): Channel | undefined {
  const { channel } = source;
  if (channel && !source.notes.some(({ kind }) => kind === "channel")) {
    const roles = channel.roles.join(", ");
    assumptions.push({
      kind: "channel",
      subject: channel.handshake.request,
      text: `The channel of ${roles} is left out: no note of kind channel says what travels on it.`,
    });
    return undefined;
  }
  const stated = new Set<string>();
  const messages: ChannelMessage[] = [];
  for (const note of source.notes) {
    if (note.kind !== "channel") continue;
    for (const target of note.targets) {
      const problem = (code: NoteProblem["code"], message: string): void => {
        problems.push({ code, note, target, message });
      };
      const fault = faultOfRoles(note, channel);
      const fact = JSON.stringify([target, note.sender, note.receiver]);
      const found = methodOf(target, note, source);
      if (fault !== undefined) problem("MG1312", fault);
      else if (stated.has(fact)) problem("MG1203", "another note says so");
      else if ("fault" in found) problem(found.code, found.fault);
      else messages.push({ method: found.method, sender: note.sender, receiver: note.receiver });
      stated.add(fact);
    }
  }
  if (!channel) return undefined;
  const order = (a: ChannelMessage, b: ChannelMessage): number =>
    naturalCompare(a.method.name, b.method.name) || naturalCompare(a.sender, b.sender);
  return { ...channel, messages: messages.sort(order) };
}

function faultOfRoles({ sender, receiver }: ChannelNote, channel: Source["channel"]): string | undefined {
  if (!channel) return 'extension.json has no "channel" with the roles and the handshake';
  const stray = [sender, receiver].find((role) => !channel.roles.includes(role));
  if (stray !== undefined) {
    const suggestion = closest(stray, channel.roles);
    const meant = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
    return `the channel has no role ${JSON.stringify(stray)}, it has ${channel.roles.join(", ")}${meant}`;
  }
  return sender === receiver ? `the ${sender} cannot be both sender and receiver` : undefined;
}

type Found = { readonly method: Method } | { readonly code: NoteProblem["code"]; readonly fault: string };

/** The method of the extension, else of the base, else the one that the note describes. */
function methodOf(name: string, note: ChannelNote, { model, base, imported }: Source): Found {
  const keys = new Map([...imported].map(([key, definition]) => [definition, key]));
  const keyOf = (definition: string): string => keys.get(definition)!;
  const own = model.methods.find((method) => method.name === name);
  const ofBase = base.methods.find((method) => method.name === name);
  if (own ?? ofBase) {
    const described = note.message === undefined ? note.result && "result" : "message";
    if (described === undefined) return { method: own ? onChannel(own) : fromBase(ofBase!, keyOf) };
    const owner = own ? "the extension" : `the base ${base.revision}`;
    return { code: "MG1312", fault: `${owner} defines the method, so the note needs no "${described}"` };
  }
  const { message, result } = note;
  if (message === undefined)
    return {
      code: "MG1202",
      fault: `neither the extension nor the base ${base.revision} has such a method, and the note has no "message" that describes it`,
    };
  const missing = [message, ...(result === undefined ? [] : [result])].find(
    (definition) => !model.schema.definitions.has(definition),
  );
  if (missing !== undefined)
    return { code: "MG1202", fault: `the schema has no definition ${JSON.stringify(missing)}` };
  return { method: described(name, message, result, model) };
}

/** A method that the note describes. */
function described(
  name: string,
  message: string,
  result: string | undefined,
  { schema }: ProtocolModel,
): Method {
  const definition = schema.definitions.get(message)!;
  const isRequest = result !== undefined || hasMember(schema, definition.node, "id");
  return {
    ...{ name, kind: isRequest ? "request" : "notification", message, ...plain },
    envelope: hasMember(schema, definition.node, "jsonrpc"),
    params: paramsOf(schema, definition),
    ...(isRequest && {
      result: { alternatives: [], ...(result !== undefined && { definition: result }) },
    }),
  };
}

/** What holds for every method on a channel: nothing is declared before, and HTTP has no part in it. */
const plain = {
  senders: [],
  payload: false,
  capabilities: [],
  cacheable: false,
  multiRoundTrip: false,
  listening: false,
} satisfies Partial<Method>;

function onChannel({
  requires: _requires,
  invalidates: _invalidates,
  filter: _filter,
  filterKey: _key,
  senders,
  ...method
}: Method): Method {
  return { ...method, ...plain, senders };
}

/** A method of the base, without what belongs to its era: other results, and remarks on its use between the sides. */
function fromBase(method: Method, keyOf: (definition: string) => string): Method {
  const { name, kind, message, envelope, params, result, page, description, see } = method;
  return {
    ...{ name, kind, envelope, ...plain, message: keyOf(message) },
    params: {
      presence: params.presence,
      ...(params.definition !== undefined && { definition: keyOf(params.definition) }),
    },
    ...(result && {
      result: {
        alternatives: [],
        ...(result.definition !== undefined && { definition: keyOf(result.definition) }),
      },
    }),
    ...(page && { page: { member: page.member, item: keyOf(page.item) } }),
    ...(description !== undefined && { description }),
    ...(see !== undefined && { see }),
  };
}

/** Contradictions of extension.json and the notes, of a channel whose notes have no fault. */
export function faultsOfChannel({ roles, handshake, messages }: Channel): ChannelFault[] {
  const of = (kind: Method["kind"], name: string): ChannelMessage | undefined =>
    messages.find(({ method }) => method.name === name && method.kind === kind);
  const { request, confirmation } = handshake;
  const opening = of("request", request);
  const confirming = confirmation === undefined ? undefined : of("notification", confirmation);
  const faults: ChannelFault[] = [];
  const next = "Name a method that a note of kind channel names, or add the note.";
  if (!opening) {
    const message = `no request ${JSON.stringify(request)} travels on the channel`;
    faults.push({ pointer: "/channel/handshake/request", message, next });
  }
  if (confirmation !== undefined && confirming?.sender !== (opening?.sender ?? confirming?.sender)) {
    const message = confirming
      ? `${JSON.stringify(confirmation)} is sent by the ${confirming.sender}, and ${JSON.stringify(request)} by the ${opening!.sender}`
      : `no notification ${JSON.stringify(confirmation)} travels on the channel`;
    faults.push({ pointer: "/channel/handshake/confirmation", message, next });
  }
  for (const [index, role] of roles.entries()) {
    if (messages.some(({ sender, receiver }) => sender === role || receiver === role)) continue;
    faults.push({
      pointer: `/channel/roles/${index}`,
      message: `the role ${role} neither sends nor receives a message`,
      next: "Remove the role, or name it in a note of kind channel.",
    });
  }
  return faults;
}

/**
 * The messages of one role as a protocol model, so that its table is made like that of a revision: the role stands for
 * the client, the other roles for the server.
 */
export function modelOfRole(model: ProtocolModel, { messages }: Channel, role: string): ProtocolModel {
  const methods = new Map<string, Method>();
  for (const { method, sender, receiver } of messages) {
    if (sender !== role && receiver !== role) continue;
    const side: Role = sender === role ? "client" : "server";
    const senders = new Set([...(methods.get(method.name)?.senders ?? []), side]);
    methods.set(method.name, { ...method, senders: [...senders].sort() });
  }
  return { ...model, methods: [...methods.values()], headers: [] };
}
