import { placesOf, findOwned, nowhere } from "./owned.js";
import {
  type Schema,
  type SchemaNode,
  type Definition,
  reachable,
  naturalCompare,
  conjuncts,
  constantMember,
  hasMember,
  memberNodes,
  requiredMembers,
} from "@mcpgen/engine";
import {
  type NoteConflict,
  type Note,
  type PairingNote,
  type SenderNote,
  type StepNote,
  type TransportNote,
  type ErrorNote,
  answersNamed,
} from "../notes/note.js";
import type { NoteProblem } from "../notes/apply.js";
import { findConflicts } from "./conflicts.js";
import {
  type MethodNotes,
  type Subscriptions,
  headerRules,
  capabilitiesOf,
  findInvalidations,
  findSubscriptions,
  notesByMethod,
  requirementsOf,
} from "./notes-by-method.js";
import {
  type Message,
  type Sending,
  type Membership,
  defineInlineMessages,
  findMessages,
  findSenders,
  isRedundantSender,
  settleSender,
  readRoleUnions,
} from "./messages.js";
import {
  type Assumption,
  type Era,
  type Method,
  type ProtocolModel,
  type ResultOf,
  type Status,
  type TransportFact,
  type ErrorCode,
  isFinal,
  transportFacts,
} from "./model.js";
import { definePageItems, findPartialLists, pageOf } from "./page.js";
import { pair } from "./pairing.js";

/** The inputs of a protocol model. */
interface ModelSource {
  readonly revision: string;
  readonly status: Status;
  /** The schema after errata, extends and documentation were applied. */
  readonly schema: Schema;
  readonly notes?: readonly Note[];
  /**
   * Set if the schema is that of an extension over this base. The methods are then only those that the
   * extension defines.
   */
  readonly over?: Over;
  /** mcpgen's own documentation of a method; default: the description of its message. */
  readonly documentation?: (method: string) => MethodDocumentation | undefined;
}

/** What an extension's model takes from its base. */
interface Over {
  readonly base: ProtocolModel;
  /** Names of the extension's definitions; all others are from the base. */
  readonly own: ReadonlySet<string>;
  /** The base definition that a name stands for. */
  readonly imported: ReadonlyMap<string, string>;
}

interface MethodDocumentation {
  readonly description?: string;
  /** URL of the specification page that describes the method. */
  readonly see?: string;
}

export interface BuiltModel {
  readonly model: ProtocolModel;
  /** Notes, or targets of notes, without an existing subject or without effect. */
  readonly problems: readonly NoteProblem[];
}

