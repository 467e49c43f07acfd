import {
  type Schema,
  type SchemaNode,
  naturalCompare,
  pointerTokens,
  conjuncts,
  hasMember,
  memberNames,
  memberNodes,
} from "@mcpgen/engine";
import {
  type Capability,
  type Era,
  type Method,
  type ProtocolModel,
  type HeaderRule,
  type Requirement,
  type Role,
  gate,
} from "./model.js";
import type { NoteProblem } from "../notes/apply.js";
import type {
  CapabilityNote,
  InvalidatesNote,
  Note,
  SubscriptionNote,
  HeaderNote,
  RequiresNote,
} from "../notes/note.js";
import type { Message } from "./messages.js";
import { propertyAt } from "./owned.js";

/** The notes about one method, by kind. Several can be about capabilities. */
export type MethodNotes = {
  readonly [Kind in Exclude<Note["kind"], "capability">]?: Extract<Note, { kind: Kind }>;
} & { readonly capabilities: readonly CapabilityNote[] };

type Writable = MethodNotes & { readonly capabilities: CapabilityNote[] };

/** Groups notes about methods by method. Notes about unknown methods are problems. */
export function notesByMethod(
  notes: readonly Note[],
  methods: ReadonlySet<string>,
  problems: NoteProblem[],
): ReadonlyMap<string, MethodNotes> {
  const byMethod = new Map<string, Writable>();
  const stated = new Set<string>();
  for (const note of notes) {
    for (const target of note.targets) {
      if (!speaksOfMethod(note, target)) continue;
      if (!methods.has(target)) {
        const message = target.startsWith("/")
          ? "expected a method, got a place of the schema"
          : "the schema has no such method";
        problems.push({ code: "MG1202", note, target, message });
        continue;
      }
      const fact = `${aspectOf(note)} of ${target}`;
      if (stated.has(fact)) {
        problems.push({ code: "MG1203", note, target, message: "another note of this kind is about it" });
        continue;
      }
      stated.add(fact);
      const entry: Writable = byMethod.get(target) ?? { capabilities: [] };
      byMethod.set(target, entry);
      if (note.kind === "capability") entry.capabilities.push(note);
      else Object.assign(entry, { [note.kind]: note });
    }
  }
  return byMethod;
}

function speaksOfMethod(note: Note, target: string): boolean {
  switch (note.kind) {
    case "pairing":
    case "sender":
    case "capability":
    case "cacheable":
    case "invalidates":
    case "multiRoundTrip":
    case "listening":
    case "partial":
    case "subscription":
    case "requires":
      return true;
    case "augments":
    case "member":
    case "carries":
    case "channel":
      return false;
    case "deprecated":
      return !target.startsWith("/");
    case "header":
      return target !== "*";
    case "errata":
    case "error":
    case "extends":
    case "lift":
    case "lower":
    case "open":
    case "owned":
    case "renamed":
    case "reshaped":
    case "transport":
    case "wrapped":
      return false;
  }
}

/** The fact that a note states about a method. Two notes must not state the same fact about one method. */
function aspectOf(note: Note): string {
  if (note.kind === "capability") return `capability of the ${note.of}`;
  return note.kind === "header" ? `header ${note.header.toLowerCase()}` : note.kind;
}

/** The capabilities in the order of their sides. */
export function capabilitiesOf(notes: readonly CapabilityNote[]): Capability[] {
  return notes
    .map(({ of, capability, parts }) => ({ of, path: capability, ...(parts && { parts }) }))
    .sort((a, b) => (a.of < b.of ? -1 : 1));
}

type Subject = Pick<Method, "name" | "kind" | "cacheable" | "capabilities">;

/**
 * The methods whose cached results a notification invalidates according to notes, by notification. It is a
 * problem if results of a method are not cached, or are invalidated without the note.
 *
 * @param others methods of a base, whose results an extension's notification may invalidate
 */
export function findInvalidations(
  methods: readonly Subject[],
  notes: readonly InvalidatesNote[],
  problems: NoteProblem[],
  others: readonly Subject[] = [],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const note of notes) {
    for (const target of note.targets) {
      const notification = methods.find(({ name }) => name === target);
      // Already reported by notesByMethod.
      if (!notification) continue;
      const fault = faultOf(notification, note, [...methods, ...others]);
      if (fault) problems.push({ ...fault, note, target });
      else found.set(target, [...new Set(note.methods)].sort());
    }
  }
  return found;
}

