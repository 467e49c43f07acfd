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
 * The facts about HTTP that notes of kind `transport` may state for a revision with sessions. Each is a
 * column of the emitted tables.
 *
 * - `assumed`: a request without the revision header belongs to this revision.
 * - `priming`: an event stream begins with an event that has an id and no data.
 */
export const transportFacts = ["assumed", "priming"] as const;
export type TransportFact = (typeof transportFacts)[number];

/** All MCP-specific facts about one revision that emitters need. */
export interface ProtocolModel {
  /** The revision's id, e.g. `2025-11-25`. */
  readonly revision: string;
  readonly status: Status;
  /** `legacy`: initialize handshake and sessions; `modern`: stateless, per-request `_meta`. */
  readonly era: Era;
  readonly schema: Schema;
  /** In natural order of name. */
  readonly methods: readonly Method[];
  /** In natural order of code, then name. Two errors of a revision may share a code. */
  readonly errors: readonly ErrorCode[];
  /** Whether messages may be sent as JSON-RPC batches. */
  readonly batches: boolean;
  /** The facts about HTTP that hold for this revision, in the order of `transportFacts`. */
  readonly transport: readonly TransportFact[];
  /** Standard HTTP headers that repeat parts of a request. */
  readonly headers: readonly HeaderRule[];
  /**
   * Properties that the era owns: the runtime fills them in, and authors never write them. Definition name →
   * property names.
   */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
  /** Conversions of values that the preceding revision cannot express, or that this one cannot. */
  readonly stepNotes: readonly StepNote[];
  /** Members that had other names in the preceding revision. */
  readonly renames: readonly RenamedNote[];
  /** Objects whose members were inside one member in the preceding revision. */
  readonly wraps: readonly WrappedNote[];
  /** Objects whose members expressions make between the preceding revision and this one. */
  readonly reshapes: readonly ReshapedNote[];
  /** Notes that contradict the schema. */
  readonly conflicts: readonly NoteConflict[];
  /** Facts derived by convention, because neither schema nor notes state them. */
  readonly assumptions: readonly Assumption[];
}

export interface Method {
  readonly name: string;
  readonly kind: Kind;
  /** The roles that send the method. */
  readonly senders: readonly Role[];
  /** Whether the method is never a separate JSON-RPC message because other messages embed it (2026-07-28). */
  readonly payload: boolean;
  /**
   * Set if the unions of messages list others of its kind but not this one, so that the senders are assumed.
   */
  readonly unlisted?: true;
  /** Definition of the message, e.g. `CallToolRequest`. */
  readonly message: string;
  /** Whether the definition describes `jsonrpc` and `id`, besides `method` and `params`. */
  readonly envelope: boolean;
  readonly params: Params;
  /** Requests only. */
  readonly result?: ResultOf;
  /** The capabilities that the method requires; at most one for each side. */
  readonly capabilities: readonly Capability[];
  readonly cacheable: boolean;
  /**
   * Whether the response may contain requests for input, after which the request is sent again with the
   * answers.
   */
  readonly multiRoundTrip: boolean;
  /**
   * Whether the request is answered only when its stream ends. Its content arrives before, as notifications.
   */
  readonly listening: boolean;
  /** Notifications that a subscription selects: the filter's member that selects it. */
  readonly filter?: string;
  /** If that member is a list: the param whose value the list must contain. Absent if it is a flag. */
  readonly filterKey?: string;
  /** The capability that the sender, or the receiver of a notification, must have declared. */
  readonly requires?: Requirement;
  /** Notifications: methods whose cached results they invalidate, besides those that the runtime knows. */
  readonly invalidates?: readonly string[];
  /** Requests that read a list page by page. */
  readonly page?: Page;
  /**
   * The member with the list under its name in the vocabulary, if `page` is absent or names another member.
   * Only tables have it.
   */
  readonly list?: string;
  readonly deprecated?: Deprecation;
  readonly description?: string;
  readonly see?: string;
}

export type Kind = "request" | "notification";

export interface Params {
  /** Definition of the params, unless they are inline. */
  readonly definition?: string;
  readonly presence: "required" | "optional" | "none";
}

export interface ResultOf {
  /**
   * The definition of the final result, e.g. `CallToolResult`; absent only if the schema defines no result.
   */
  readonly definition?: string;
  /** Results that may be returned instead. */
  readonly alternatives: readonly Alternative[];
}

/** A result that may be returned instead of the plain one, e.g. `CreateTaskResult`, `InputRequiredResult`. */
export interface Alternative {
  readonly definition: string;
  /** The member that distinguishes it from the plain result, if there is one. */
  readonly discriminator?: Discriminator;
  /** The capability that the answering side must have declared, as a JSON Pointer into its capabilities. */
  readonly capability?: string;
  /** Set if the result asks for input: the request is then sent again with the answers. */
  readonly asks?: true;
}

/**
 * Whether an alternative is a final result like the plain one: a value identifies it, and it asks for
 * nothing.
 */
export function isFinal({ asks, discriminator }: Alternative): boolean {
  return !asks && discriminator?.value !== undefined;
}

/** The member whose presence or value identifies an alternative. */
export interface Discriminator {
  readonly key: string;
  readonly value?: string;
}

/** A page of a list in a result. */
export interface Page {
  /** The member with the items. */
  readonly member: string;
  /** Definition of one item. */
  readonly item: string;
  /** How the result marks the list as incomplete, if it can. */
  readonly partial?: PartialList;
}