/** Builds the model with all facts about the protocol that emitters need. */
export function buildModel(source: ModelSource): BuiltModel {
  const { notes = [], revision, status, over } = source;
  const assumptions: Assumption[] = [];
  const schema = definePageItems(defineInlineMessages(source.schema, assumptions), assumptions);
  const problems: NoteProblem[] = [];
  const conflicts: NoteConflict[] = [];
  const findings = { assumptions, problems, conflicts };
  const memberships = readRoleUnions(schema);
  const messages = findMessages(schema, memberships, assumptions, over?.own);
  const said = notesByMethod(notes, new Set(messages.map(({ method }) => method)), problems);

  const paired = messages.map((message) =>
    pairMessage(schema, message, said.get(message.method)?.pairing, findings),
  );
  const sendings = findSenders(schema, paired, memberships);
  const settled = paired.map(({ message, result }) => {
    const known = { found: sendings.get(message.method), note: said.get(message.method)?.sender };
    const sending = settle(message, known, findings, memberships);
    return { message, result, sending };
  });
  const asking = asksForInput(schema, settled, embeddedIn(over));

  const era = over?.base.era ?? eraOf(revision, schema, messages, assumptions);
  const subscriptions = findSubscriptions({ era, schema, base: over?.base }, messages, said, problems);

  const errors = findErrors(schema, notesOf(notes, "error"), assumptions, over?.own);
  const methods = settled.map((entry) =>
    assemble(
      entry,
      said.get(entry.message.method),
      { ...source, schema, assumptions },
      { asking, subscriptions },
    ),
  );
  const invalidations = findInvalidations(
    methods,
    notesOf(notes, "invalidates"),
    problems,
    over?.base.methods,
  );
  // An extension may require that it is declared itself: see `completeExtension`.
  const requirements = over ? undefined : requirementsOf(notes, { methods, errors }, problems);
  const pages = findPartialLists(schema, methods, notesOf(notes, "partial"), problems);

  const model: ProtocolModel = {
    revision,
    status,
    era,
    schema,
    methods: methods.map((method) => {
      const invalidates = invalidations.get(method.name);
      const page = pages.get(method.name);
      return {
        ...method,
        ...requirements?.get(method.name),
        ...(invalidates && { invalidates }),
        ...(page && { page }),
      };
    }),
    errors,
    batches: over?.base.batches ?? hasBatches(schema),
    transport: findTransport(era, notesOf(notes, "transport"), problems),
    headers: headerRules(schema, notesOf(notes, "header"), messages, problems),
    owned: withoutMarks(
      schema,
      findOwned(schema, notesOf(notes, "owned"), problems, {
        places: over ? nowhere : placesOf(schema, settled),
        known: ownedIn(over),
      }),
      methods,
    ),
    renames: notes.filter((note) => note.kind === "renamed"),
    wraps: notes.filter((note) => note.kind === "wrapped"),
    reshapes: notes.filter((note) => note.kind === "reshaped"),
    stepNotes: notes.filter((note): note is StepNote => note.kind === "lower" || note.kind === "lift"),
    conflicts,
    assumptions: distinct(assumptions),
  };
  if (!over) conflicts.push(...findConflicts(model, notes));
  return { model, problems };
}

/** Facts to report that are found while the model is built. */
interface Findings {
  readonly assumptions: Assumption[];
  readonly problems: NoteProblem[];
  readonly conflicts: NoteConflict[];
}

interface Settled {
  readonly message: Message;
  readonly result: ResultOf | undefined;
  readonly sending: Sending;
}

function pairMessage(
  schema: Schema,
  message: Message,
  note: PairingNote | undefined,
  { assumptions, problems, conflicts }: Findings,
): { message: Message; result: ResultOf | undefined } {
  if (message.kind === "notification") return { message, result: undefined };
  const missing = note && answersNamed(note).find((name) => !schema.definitions.has(name));
  const said = missing === undefined ? note : undefined;
  const { result, redundant, conflict, clash } = pair(schema, message, said, assumptions);
  const target = message.method;
  if (note && missing !== undefined) {
    const text = `the schema has no definition ${JSON.stringify(missing)} to answer it`;
    problems.push({ code: "MG1202", note, target, message: text });
  } else if (note && clash !== undefined) {
    problems.push({ code: "MG1203", note, target, message: clash });
  } else if (note && redundant) {
    problems.push({ code: "MG1203", note, target, message: "the schema already says so" });
  }
  if (said && conflict) conflicts.push({ note: said, target, ...conflict });
  return { message, result };
}

function settle(
  message: Message,
  { found, note }: { readonly found: Sending | undefined; readonly note: SenderNote | undefined },
  { assumptions, problems, conflicts }: Findings,
  memberships: ReadonlyMap<string, Membership>,
): Sending {
  const listed = memberships.get(message.method)?.senders;
  if (note && isRedundantSender(note, found)) {
    problems.push({ code: "MG1203", note, target: message.method, message: "the schema already says so" });
  } else if (note?.carried && listed) {
    // A note written for this schema corrects its unions of messages.
    const text = `the unions of messages list it for the ${[...listed].sort().join(" and the ")}, and the note says ${note.sender}`;
    conflicts.push({ note, target: message.method, message: text });
  }
  return settleSender(message, { found, note }, assumptions, memberships);
}

