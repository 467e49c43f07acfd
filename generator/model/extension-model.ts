import { naturalCompare, hasMember } from "@mcpgen/engine";
import type { Note, ChannelNote } from "../notes/note.js";
import type { NoteProblem } from "../notes/apply.js";
import { discriminate } from "./pairing.js";
import { missingCapability, requirementsOf } from "./notes-by-method.js";
import {
  type Alternative,
  type Assumption,
  type Capability,
  type Method,
  type ProtocolModel,
  type Requirement,
  type Role,
  opposite,
  receivers,
  vocabularyOf,
  withDefinitionNames,
} from "./model.js";
import { closest } from "../diagnostics/suggest.js";
import { paramsOf } from "./messages.js";

/** An extension over one of its bases, the input for the tables of its methods. */
export interface ExtensionModel extends ProtocolModel {
  /** The id that clients and servers declare. */
  readonly id: string;
  readonly version: string;
  /** The revision that it extends. */
  readonly base: ProtocolModel;
  /** Definitions of the base, by their names in the extension's schema. */
  readonly imported: ReadonlyMap<string, string>;
  readonly declared: OfEachSide<DeclaredPlace>;
  /** In natural order of method, then definition, independent of the order of notes. */
  readonly augments: readonly Augmented[];
  /** In natural order of definition, then place. */
  readonly members: readonly MemberRule[];
  readonly channel?: Channel;
}

export type OfEachSide<Value> = { readonly [Side in Role]?: Value };

/** A JSON Pointer into the capabilities, and the definition of the value there. */
interface DeclaredPlace {
  readonly path: string;
  readonly settings?: string;
}

/** A result that the extension adds to a method of the base. */
export interface Augmented {
  readonly method: Method;
  readonly result: Alternative;
  readonly requires?: Requirement;
}

/** A member that the extension adds to objects of a base definition. */
export interface MemberRule {
  /** Name of the definition in the base. */
  readonly of: string;
  /** JSON Pointer within the object. */
  readonly path: string;
  readonly definition: string;
  readonly required: boolean;
}

/** Facts from an extension's files besides schema and notes. */
export interface ExtensionFacts {
  /** The id that clients and servers declare, e.g. `com.example/search`. */
  readonly id: string;
  readonly version: string;
  /** JSON Pointer into a side's capabilities; absent if the side declares nothing. */
  readonly declared: OfEachSide<string>;
  /** Name of the definition of a side's settings. */
  readonly settings: OfEachSide<string>;
  readonly channel?: Pick<Channel, "roles" | "handshake">;
}

interface Source {
  readonly facts: ExtensionFacts;
  readonly base: ProtocolModel;
  readonly imported: ReadonlyMap<string, string>;
  /** The notes that apply to the base. */
  readonly notes: readonly Note[];
  /** The model of the extension's methods. */
  readonly model: ProtocolModel;
}

/** Completes the model of an extension's methods with required capabilities, added results and members. */
export function completeExtension(
  { facts, base, imported, notes, model }: Source,
  problems: NoteProblem[],
): ExtensionModel {
  const elsewhere = onChannelAlone(notes);
  const assumptions = model.assumptions.filter(
    ({ kind, subject }) => kind !== "sender" || !elsewhere.has(subject),
  );
  const found = { channel: facts.channel, notes, base, imported, model };
  const channel = findChannel(found, problems, assumptions);
  const context: Context = { facts, base, imported, model, problems, assumptions };
  const augments = notes
    .flatMap((note) => (note.kind === "augments" ? augmented(note, context) : []))
    .sort(
      (a, b) =>
        naturalCompare(a.method.name, b.method.name) ||
        naturalCompare(a.result.definition, b.result.definition),
    );
  const { declared } = facts;
  const requirements = requirementsOf(notes, { methods: model.methods, declared }, problems);
  for (const note of notes) if (note.kind === "error") refuseReserved(note, context);
  const members = notes
    .flatMap((note) => (note.kind === "member" ? memberRules(note, context) : []))
    .sort((a, b) => naturalCompare(a.of, b.of) || naturalCompare(a.path, b.path));
  return {
    ...model,
    id: facts.id,
    version: facts.version,
    base,
    imported,
    methods: model.methods
      .filter(({ name }) => !elsewhere.has(name))
      .map((method) => ({
        ...method,
        capabilities: gatesOf(method, facts),
        ...requirements.get(method.name),
      })),
    errors: model.errors.filter((error) => !isKnown(error, base)),
    declared: declaredPlaces(facts),
    augments,
    members,
    ...(channel && { channel }),
    assumptions,
  };
}