/** How a result marks its list as incomplete, and how an omitted entry can be requested. */
export interface PartialList {
  /** JSON Pointer into the result, to the member that marks the list. */
  readonly member: string;
  /** The value of that member in an incomplete list; if absent, any value. */
  readonly means?: boolean | number | string;
  /**
   * Items that are only references to an entry. If `whole` is given, items with this discriminator are
   * complete entries.
   */
  readonly reference?: { readonly definition: string; readonly whole?: Discriminator };
  /** The request for a single entry. */
  readonly get?: EntryRequest;
}

/** A request for a single entry of a list. */
export interface EntryRequest {
  readonly method: string;
  /** The param with the entry's name. */
  readonly param: string;
  /** Set if the param is a list of names. */
  readonly many?: true;
  /** The member of the entry with its name. */
  readonly key: string;
  /** The member of the result with the entry or a list containing it; absent if the result is the entry. */
  readonly member?: string;
}

/** A capability that one side must have declared: a JSON Pointer into its capabilities. */
export interface Capability {
  readonly of: Role;
  readonly path: string;
  /** Its members that each enable a part of a method. */
  readonly parts?: readonly string[];
}

/** A capability of the other side, and the name of the error if it is missing. */
export interface Requirement extends Pick<Capability, "of" | "path"> {
  readonly error: string;
}

export interface ErrorCode {
  readonly code: number;
  /** In capitals, e.g. `HEADER_MISMATCH`. */
  readonly name: string;
  /** HTTP status of a response with the error. */
  readonly http?: number;
  /** Definition with the constant code, if the schema has one. */
  readonly definition?: string;
}

export interface HeaderRule {
  readonly header: string;
  /** The method it applies to; `*` means every request. */
  readonly method: string;
  /** JSON Pointer into the message, or `null` for the revision once it is negotiated. */
  readonly from: string | null;
}

export interface Assumption {
  /**
   * Stable kind: `alternative`, `channel`, `era`, `error`, `kind`, `message`, `page`, `pairing`, `sender`,
   * `extends`, `open`; or the kind of a note that was dropped.
   */
  readonly kind: string;
  /** The method, definition or revision concerned. */
  readonly subject: string;
  /** One sentence: the assumption and its basis. */
  readonly text: string;
  readonly value?: JsonValue;
}

/** The other side. */
export function opposite(role: Role): Role {
  return role === "client" ? "server" : "client";
}

/** The roles that receive a method's messages. */
export function receivers(method: Method): readonly Role[] {
  return method.senders.map(opposite);
}

/** A method with other names for its definitions. */
export function withDefinitionNames(method: Method, nameOf: (definition: string) => string): Method {
  const { message, params, result, page } = method;
  const named = ({ definition }: { readonly definition?: string }): { readonly definition?: string } =>
    definition === undefined ? {} : { definition: nameOf(definition) };
  return {
    ...method,
    message: nameOf(message),
    params: { ...params, ...named(params) },
    ...(result && {
      result: {
        ...named(result),
        alternatives: result.alternatives.map((one) => ({ ...one, definition: nameOf(one.definition) })),
      },
    }),
    ...(page && { page: { ...page, item: nameOf(page.item) } }),
  };
}

/** The definitions of all results of `method`, the plain one first. */
export function answersOf({ result }: Pick<Method, "result">): string[] {
  if (!result) return [];
  const alternatives = result.alternatives.map(({ definition }) => definition);
  return result.definition === undefined ? alternatives : [result.definition, ...alternatives];
}

/**
 * The capability that `method` requires when `sender` sends it. If both sides have one, a request requires
 * that of the answering side, a notification that of the sender.
 */
export function gate(method: Method, sender: Role): Capability | undefined {
  if (method.capabilities.length < 2) return method.capabilities[0];
  const side = method.kind === "request" ? opposite(sender) : sender;
  return method.capabilities.find(({ of }) => of === side);
}

/** The facts that decide a revision's position among others. */
interface Dated {
  readonly revision: string;
  readonly status: Status;
}

/** The released models: those of finished revisions, or all if none is finished. */
export function published<Model extends Pick<Dated, "status">>(models: readonly Model[]): readonly Model[] {
  const finished = models.filter(({ status }) => status !== "draft");
  return finished.length > 0 ? finished : models;
}

/**
 * The vocabulary: the model whose types handlers write and clients read. It is that of the pinned revision;
 * if that is not among the models, the nearest older one, else the oldest. All others are converted to it.
 *
 * @param models oldest first
 * @param pinned id of a revision; default: the newest released one
 */
export function vocabularyOf<Model extends Dated>(
  models: readonly Model[],
  pinned: string | undefined,
): Model | undefined {
  const finished = published(models);
  if (pinned === undefined) return finished.at(-1);
  return finished.findLast(({ revision }) => naturalCompare(revision, pinned) <= 0) ?? finished[0];
}

/** The names of members in the vocabulary that tables contain, by kind and name of the method. */
export type Words = ReadonlyMap<string, Word>;

interface Word extends JsonObject {
  readonly filter: string | null;
  readonly filterKey: string | null;
  /** The member with the list of a page. */
  readonly page: string | null;
  /** JSON Pointer into the server's capabilities. */
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
 * A method with the member names for tables. Lists, filters and server capabilities are read from values of
 * the vocabulary and so use its names. The list of a page is also read from the message itself, if the
 * revision has pages. Parts that are not converted, such as headers, keep the revision's names.
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
