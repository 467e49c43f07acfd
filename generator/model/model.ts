import {
  type Deprecation,
  type JsonObject,
  type JsonValue,
  type Schema,
  naturalCompare,
} from "@mcpgen/engine";
import type { NoteConflict, RenamedNote, ReshapedNote, StepNote, WrappedNote } from "../notes/note.js";

export type Role = "client" | "server";
export type Era = "legacy" | "modern";
export type Status = "released" | "draft" | "handwritten";

/**
 * What notes of kind `transport` may say of a revision with sessions. Each is a column of the emitted tables.
 *
 * - `assumed`: a request without the header of the revision belongs to this revision.
 * - `priming`: an event stream begins with an event that has an id and no data.
 */
export const transportFacts = ["assumed", "priming"] as const;
export type TransportFact = (typeof transportFacts)[number];

/** Everything MCP-specific that the emitters need to know of one revision; resolved once. */
export interface ProtocolModel {
  /** The revision's id, e.g. `2025-11-25`. */
  readonly revision: string;
  readonly status: Status;
  /** `legacy`: initialize handshake and sessions; `modern`: stateless, per-request `_meta`. */
  readonly era: Era;
  readonly schema: Schema;
  /** Natural order of name. */
  readonly methods: readonly Method[];
  /** Natural order of code, then of name: two errors may share a code in this revision. */
  readonly errors: readonly ErrorCode[];
  /** Messages may travel as JSON-RPC batches. */
  readonly batches: boolean;
  /** Facts about HTTP that hold for this revision, in the order of `transportFacts`. */
  readonly transport: readonly TransportFact[];
  /** Standard HTTP headers that mirror parts of a request. */
  readonly headers: readonly HeaderRule[];
  /** Properties the era owns, which authors never write: definition name → property names. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
  /** The outcomes for values that have no form at the revision before, or that have none here. */
  readonly stepNotes: readonly StepNote[];
  /** Which members had other names in the revision before. */
  readonly renames: readonly RenamedNote[];
  /** Whose members were inside one member in the revision before. */
  readonly wraps: readonly WrappedNote[];
  /** Whose members are made by expressions between the revision before and this one. */
  readonly reshapes: readonly ReshapedNote[];
  /** Notes that say otherwise than the schema. */
  readonly conflicts: readonly NoteConflict[];
  /** Facts derived by convention, because neither schema nor notes state them. */
  readonly assumptions: readonly Assumption[];
}

export interface Method {
  readonly name: string;
  readonly kind: Kind;
  /** The roles that send it. */
  readonly senders: readonly Role[];
  /** The method is never a separate JSON-RPC message: other messages embed it (2026-07-28). */
  readonly payload: boolean;
  /** The unions of messages list others of its kind, and not this one: the senders are assumed. */
  readonly unlisted?: true;
  /** Definition of the message, e.g. `CallToolRequest`. */
  readonly message: string;
  /** The definition describes `jsonrpc` and `id` too, and not only `method` and `params`. */
  readonly envelope: boolean;
  readonly params: Params;
  /** Requests only. */
  readonly result?: ResultOf;
  /** The capabilities that gate it; of each side at most one. */
  readonly capabilities: readonly Capability[];
  readonly cacheable: boolean;
  /** It may be answered with requests for input, and is then sent again with the answers. */
  readonly multiRoundTrip: boolean;
  /** It is answered only when its stream ends: what it asks for comes before that, as notifications. */
  readonly listening: boolean;
  /** Notifications that a subscription selects: the member of its filter that does. */
  readonly filter?: string;
  /** The param whose value the list in that member must hold; absent for a member that is a flag. */
  readonly filterKey?: string;
  /** What the side that sends it, or the receiver of a notification, must have declared. */
  readonly requires?: Requirement;
  /** Notifications: the methods whose cached results they drop, beside those that the runtime knows. */
  readonly invalidates?: readonly string[];
  /** Requests that go through a list page by page. */
  readonly page?: Page;
  /** The member with the list in values of the vocabulary, if `page` names none or another: only tables say so. */
  readonly list?: string;
  readonly deprecated?: Deprecation;
  readonly description?: string;
  readonly see?: string;
}