/** Methods that are sent on the channel and whose sender no other note names. */
export function onChannelAlone(notes: readonly Note[]): ReadonlySet<string> {
  const targets = (kind: Note["kind"]): string[] =>
    notes.flatMap((note) => (note.kind === kind ? note.targets : []));
  const sent = new Set(targets("sender"));
  return new Set(targets("channel").filter((target) => !sent.has(target)));
}

interface Context {
  readonly facts: ExtensionFacts;
  readonly base: ProtocolModel;
  readonly imported: ReadonlyMap<string, string>;
  readonly model: ProtocolModel;
  readonly problems: NoteProblem[];
  readonly assumptions: Assumption[];
}

function declaredPlaces({ declared, settings }: ExtensionFacts): OfEachSide<DeclaredPlace> {
  return Object.fromEntries(
    Object.entries(declared).map(([side, path]) => {
      const definition = settings[side as Role];
      return [side, { path, ...(definition !== undefined && { settings: definition }) }];
    }),
  );
}

/**
 * Error codes that were in use before the specification reserved the range (2026-07-28, basic, error codes).
 */
const legacyCodes = { least: -32_019, most: -32_000 };

function refuseReserved(note: Extract<Note, { kind: "error" }>, { base, problems }: Context): void {
  if (base.era === "legacy") return;
  for (const target of note.targets) {
    const code = Number(target);
    if (code < legacyCodes.least || code > legacyCodes.most || isKnown({ name: note.name, code }, base))
      continue;
    const message =
      "the base keeps the codes from -32000 to -32019 for older code: no new error may have one";
    problems.push({ code: "MG1313", note, target, message });
  }
}

/** Whether the base has an error with the same name and code, which would then exist twice. */
function isKnown({ name, code }: ProtocolModel["errors"][number], { errors }: ProtocolModel): boolean {
  return errors.some((error) => error.name === name && error.code === code);
}

/**
 * The places in capabilities that a method requires, for each side that answers a request or sends a
 * notification: the place in notes, else that of the extension. A method may be used only if the place is
 * declared.
 */
function gatesOf(method: Method, { declared }: ExtensionFacts): readonly Capability[] {
  const sides = method.kind === "request" ? receivers(method) : method.senders;
  const added = sides.flatMap((of): Capability[] => {
    const path = declared[of];
    const isNamed = method.capabilities.some((capability) => capability.of === of);
    return path === undefined || isNamed ? [] : [{ of, path }];
  });
  return [...method.capabilities, ...added].sort((a, b) => (a.of < b.of ? -1 : 1));
}

function augmented(note: Extract<Note, { kind: "augments" }>, context: Context): Augmented[] {
  const { base, imported, model, problems, assumptions, facts } = context;
  return note.targets.flatMap((target) => {
    const method = base.methods.find(({ name, kind }) => name === target && kind === "request");
    const problem = (message: string): Augmented[] => {
      problems.push({ code: "MG1202", note, target, message });
      return [];
    };
    if (!method) return problem(`the base ${base.revision} has no such request`);
    if (!model.schema.definitions.has(note.result))
      return problem(`the schema has no definition ${JSON.stringify(note.result)}`);
    const { mark } = note;
    const plain = [...imported].find(([, name]) => name === method.result?.definition)?.[0];
    const discriminator = mark
      ? { key: Object.keys(mark)[0]!, value: Object.values(mark)[0]! }
      : discriminate(model.schema, plain, note.result, assumptions).discriminator;
    const sender = method.senders.find((side) => facts.declared[side] !== undefined);
    const requires: Requirement | undefined =
      sender === undefined
        ? undefined
        : { of: sender, path: facts.declared[sender]!, error: missingCapability };
    const answering = opposite(sender ?? method.senders[0]!);
    const capability = facts.declared[answering];
    return [
      {
        method,
        result: {
          definition: note.result,
          ...(discriminator && { discriminator }),
          ...(capability !== undefined && { capability }),
        },
        ...(requires && { requires }),
      },
    ];
  });
}