/** The base's messages that are only sent inside others, by their names in the extension's schema. */
function embeddedIn(over: Over | undefined): string[] {
  const embedded = new Set(over?.base.methods.filter(({ payload }) => payload).map(({ message }) => message));
  return [...(over?.imported ?? [])].flatMap(([key, name]) => (embedded.has(name) ? [key] : []));
}

/** The properties that a base owns, by the names of its definitions in the extension's schema. */
function ownedIn(over: Over | undefined): ProtocolModel["owned"] {
  return new Map(
    [...(over?.imported ?? [])].flatMap(([key, name]) => {
      const owned = over!.base.owned.get(name);
      return owned ? [[key, owned] as const] : [];
    }),
  );
}

/**
 * The results that contain requests for input: those that refer, directly or not, to a message that is only
 * sent inside others.
 *
 * @param others further such messages besides those of `settled`
 */
function asksForInput(
  schema: Schema,
  settled: readonly Settled[],
  others: readonly string[],
): ReadonlySet<string> {
  const own = settled.filter(({ sending }) => sending.payload).map(({ message }) => message.definition.name);
  const embedded = [...own, ...others];
  const asking = new Set<string>();
  if (embedded.length === 0) return asking;
  const alternatives = settled.flatMap(({ result }) => result?.alternatives ?? []);
  for (const name of new Set(alternatives.map(({ definition }) => definition))) {
    const parts = reachable(schema, [name]);
    if (embedded.some((message) => parts.has(message))) asking.add(name);
  }
  return asking;
}

/**
 * The properties that eras own, without those whose constant value marks a final result, which authors write.
 */
function withoutMarks(
  schema: Schema,
  owned: ProtocolModel["owned"],
  methods: readonly Method[],
): ProtocolModel["owned"] {
  const left = new Map(owned);
  for (const { result } of methods)
    for (const { definition, discriminator } of result?.alternatives.filter(isFinal) ?? []) {
      const { key, value } = discriminator!;
      if (constantMember(schema, schema.definitions.get(definition)!.node, key) !== value) continue;
      const names = [...(left.get(definition) ?? [])].filter((name) => name !== key);
      if (names.length > 0) left.set(definition, new Set(names));
      else left.delete(definition);
    }
  return left;
}

/**
 * The results of a method. Marks those that ask for input: they contain requests, or have the member for
 * them.
 */
function withAsking(
  schema: Schema,
  { alternatives, ...plain }: ResultOf,
  asking: ReadonlySet<string>,
): ResultOf {
  return {
    ...plain,
    alternatives: alternatives.map((arm) => {
      const node = schema.definitions.get(arm.definition)?.node;
      const asks = asking.has(arm.definition) || (node && hasMember(schema, node, "inputRequests"));
      return asks ? { ...arm, asks: true as const } : arm;
    }),
  };
}

function assemble(
  { message, result, sending }: Settled,
  notes: MethodNotes | undefined,
  { documentation, schema, assumptions }: ModelSource & Pick<Findings, "assumptions">,
  { asking, subscriptions }: { readonly asking: ReadonlySet<string>; readonly subscriptions: Subscriptions },
): Method {
  const { method: name, kind, definition, envelope, params } = message;
  const remarks = documentation?.(name);
  const description = remarks?.description ?? definition.node.description;
  const see = remarks?.see ?? definition.see?.[0];
  const deprecated = deprecationOf(notes) ?? definition.node.deprecated;
  const page = pageOf(schema, message, result, assumptions);
  return {
    name,
    kind,
    senders: sending.senders,
    payload: sending.payload,
    ...(sending.unlisted && { unlisted: true as const }),
    message: definition.name,
    envelope,
    params,
    ...(result && { result: withAsking(schema, result, asking) }),
    capabilities: capabilitiesOf(notes?.capabilities ?? []),
    cacheable: notes?.cacheable !== undefined,
    multiRoundTrip:
      notes?.multiRoundTrip !== undefined ||
      (result?.alternatives.some((arm) => asking.has(arm.definition)) ?? false),
    listening: subscriptions.listening.has(name),
    ...subscriptions.filters.get(name),
    ...(page && { page }),
    ...(deprecated && { deprecated }),
    ...(description !== undefined && { description }),
    ...(see !== undefined && { see }),
  };
}