export type Kind = "request" | "notification";

export interface Params {
  /** Definition of the params, if they are not inline. */
  readonly definition?: string;
  readonly presence: "required" | "optional" | "none";
}

export interface ResultOf {
  /**
   * The definition that answers the method when it is done, e.g. `CallToolResult`; absent only where the
   * schema defines no result at all.
   */
  readonly definition?: string;
  /** The results that may come in its place. */
  readonly alternatives: readonly Alternative[];
}

/** A result that may come in place of the plain one, e.g. `CreateTaskResult`, `InputRequiredResult`. */
export interface Alternative {
  readonly definition: string;
  /** The member that distinguishes it from the plain result, if there is one. */
  readonly discriminator?: Discriminator;
  /** Capability of the answering side that it needs, a JSON Pointer into those it declares. */
  readonly capability?: string;
  /** It asks for input: the request is sent again with the answers, and its result comes then. */
  readonly asks?: true;
}

/** Whether an alternative is a final result, as the plain one is: a value marks it, and it asks for nothing. */
export function isFinal({ asks, discriminator }: Alternative): boolean {
  return !asks && discriminator?.value !== undefined;
}

/** The member whose presence, or whose value, marks an alternative. */
export interface Discriminator {
  readonly key: string;
  readonly value?: string;
}

/** A page of a list inside a result. */
export interface Page {
  /** The member that holds the items. */
  readonly member: string;
  /** Definition of one item. */
  readonly item: string;
  /** How it says that it leaves entries out, if it may. */
  readonly partial?: PartialList;
}

/** How a list says that it leaves entries out, and how an entry is found that it leaves out. */
export interface PartialList {
  /** JSON Pointer into the result, of the member that says so. */
  readonly member: string;
  /** The value of the member where entries are left out; without it, any value. */
  readonly means?: boolean | number | string;
  /** The items that stand for an entry: those without the mark of a whole one, if there is a mark. */
  readonly reference?: { readonly definition: string; readonly whole?: Discriminator };
  /** The request that is answered with one entry. */
  readonly get?: EntryRequest;
}

/** A request for one entry of a list. */
export interface EntryRequest {
  readonly method: string;
  /** The param that names the entry. */
  readonly param: string;
  /** The param is a list of names. */
  readonly many?: true;
  /** The member of the entry that has the name. */
  readonly key: string;
  /** The member of the result that holds the entry, or a list of it; absent where the result is the entry. */
  readonly member?: string;
}

/** The capability that one side must have declared: a JSON Pointer into its capabilities. */
export interface Capability {
  readonly of: Role;
  readonly path: string;
  /** Its members that gate a part of a method each. */
  readonly parts?: readonly string[];
}

/** A capability of the other side, and the name of the error that answers without it. */
export interface Requirement extends Pick<Capability, "of" | "path"> {
  readonly error: string;
}

export interface ErrorCode {
  readonly code: number;
  /** In capitals, e.g. `HEADER_MISMATCH`. */
  readonly name: string;
  /** HTTP status of an answer that carries it. */
  readonly http?: number;
  /** Definition that fixes the code, if the schema has one. */
  readonly definition?: string;
}

export interface HeaderRule {
  readonly header: string;
  /** Method it applies to; `*` is every request. */
  readonly method: string;
  /** JSON Pointer into the message, or `null` for the negotiated revision, once it is negotiated. */
  readonly from: string | null;
}

export interface Assumption {
  /** Stable kind: `alternative`, `channel`, `era`, `error`, `kind`, `message`, `page`, `pairing`, `sender`, `extends`, `open`; the kind of a note that was left out. */
  readonly kind: string;
  /** The method, definition or revision it is about. */
  readonly subject: string;
  /** One sentence: the assumption and its basis. */
  readonly text: string;
  readonly value?: JsonValue;
}