function memberRules(
  note: Extract<Note, { kind: "member" }>,
  { base, model, problems }: Context,
): MemberRule[] {
  return note.targets.flatMap((target) => {
    const problem = (message: string): MemberRule[] => {
      problems.push({ code: "MG1202", note, target, message });
      return [];
    };
    const of = /^base#\/\$defs\/([^/]+)$/.exec(target)?.[1];
    if (of === undefined) return problem("expected a definition of the base, such as base#/$defs/Tool");
    if (!base.schema.definitions.has(of)) return problem(`the base ${base.revision} has no definition ${of}`);
    if (!model.schema.definitions.has(note.definition))
      return problem(`the schema has no definition ${JSON.stringify(note.definition)}`);
    const { member: path, definition, required = false } = note;
    return [{ of, path, definition, required }];
  });
}

/** A separate channel, with roles other than client and server. */
export interface Channel {
  readonly roles: readonly string[];
  /** Methods that open the channel. */
  readonly handshake: { readonly request: string; readonly confirmation?: string };
  /** In natural order of method, then sender. */
  readonly messages: readonly ChannelMessage[];
}

/** A method sent on a channel from one role to another. */
interface ChannelMessage {
  /** The method; its `senders` are those outside of the channel. */
  readonly method: Method;
  readonly sender: string;
  readonly receiver: string;
}

/** A contradiction in extension.json, at a JSON Pointer. */
export interface ChannelFault {
  readonly pointer: string;
  readonly message: string;
  readonly next: string;
}

interface ChannelSource {
  readonly channel: Pick<Channel, "roles" | "handshake"> | undefined;
  readonly notes: readonly Note[];
  readonly base: ProtocolModel;
  /** The model of the extension's methods. */
  readonly model: ProtocolModel;
  /** The base definition that a name stands for. */
  readonly imported: ReadonlyMap<string, string>;
}

/**
 * The channel of an extension over one base, with the messages that notes name. Without such notes there is
 * no channel, which is reported. Faults of notes become problems.
 */
function findChannel(
  source: ChannelSource,
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

function faultOfRoles(
  { sender, receiver }: ChannelNote,
  channel: ChannelSource["channel"],
): string | undefined {
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

/** Finds a method: of the extension, else of the base, else as described by the note. */
function methodOf(name: string, note: ChannelNote, { model, base, imported }: ChannelSource): Found {
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

/** A method that only the note describes. */
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

/** Facts that hold for every method on a channel: it needs no capability, and is not sent over HTTP. */
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

/**
 * A method of the base without facts of its era: alternative results, and remarks about its use between
 * client and server. A new field of a method is left out as well, until it is named here.
 */
function fromBase(method: Method, keyOf: (definition: string) => string): Method {
  const { name, kind, message, envelope, params, result, page, description, see } = method;
  const kept: Method = {
    ...{ name, kind, envelope, ...plain, message, params },
    ...(result && { result: { ...result, alternatives: [] } }),
    ...(page && { page: { member: page.member, item: page.item } }),
    ...(description !== undefined && { description }),
    ...(see !== undefined && { see }),
  };
  return withDefinitionNames(kept, keyOf);
}

/** Contradictions between extension.json and the notes, for a channel whose notes have no fault. */
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
 * The messages of one role as a protocol model, so that its table is made like that of a revision. The role
 * takes the place of the client, other roles that of the server.
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

/** The extension over the base that is the vocabulary of the revisions, else over the nearest base. */
export function authoredBase({
  models,
  vocabulary,
}: {
  readonly models: readonly ExtensionModel[];
  readonly vocabulary?: string | undefined;
}): ExtensionModel {
  return vocabularyOf(models, vocabulary)!;
}