function deprecationOf(notes: MethodNotes | undefined): Method["deprecated"] {
  if (!notes?.deprecated) return undefined;
  const { since, instead } = notes.deprecated;
  return { ...(since !== undefined && { since }), ...(instead !== undefined && { instead }) };
}

function notesOf<K extends Note["kind"]>(notes: readonly Note[], kind: K): Extract<Note, { kind: K }>[] {
  return notes.filter((note): note is Extract<Note, { kind: K }> => note.kind === kind);
}

/** The same assumption may be made for several methods. */
function distinct(assumptions: readonly Assumption[]): Assumption[] {
  return [...new Map(assumptions.map((one) => [`${one.kind} ${one.subject} ${one.text}`, one])).values()];
}

/** Whether messages may be sent in batches: some definition is an array of JSON-RPC messages. */
function hasBatches(schema: Schema): boolean {
  return [...schema.definitions.values()].some(({ node }) =>
    armsOf(schema, node).some((arm) => isListOfMessages(schema, arm)),
  );
}

function isListOfMessages(schema: Schema, node: SchemaNode): boolean {
  const items = conjuncts(schema, node).flatMap(({ items: item }) => item ?? []);
  return items.some((item) => {
    const arms = armsOf(schema, item);
    return arms.every((arm) => constantMember(schema, arm, "jsonrpc") !== undefined);
  });
}

/** The schemas that a value may match: the arms of the node's unions, or the node itself. */
function armsOf(schema: Schema, node: SchemaNode): SchemaNode[] {
  const arms = new Set([node]);
  const plain: SchemaNode[] = [];
  // Iterating over a Set includes elements added during the loop.
  for (const arm of arms) {
    const inside = conjuncts(schema, arm).flatMap(({ anyOf = [], oneOf = [] }) => [...anyOf, ...oneOf]);
    if (inside.length === 0) plain.push(arm);
    for (const each of inside) arms.add(each);
  }
  return plain;
}

/** The facts about HTTP in notes. A note with an unknown fact or without an effect is a problem. */
function findTransport(era: Era, notes: readonly TransportNote[], problems: NoteProblem[]): TransportFact[] {
  const stated = new Set<string>();
  for (const note of notes)
    for (const target of note.targets) {
      const problem = problemOf(era, target, stated);
      if (problem) problems.push({ ...problem, note, target });
      else stated.add(target);
    }
  return transportFacts.filter((fact) => stated.has(fact));
}

function problemOf(
  era: Era,
  target: string,
  stated: ReadonlySet<string>,
): Pick<NoteProblem, "code" | "message"> | undefined {
  if (!(transportFacts as readonly string[]).includes(target))
    return { code: "MG1202", message: `expected one of ${transportFacts.join(", ")}` };
  if (era === "modern")
    return { code: "MG1203", message: "requests of this revision state it, and belong to no session" };
  return stated.has(target) ? { code: "MG1203", message: "another note says so" } : undefined;
}

/** The method that opens a session, which distinguishes the two eras. */
const openings: readonly { readonly method: string; readonly era: Era }[] = [
  { method: "initialize", era: "legacy" },
  { method: "server/discover", era: "modern" },
];