/** The other side. */
export function opposite(role: Role): Role {
  return role === "client" ? "server" : "client";
}

/** The side that answers or reads what `sender` sends. */
export function receivers(method: Method): readonly Role[] {
  return method.senders.map(opposite);
}

/** The definitions of all that may answer `method`, the plain result first. */
export function answersOf({ result }: Pick<Method, "result">): string[] {
  if (!result) return [];
  const alternatives = result.alternatives.map(({ definition }) => definition);
  return result.definition === undefined ? alternatives : [result.definition, ...alternatives];
}

/**
 * The capability that gates `method` when `sender` sends it. Where both sides have one, a request needs that
 * of the side that answers it, and a notification that of the side that announces something.
 */
export function gate(method: Method, sender: Role): Capability | undefined {
  if (method.capabilities.length < 2) return method.capabilities[0];
  const side = method.kind === "request" ? opposite(sender) : sender;
  return method.capabilities.find(({ of }) => of === side);
}

/** What is known of a revision, as far as its place among others depends on it. */
interface Dated {
  readonly revision: string;
  readonly status: Status;
}

/** The models of the protocol as released: those of finished revisions, or all if none is finished. */
export function published<Model extends Pick<Dated, "status">>(models: readonly Model[]): readonly Model[] {
  const finished = models.filter(({ status }) => status !== "draft");
  return finished.length > 0 ? finished : models;
}

/**
 * The model that handlers write and clients read: that of the pinned revision. Where that is not among them, the nearest
 * older one takes its place, and the oldest where all are newer: steps lead there from all others.
 *
 * @param models oldest first
 * @param pinned id of a revision; without it, the newest that is released
 */
export function vocabularyOf<Model extends Dated>(
  models: readonly Model[],
  pinned: string | undefined,
): Model | undefined {
  const finished = published(models);
  if (pinned === undefined) return finished.at(-1);
  return finished.findLast(({ revision }) => naturalCompare(revision, pinned) <= 0) ?? finished[0];
}

/** The names that the vocabulary has for members which tables name, by kind and name of the method. */
export type Words = ReadonlyMap<string, Word>;

interface Word extends JsonObject {
  readonly filter: string | null;
  readonly filterKey: string | null;
  /** The member with the list of a page. */
  readonly page: string | null;
  /** The place in the capabilities of servers. */
  readonly server: string | null;
}

const keyOf = ({ kind, name }: Pick<Method, "kind" | "name">): string => `${kind} ${name}`;

export function wordsOf({ methods }: ProtocolModel): Words {
  return new Map(
    methods.map((method) => {
      const { filter = null, filterKey = null, page, capabilities } = method;
      const server = capabilities.find(({ of }) => of === "server")?.path ?? null;
      return [keyOf(method), { filter, filterKey, page: page?.member ?? null, server }];
    }),
  );
}

/**
 * A method as the tables have it. Lists, filters and capabilities of servers are read in values of the vocabulary, so their
 * members are called as there; the list of a page is also read in the message itself, if the revision has pages. What
 * travels alone, such as headers, keeps the words of the revision.
 */
export function inWords(method: Method, words: Words | undefined): Method {
  const word = words?.get(keyOf(method));
  if (!word) return method;
  const { filter, filterKey, page, capabilities } = method;
  return {
    ...method,
    capabilities: capabilities.map((capability) =>
      capability.of === "server" ? { ...capability, path: word.server ?? capability.path } : capability,
    ),
    ...(filter !== undefined && { filter: word.filter ?? filter }),
    ...(filterKey !== undefined && { filterKey: word.filterKey ?? filterKey }),
    ...(word.page !== null && word.page !== page?.member && { list: word.page }),
  };
}