function faultOf(
  notification: Subject,
  { methods: dropped }: InvalidatesNote,
  methods: readonly Subject[],
): Pick<NoteProblem, "code" | "message"> | undefined {
  if (notification.kind === "request")
    return { code: "MG1202", message: "it is a request, and no notification" };
  for (const name of dropped) {
    const method = methods.find((each) => each.name === name && each.kind === "request");
    if (!method) return { code: "MG1202", message: `there is no request ${JSON.stringify(name)}` };
    if (!method.cacheable)
      return { code: "MG1203", message: `no note says that results of ${name} are cached` };
    if (sharesCapability(method, notification))
      return { code: "MG1203", message: `it drops the results of ${name} by its capability` };
  }
  return undefined;
}

/**
 * Whether a notification invalidates a method's results without a note: it has the same capability, or its
 * capability is a part of it.
 */
function sharesCapability(method: Subject, notification: Subject): boolean {
  return method.capabilities.some((whole) =>
    notification.capabilities.some(
      (part) => part.of === whole.of && `${part.path}/`.startsWith(`${whole.path}/`),
    ),
  );
}

/** The facts about subscriptions in the notes of a revision. */
export interface Subscriptions {
  /** The requests that are answered only when their streams end. */
  readonly listening: ReadonlySet<string>;
  /** By notification, the filter that selects it. */
  readonly filters: ReadonlyMap<string, Filter>;
}

/** The member of a filter and, if it is a list, the param whose value the list must contain. */
type Filter = Pick<Method, "filter" | "filterKey">;

/**
 * Reads the notes of kinds `listening` and `subscription`. A note without effect is a problem.
 *
 * @param revision.base the base of an extension, whose members are added to the base's filters
 */
export function findSubscriptions(
  revision: Pick<ProtocolModel, "era" | "schema"> & { readonly base: ProtocolModel | undefined },
  messages: readonly Message[],
  notes: ReadonlyMap<string, MethodNotes>,
  problems: NoteProblem[],
): Subscriptions {
  const { era, schema, base } = revision;
  const listening = new Set<string>();
  for (const message of messages) {
    const note = notes.get(message.method)?.listening;
    const problem = note && listeningProblem(era, message);
    if (problem) problems.push({ ...problem, note: note!, target: message.method });
    else if (note) listening.add(message.method);
  }
  const requests = messages.filter(({ method }) => listening.has(method));
  const filters = new Map<string, Filter>();
  for (const message of messages) {
    const note = notes.get(message.method)?.subscription;
    if (!note) continue;
    const place = propertyAt(schema, note.filter);
    const isJoining = base?.methods.some((method) => method.listening) ?? false;
    const problem = subscriptionProblem(revision, message, note, {
      definition: place?.definition,
      listening: isJoining || requests,
    });
    if (problem) problems.push({ ...problem, note, target: message.method });
    else
      filters.set(message.method, {
        filter: place!.property,
        ...(note.key !== undefined && { filterKey: note.key }),
      });
  }
  return { listening, filters };
}

type Problem = Pick<NoteProblem, "code" | "message">;

const ofSessions: Problem = {
  code: "MG1203",
  message: "this revision has sessions, and no subscriptions with a filter",
};

function listeningProblem(era: Era, { kind }: Message): Problem | undefined {
  if (kind !== "request") return { code: "MG1202", message: "it is a notification, and no request" };
  return era === "legacy" ? ofSessions : undefined;
}

interface FilterPlace {
  /** The definition that has the member; undefined if there is none. */
  readonly definition: string | undefined;
  /** The requests that use the filter; `true` for requests of the base. */
  readonly listening: readonly Message[] | true;
}

function subscriptionProblem(
  { era, schema }: Pick<ProtocolModel, "era" | "schema">,
  { kind, definition: { node } }: Message,
  { filter, key }: SubscriptionNote,
  { definition, listening }: FilterPlace,
): Problem | undefined {
  if (kind === "request") return { code: "MG1202", message: "it is a request, and no notification" };
  if (era === "legacy") return ofSessions;
  if (definition === undefined)
    return { code: "MG1202", message: `the schema has no property of a definition at ${filter}` };
  if (key !== undefined && !memberNodes(schema, node, "params").some((each) => describes(schema, each, key)))
    return { code: "MG1202", message: `its params have no member ${JSON.stringify(key)}` };
  if (listening === true || listening.some((request) => hasFilter(schema, request, definition)))
    return undefined;
  const message = `${filter} is no member of a filter: no request with a note of kind listening has a param of type ${definition}`;
  return { code: "MG1202", message };
}

/** Whether `node` describes the member, itself or in every arm of a union. */
function describes(schema: Schema, node: SchemaNode, name: string): boolean {
  return conjuncts(schema, node).some(
    (part) =>
      hasMember(schema, part, name) ||
      ((part.anyOf ?? part.oneOf)?.every((arm) => describes(schema, arm, name)) ?? false),
  );
}