/** The era of a revision, from the method that opens a session, else from the members that requests carry. */
function eraOf(
  revision: string,
  schema: Schema,
  messages: readonly Message[],
  assumptions: Assumption[],
): Era {
  const methods = new Set(messages.map(({ method }) => method));
  const eras = openings.filter(({ method }) => methods.has(method)).map(({ era }) => era);
  if (eras.length === 1) return eras[0]!;
  const carrying = messages.find((message) => message.kind === "request" && requiresMeta(schema, message));
  const era: Era = carrying ? "modern" : "legacy";
  const reason = carrying ? `${carrying.method} must carry _meta` : "no request must carry _meta";
  const openers = openings.map(({ method }) => method).join(" and ");
  assumptions.push({
    kind: "era",
    subject: revision,
    text: `Its era is taken to be ${era}, because ${reason}; it has ${eras.length === 0 ? "neither" : "both"} of ${openers}.`,
  });
  return era;
}

/** Whether each request of this method identifies its sender in `_meta`, as stateless requests do. */
function requiresMeta(schema: Schema, { definition }: Message): boolean {
  return memberNodes(schema, definition.node, "params").some((params) =>
    requiredMembers(schema, params).has("_meta"),
  );
}

/**
 * The errors that notes or definitions name, in natural order of code, then of name. A code may have several
 * names.
 *
 * @param among the definitions that may define a code; default: all
 */
function findErrors(
  schema: Schema,
  notes: readonly ErrorNote[],
  assumptions: Assumption[],
  among?: ReadonlySet<string>,
): ErrorCode[] {
  const defined = definedCodes(schema, among);
  const errors = notes.flatMap(({ targets, name, http }) =>
    targets.map((target): ErrorCode => {
      const code = Number(target);
      const definition = defined.get(code);
      return {
        code,
        name,
        ...(http !== undefined && { http }),
        ...(definition !== undefined && { definition }),
      };
    }),
  );
  const named = new Set(errors.map(({ code }) => code));
  for (const [code, definition] of defined) {
    if (named.has(code)) continue;
    const name = constantName(definition);
    const text = `The error is named ${name} after ${definition}.`;
    assumptions.push({ kind: "error", subject: String(code), text });
    errors.push({ code, name, definition });
  }
  const byName = new Map(errors.map((error) => [error.name, error]));
  return [...byName.values()].sort((a, b) => a.code - b.code || naturalCompare(a.name, b.name));
}

/** Definitions with a constant error `code`, by code; if there are several, the first by name. */
function definedCodes(schema: Schema, among?: ReadonlySet<string>): ReadonlyMap<number, string> {
  const codes = new Map<number, string>();
  for (const definition of schema.definitions.values()) {
    if (among && !among.has(definition.name)) continue;
    const code = codeOf(schema, definition);
    if (code !== undefined && !codes.has(code)) codes.set(code, definition.name);
  }
  return codes;
}

/** The constant code in a response or in an error object. */
function codeOf(schema: Schema, { name, node }: Definition): number | undefined {
  const errors = memberNodes(schema, node, "error");
  if (errors.length > 0) return firstCode(schema, errors);
  // Any object may have a constant `code`, a frequent member, so the name must end with "Error".
  return name.endsWith("Error") ? firstCode(schema, [node]) : undefined;
}

function firstCode(schema: Schema, errors: readonly SchemaNode[]): number | undefined {
  return errors.map((error) => constantInteger(schema, error)).find((code) => code !== undefined);
}

function constantInteger(schema: Schema, error: SchemaNode): number | undefined {
  for (const member of memberNodes(schema, error, "code")) {
    for (const { const: constant } of conjuncts(schema, member)) {
      if (typeof constant?.value === "number" && Number.isSafeInteger(constant.value)) return constant.value;
    }
  }
  return undefined;
}

/** `HeaderMismatchError` → `HEADER_MISMATCH`; a name of one word keeps `_ERROR`. */
function constantName(definition: string): string {
  const words = definition.replace(/Error$/, "").match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return (words.length > 1 ? words : [...words, "Error"]).join("_").toUpperCase();
}