/** Whether a param of the request other than `_meta` has the type `definition`. */
function hasFilter(schema: Schema, { definition: { node } }: Message, definition: string): boolean {
  const filter = schema.definitions.get(definition)!.node;
  return memberNodes(schema, node, "params").some((params) =>
    memberNames(schema, params)
      .filter((name) => name !== "_meta")
      .flatMap((name) => memberNodes(schema, params, name))
      .some((member) => conjuncts(schema, member).includes(filter)),
  );
}

/**
 * The headers that repeat a part of a message. A note about a part that the message does not describe is a
 * problem.
 */
export function headerRules(
  schema: Schema,
  notes: readonly HeaderNote[],
  messages: readonly Message[],
  problems: NoteProblem[],
): HeaderRule[] {
  const definitions = new Map(messages.map(({ method, definition }) => [method, definition]));
  const rules: HeaderRule[] = [];
  for (const note of notes) {
    for (const method of note.targets) {
      const node = definitions.get(method)?.node;
      if (method !== "*" && !node) continue;
      if (node && note.from !== null && !mayHave(schema, node, pointerTokens(note.from))) {
        const message = `the message has no member at ${note.from}, which ${note.header} is to repeat`;
        problems.push({ code: "MG1202", note, target: method, message });
        continue;
      }
      rules.push({ header: note.header, method, from: note.from });
    }
  }
  return rules.sort((a, b) => naturalCompare(a.header, b.header) || naturalCompare(a.method, b.method));
}

/** Whether a value may have a member at a path, declared or not. */
export function mayHave(schema: Schema, node: SchemaNode, tokens: readonly string[]): boolean {
  let nodes = [node];
  for (const token of tokens) {
    const members = nodes.flatMap((each) => memberNodes(schema, each, token));
    if (members.length === 0) return nodes.flatMap((each) => conjuncts(schema, each)).every(takesOthers);
    nodes = members;
  }
  return true;
}

/** Whether the schema allows undeclared members, explicitly or because it declares none. */
function takesOthers({ types, properties, additionalProperties: others }: SchemaNode): boolean {
  if (types && !types.includes("object")) return false;
  return properties === undefined || (others !== undefined && !others.never);
}

/** The name of the error for a missing capability. */
export const missingCapability = "MISSING_REQUIRED_CLIENT_CAPABILITY";

interface RequirementSubject {
  readonly methods: readonly Pick<Method, "name" | "kind" | "senders">[];
  /** The errors that a note may name; default: any. */
  readonly errors?: ProtocolModel["errors"];
  /** For an extension: where each side declares it. */
  readonly declared?: { readonly [Side in Role]?: string };
}

/**
 * The requirements in notes of kind `requires`, by method. A note without a capability requires the extension
 * itself.
 */
export function requirementsOf(
  notes: readonly Note[],
  { methods, errors, declared = {} }: RequirementSubject,
  problems: NoteProblem[],
): ReadonlyMap<string, Pick<Method, "requires">> {
  const requirements = new Map<string, Pick<Method, "requires">>();
  for (const note of notes) {
    if (note.kind !== "requires") continue;
    for (const target of note.targets) {
      const method = methods.find(({ name }) => name === target);
      // Already reported by notesByMethod.
      if (!method) continue;
      const path = note.capability ?? declared[note.of];
      const message =
        path === undefined
          ? `the ${note.of} declares no place of the extension`
          : requirementFault(note, method, errors);
      if (message !== undefined) problems.push({ code: "MG1202", note, target, message });
      else {
        const requires = { of: note.of, path: path!, error: note.error ?? missingCapability };
        requirements.set(target, { requires });
      }
    }
  }
  return requirements;
}

function requirementFault(
  { of, error }: RequiresNote,
  { kind, senders }: RequirementSubject["methods"][number],
  errors: RequirementSubject["errors"],
): string | undefined {
  if (kind === "request" && !senders.includes(of)) return `the ${of} does not send it`;
  const isKnown = error === undefined || (errors?.some(({ name }) => name === error) ?? true);
  return isKnown ? undefined : `the revision has no error ${JSON.stringify(error)}`;
}

/**
 * What a method requires besides the capability that enables it: the requirement in notes, or a capability of
 * the other side, if only one side sends the method and both must have declared something.
 */
export function requirementOf(method: Method): Requirement | undefined {
  const { capabilities, requires, senders } = method;
  const [sender, other] = senders;
  if (requires || !sender || other || capabilities.length < 2) return requires;
  const gating = gate(method, sender);
  const { of, path } = capabilities.find((each) => each !== gating)!;
  return { of, path, error: missingCapability };
}
