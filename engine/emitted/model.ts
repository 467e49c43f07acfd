import type { Issue } from "./issue.js";

export type { Issue };

// The types that the tables of all revisions share. The file has only types: importing it costs nothing.

/** The sides of a conversation. */
export type Role = "client" | "server";

/** `legacy`: a handshake opens a session; `modern`: requests are stateless. */
export type Era = "legacy" | "modern";

/** The tables of one protocol revision, for one side. */
export interface Revision<R extends Role = Role> {
  /** Form of the tables; a runtime refuses forms it does not know. */
  readonly format: 1;
  /** As negotiated on the wire, e.g. `2025-11-25`. */
  readonly id: string;
  readonly era: Era;
  readonly role: R;
  readonly table: ReceiveTable<R>;
  /**
   * Loads the functions that report every issue of a value, after a validator refused it. Without them, an error
   * names only the first wrong place.
   */
  readonly explain?: () => Promise<Explanations>;
  /**
   * Converts messages of this revision to the next one, and back; absent on the newest. The older revision holds
   * them, so that a bundle without older revisions has no steps.
   */
  readonly steps?: Steps;
  /**
   * The steps of the other role between the previous revision and this one. Only revisions newer than the
   * vocabulary (the revision that handlers and calls are written in) have them: there, the other role's steps for
   * sending convert the messages that this role receives, and its steps for receiving convert the messages that
   * this role sends.
   */
  readonly peerSteps?: Steps;
  /**
   * Validators of sent messages, for development. Absent where `NODE_ENV` is `production` or there is no
   * `process`, and left out of production bundles.
   */
  readonly developmentSends?: SendTable<R> | undefined;
  /**
   * Validators of sent messages, in every environment: `explained` adds them. Revisions newer than the vocabulary
   * always have them and always use them: they find members that no step converts, such as a new member of the
   * message itself.
   */
  readonly sends?: SendTable<R>;
  /**
   * Makes functions from columns that are data: `requires`, and alternatives that are final results. Only
   * revisions with such columns have it, so that other bundles do not carry its code.
   *
   * @param failure the class of the runtime's errors
   */
  completed?(revision: Revision<R>, failure: Failure): Revision<R>;
  /** Receives JSON-RPC batches. Only servers of revisions with batches have its code. */
  readonly batches?: Batches;
}

/** JSON-RPC batches, as a server receives them. */
export interface Batches {
  /** Why a batch inside a batch is refused. */
  readonly nested: string;
  /** Why the request that opens a session is refused inside a batch. */
  readonly initialize: string;
  /** Why a batch is refused as a whole: it is empty, or two of its responses could not be distinguished. */
  problem(messages: readonly unknown[], kindOf: BatchConnection["kindOf"]): string | undefined;
  /** Dispatches the messages of a batch, and sends their answers as one batch. */
  receive(messages: readonly unknown[], connection: BatchConnection): void;
}

/** The connection that a batch came over. */
export interface BatchConnection {
  /** `request`, `notification`, `response` or `batch`; any other value if it is not a message. */
  readonly kindOf: (message: unknown) => unknown;
  /** Sends the answers; absent where the transport collects them. */
  readonly send: ((text: string) => void) | undefined;
  readonly dispatch: (message: unknown, answers: BatchAnswers | undefined) => void;
  readonly refuse: (problem: string, id?: number | string, answers?: BatchAnswers) => void;
}

/** The answers to one batch. */
export interface BatchAnswers {
  answer(text: string): void;
  /** Records that a request of the batch was cancelled and gets no answer. */
  dropAnswer(): void;
}

/**
 * Converts messages between two consecutive revisions, for one role. A table lists the methods of both revisions
 * whose params or result may need a change; all other messages pass unchanged. In the tables for client requests
 * and their results, the entry `*` converts the members that the runtime fills in, given as an object by member
 * name.
 */
export interface Steps {
  /** Id of the older revision. */
  readonly older: string;
  /** Id of the newer revision. */
  readonly newer: string;
  /** Converts params of received requests from the older revision to the newer. */
  readonly incomingRequests: StepTable;
  /** Converts params of received notifications from the older revision to the newer. */
  readonly incomingNotifications: StepTable;
  /** Converts received results from the older revision to the newer. */
  readonly incomingResults: StepTable;
  /** Converts params of requests to send from the newer revision to the older. */
  readonly outgoingRequests: StepTable;
  /** Converts params of notifications to send from the newer revision to the older. */
  readonly outgoingNotifications: StepTable;
  /** Converts results to send from the newer revision to the older. */
  readonly outgoingResults: StepTable;
}

/** The steps of an extension from one of its bases to the next; a table without steps is left out. */
export interface ExtensionSteps extends Partial<Omit<Steps, "newer" | "older">> {}

/** Steps by method. */
export type StepTable = ReadonlyMap<string, Step>;

/**
 * Converts a valid value of one revision to a valid value of the other, except for members that the runtime fills
 * in. Never changes its argument; returns the argument itself if nothing needs a change.
 */
export type Step = (value: object, report: StepReport) => object;

/** Receives reports of values that a step cannot convert. */
export interface StepReport {
  /** A value was left out, or a text or a default takes its place. */
  lost(loss: StepLoss): void;
  /** The message cannot be converted. Must throw. */
  refuse(refusal: StepRefusal): never;
  /** The params of the request that a result answers. Absent for params and unknown requests. */
  readonly request?: object | undefined;
}

export interface StepLoss {
  /** JSON Pointer into the params or the result. */
  readonly pointer: string;
  /** Description of the lost value. */
  readonly what: string;
  readonly how: "dropped" | "text" | "filled";
}

export interface StepRefusal {
  /** Stable name of the reason. */
  readonly code: string;
  /** JSON Pointer into the params or the result. */
  readonly pointer: string;
  readonly reason: string;
}

/** The messages that one side receives, and the facts about messages that it sends. */
export interface ReceiveTable<R extends Role = Role> {
  readonly format: 1;
  readonly role: R;
  /** Requests that this side answers, by method. */
  readonly incomingRequests: ReadonlyMap<string, IncomingRequest>;
  /** Notifications that this side receives, by method. */
  readonly incomingNotifications: ReadonlyMap<string, IncomingNotification>;
  /** Requests that this side sends, by method, with their possible results. */
  readonly outgoingRequests: ReadonlyMap<string, OutgoingRequest>;
  /** Notifications that this side sends, by method. */
  readonly outgoingNotifications: ReadonlyMap<string, OutgoingNotification>;
  /** HTTP headers that mirror a part of every request. */
  readonly headers: readonly HeaderSource[];
  /** Error codes by name. */
  readonly errors: ErrorTable;
  /** Messages may arrive and be sent in JSON-RPC batches. */
  readonly batches?: true;
  /** An HTTP request without the `MCP-Protocol-Version` header belongs to this revision. */
  readonly assumed?: true;
  /** An event stream of HTTP begins with an event that has an id and no data. */
  readonly priming?: true;
}

/**
 * The exact validators of the messages that one side sends. Separate from `ReceiveTable`, so that only bundles
 * that check sent messages carry it.
 */
export interface SendTable<R extends string = Role> {
  readonly format: 1;
  readonly role: R;
  readonly requests: ReadonlyMap<string, ExactDefinition>;
  readonly notifications: ReadonlyMap<string, ExactDefinition>;
  /** For each request that this side answers: the plain result, then its alternatives. */
  readonly results: ReadonlyMap<string, readonly ExactAnswer[]>;
  /** The members that hold base64, with the definition of their object. */
  readonly base64: readonly Base64Member[];
  /**
   * Returns the fault of a message, or of a result without its envelope; undefined if it is valid or the table
   * does not have the method.
   */
  find(
    kind: "requests" | "notifications" | "results",
    method: string,
    value: unknown,
  ): UndefinedMessage | undefined;
}

/** A message that does not match its definition. */
export interface UndefinedMessage {
  readonly definition: ExactDefinition;
  /** The message as JSON holds it. */
  readonly value: unknown;
  /** JSON Pointer of a member that does not hold base64; without it, the validator refuses the value. */
  readonly pointer?: string;
}

/**
 * A possible result of a request, in its exact form. A mark identifies an alternative to the plain result: the
 * member `key` is present, or has `value` if that is given.
 */
export interface ExactAnswer extends ExactDefinition {
  readonly key?: string;
  readonly value?: string;
}

/** A member whose text is base64 (RFC 4648, section 4). */
export interface Base64Member extends ExactDefinition {
  readonly member: string;
}

/** `SendTable` has its results. */
export interface IncomingRequest extends MethodFacts, OpenDefinition {}

export interface IncomingNotification extends MethodFacts, OpenDefinition {}

export interface OutgoingRequest extends MethodFacts {
  /** The plain result; absent where the schema does not name one. */
  readonly result?: OpenDefinition;
  /** Results that may come instead of the plain one. */
  readonly alternatives?: readonly Alternative[];
  /** The request pages through a list. */
  readonly page?: Page;
  /** The member that holds the list in results of the vocabulary, if `page` is absent or names another one. */
  readonly list?: string;
}

/** One page of a list in a result: `member` holds the items, and the definition describes an item. */
export interface Page extends OpenDefinition {
  readonly member: string;
  /** How a result marks a list as incomplete; absent if lists are always complete. */
  readonly partial?: PartialList;
}

/** How a result marks its list as incomplete, and how a client gets an entry that the list leaves out. */
export interface PartialList {
  /** Path into the result, to the member that marks the list as incomplete. */
  readonly path: readonly string[];
  /** The value that marks an incomplete list; if absent, any value does. */
  readonly means?: boolean | number | string;
  /** Items that only refer to an entry. */
  readonly reference?: ReferenceItem;
  /** The request for one entry. */
  readonly get?: EntryRequest;
}

/** A list item that only refers to an entry. */
export interface ReferenceItem extends OpenDefinition {
  /** The member, or its value if given, that distinguishes whole entries from references. */
  readonly whole?: { readonly key: string; readonly value?: string };
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
  /** The member of the result with the entry, or a list of only it. If absent, the result is the entry. */
  readonly member?: string;
}

export type OutgoingNotification = MethodFacts;

/** Facts about a method, in both directions. An absent flag is false. */
export interface MethodFacts {
  /** The capability that the method needs. */
  readonly capability?: Capability;
  /** HTTP headers that mirror parts of the message, in addition to the headers of every request. */
  readonly headers?: readonly HeaderSource[];
  /** The result carries hints how long and for whom it may be cached. */
  readonly cacheable?: true;
  /** The answer may request input; the client then sends the request again with the input. */
  readonly multiRoundTrip?: true;
  /**
   * The request opens a subscription: notifications follow, and the result comes when the stream ends. The
   * receiver may also end it, by a cancellation.
   */
  readonly listening?: true;
  /** The request occurs only inside other messages, never as a separate message. */
  readonly payload?: true;
  /** For a notification: the member of a subscription's filter that selects it, by its name in the vocabulary. */
  readonly filter?: string;
  /**
   * For a notification that a list in the filter selects: the member of its params whose value the list must
   * contain, by its name in the vocabulary. If absent, the filter's member must be `true`.
   */
  readonly filterKey?: string;
  /** The capability that the sender of a request, or the receiver of a notification, must have declared. */
  readonly requires?: Requirement;
  /** For a notification: further methods, beyond its capability, whose cached results it invalidates. */
  readonly invalidates?: readonly string[];
  /** Enforces `requires`. `extend` and `Revision.completed` add it; generated tables do not have it. */
  readonly refuse?: Refuse;
  /** Values of `resultType` that mark alternatives without requests for input. `extend` adds more. */
  readonly resultTypes?: readonly string[];
  /** The `resultType` of a result that requests input, if it is not `input_required`. */
  readonly asks?: string;
}

/** Returns the error for a client that may not use a method; `undefined` if it may. */
export type Refuse = (
  client: { readonly clientCapabilities: object },
  request?: { readonly params?: object },
) => Error | undefined;

/** The capability that a side must have declared before a method or a result may be used. */
export interface Requirement {
  readonly of: Role;
  /** Path into the side's capabilities. */
  readonly path: readonly string[];
  /** Name of the error for a missing capability; "method not found" if the revision does not define it. */
  readonly error: string;
}

/** Whether a value matches a definition. Never changes the value. */
export type Judge = (value: unknown) => boolean;

/** A definition for received messages: the validator tolerates additions of later revisions. */
export interface OpenDefinition {
  readonly accepts: Judge;
  /** The validator behind `accepts` that judges this value, where there are several. */
  readonly judgeOf?: (value: unknown) => Judge;
}

/** A definition for sent messages: its name in the schema, and the exact validator. */
export interface ExactDefinition {
  readonly name: string;
  readonly is: Judge;
}

/** A result instead of the plain one, marked by the presence of a member, or by its value if given. */
export interface Alternative extends OpenDefinition {
  readonly key?: string;
  readonly value?: string;
  /** Path into the capabilities of the answering side. Without that capability the result never comes. */
  readonly capability?: readonly string[];
}

/** A place in the capabilities of one side. For server capabilities, the path has the names of the vocabulary. */
export interface Capability {
  readonly of: Role;
  readonly path: readonly string[];
  /** Members of the capability, each of which enables a part of the method. */
  readonly parts?: readonly string[];
}

/**
 * A header, and the path to its value in the message. Without a path, the value is the negotiated revision; the
 * requests before the negotiation do not have this header.
 */
export interface HeaderSource {
  readonly header: string;
  readonly from?: readonly string[];
}

export interface ErrorTable {
  readonly [name: string]: ErrorCode;
}

export interface ErrorCode {
  readonly code: number;
  /** HTTP status of an answer with this error. */
  readonly http?: number;
}

/** The `explain` module and the exact validators of a revision: an element of `explained`. */
export interface Explanation {
  readonly explain: () => Promise<Explanations>;
  readonly sends: { readonly [R in Role]: SendTable<R> };
}

/** The `explain` module of a revision. The module may have other exports. */
export interface Explanations {
  /** Returns the issues of a value that a validator of the revision refuses; none for any other validator. */
  readonly issuesOf: (judge: Judge, value: unknown) => readonly Issue[];
}

/** The tables of a protocol extension, for one side and for each revision that it extends. */
export interface Extension<R extends Role = Role> {
  /** Form of the tables; a runtime refuses forms it does not know. */
  readonly format: 1;
  /** As both sides declare it, e.g. `com.example/search`. */
  readonly id: string;
  readonly version: string;
  readonly role: R;
  /** The tables, by the id of the revision that they extend. */
  readonly bases: ReadonlyMap<string, ExtensionTable<R>>;
  /** Id of the base whose names handlers and calls use; absent if it is the newest. */
  readonly vocabulary?: string;
  /** Requirements of the extension. */
  readonly needs?: {
    /** Paths to required capabilities of the server. */
    readonly capabilities?: readonly (readonly string[])[];
    /** Ids of required extensions. */
    readonly extensions?: readonly string[];
  };
}

/** The methods and definitions that an extension adds to one revision, without those of the revision. */
export interface ExtensionTable<R extends Role = Role> {
  readonly role: R;
  readonly incomingRequests: ReadonlyMap<string, IncomingRequest>;
  readonly incomingNotifications: ReadonlyMap<string, IncomingNotification>;
  readonly outgoingRequests: ReadonlyMap<string, OutgoingRequest>;
  readonly outgoingNotifications: ReadonlyMap<string, OutgoingNotification>;
  /**
   * Error codes by name, used by the extension's methods. They are new names or, on revisions with sessions,
   * second codes for the revision's names; the revision's methods keep the revision's codes.
   */
  readonly errors: ErrorTable;
  /** Results that the extension adds to methods of the revision, by method, in both directions. */
  readonly augments: ReadonlyMap<string, readonly AddedResult[]>;
  /** Where each side declares the extension; absent if that side declares nothing. */
  readonly declared: {
    readonly client?: Declaration;
    readonly server?: Declaration;
  };
  /** Members that the extension adds to objects of the revision. */
  readonly members: readonly AddedMember[];
  /** As `Revision.explain`, for the extension's definitions. */
  readonly explain?: () => Promise<Explanations>;
  /** As `Revision.steps`, for the extension's methods: to its next base. */
  readonly steps?: ExtensionSteps;
  /** As `Revision.peerSteps`, for the extension's methods: from its previous base. */
  readonly peerSteps?: ExtensionSteps;
  /** As `Revision.developmentSends`, for the extension's methods and results. */
  readonly developmentSends?: SendTable<R> | undefined;
  /** As `Revision.sends`, for the extension's methods and results. */
  readonly sends?: SendTable<R>;
}

/** A result that an extension adds to a method of the revision. */
export interface AddedResult extends Alternative {
  /** The name of its definition, for errors. */
  readonly name: string;
  /** The capability that the sender of the request must have declared to get this result. */
  readonly requires?: Requirement;
}

/** A place in the capabilities of one side, and the definition of the settings there. */
export interface Declaration {
  readonly path: readonly string[];
  /** If absent, the settings are an object with any members. */
  readonly settings?: OpenDefinition & ExactDefinition;
}

/** A member that an extension adds to an object of the revision. */
export interface AddedMember extends OpenDefinition, ExactDefinition {
  /** Name of the definition of the object. */
  readonly of: string;
  /** Path to the member, e.g. `["_meta", "com.example/color"]`. */
  readonly path: readonly string[];
  readonly required?: true;
}

/**
 * A second channel of an extension, for one of its roles: the messages that the role receives, and facts about
 * those that it sends. Entries are as in `ReceiveTable`. A channel has no era: nothing is declared before, and
 * members that a runtime fills in may be absent.
 */
export interface ChannelTable<Messages extends ChannelMessages = ChannelMessages> {
  /** Form of the tables; a runtime refuses forms it does not know. */
  readonly format: 1;
  /** Id of the extension. */
  readonly extension: string;
  /** Version of the extension. */
  readonly version: string;
  /** Id of the revision whose definitions the channel uses. */
  readonly base: string;
  /** The role that uses the table, e.g. `view`. */
  readonly role: string;
  /** The messages that open the channel; absent if the role takes no part in them. */
  readonly handshake?: Handshake;
  /** Requests that this side answers, by method. */
  readonly incomingRequests: ReadonlyMap<string, IncomingRequest>;
  /** Notifications that this side receives, by method. */
  readonly incomingNotifications: ReadonlyMap<string, IncomingNotification>;
  /** Requests that the role sends, by method, with their results. */
  readonly outgoingRequests: ReadonlyMap<string, OutgoingRequest>;
  /** Notifications that this side sends, by method. */
  readonly outgoingNotifications: ReadonlyMap<string, OutgoingNotification>;
  /** As `Revision.developmentSends`. */
  readonly developmentSends?: SendTable<string> | undefined;
  /** Types of the messages. The member exists only in the type. */
  readonly messages?: Messages;
}

/** The messages that open a channel. */
export interface Handshake {
  /** True if the role sends the request, false if it answers. */
  readonly opens: boolean;
  /** Method of the first request. */
  readonly request: string;
  /** Method of the notification that the same role sends after the answer. */
  readonly confirmation?: string;
}

/** Types of the messages of a channel, for one role: the type argument of `ChannelTable`. */
export interface ChannelMessages {
  /** `{ params, result }` by method. */
  readonly incomingRequests: object;
  /** `{ params }` by method. */
  readonly incomingNotifications: object;
  readonly outgoingRequests: object;
  readonly outgoingNotifications: object;
}

/**
 * The handlers of a role, by method. A request without a handler is answered with "method not found". A handler
 * gets an empty object for absent params.
 */
export type ChannelHandlers<Messages extends ChannelMessages, Context = unknown> = {
  readonly [Method in keyof Messages["incomingRequests"]]?: (
    params: ChannelParams<Messages["incomingRequests"][Method]>,
    context: Context,
  ) => ChannelAnswer<Messages["incomingRequests"][Method]>;
} & {
  readonly [Method in keyof Messages["incomingNotifications"]]?: (
    params: ChannelParams<Messages["incomingNotifications"][Method]>,
    context: Context,
  ) => void | Promise<void>;
};

/**
 * Functions for messages of a revision, by method.
 *
 * @typeParam Messages `{ params, result }` by method; notifications have no `result`
 * @typeParam Methods the methods that a role receives
 */
export type HandlersOf<Messages, Methods extends keyof Messages, Context> = {
  readonly [Method in Methods]?: (
    params: Messages[Method] extends { readonly params: infer Params } ? Params : never,
    context: Context,
  ) => Messages[Method] extends { readonly result: infer Result }
    ? Result | Promise<Result>
    : void | Promise<void>;
};

type ChannelParams<Message> = Message extends { readonly params: infer Params } ? NonNullable<Params> : never;

type ChannelAnswer<Request> = Request extends { readonly result: infer Result }
  ? Result | Promise<Result>
  : never;

/**
 * Types of the messages of an extension, with the names of its vocabulary: the type argument of `serverExtension`
 * and `clientExtension`.
 */
export interface ExtensionTypes {
  /** `{ params, result }` by method; `params` includes `undefined` where it may be left out. */
  readonly clientRequests: object;
  readonly serverRequests: object;
  /** `{ params }` by method. */
  readonly clientNotifications: object;
  readonly serverNotifications: object;
  /** The settings that each side declares; `undefined` for a side that declares nothing. */
  readonly clientSettings: object | undefined;
  readonly serverSettings: object | undefined;
  /** Methods whose handlers are optional, because a setting enables them. */
  readonly optional?: string;
  /** Members that the extension adds to objects of the protocol, by definition. */
  readonly members?: object;
}

/** An extension that one side uses: an element of the option `extensions`. */
export interface UsedExtension<
  R extends Role = Role,
  Context = never,
  Members = unknown,
> extends ExtensionUse<R, Context> {
  /** Members that the extension adds to objects of the protocol. Exists only in the type. */
  readonly members?: Members;
  /** The code that merges tables. A program without extensions does not load it. */
  readonly extend: Extend<R>;
  /**
   * Describes the first wrong or missing member among those that the extension adds to an object; `undefined` if
   * all are valid. The object has the names of the vocabulary.
   *
   * @param of name of the definition of the object
   */
  wrongMember(of: string, object: object): string | undefined;
}

/** An extension with the handlers and settings that one side gives to it. */
export interface ExtensionUse<R extends Role = Role, Context = never> {
  readonly extension: Extension<R>;
  /** The settings that this side declares; `undefined` if it declares nothing. */
  readonly settings: object | undefined;
  /** Handlers of the requests that this side answers, by method. */
  readonly handlers: {
    readonly [method: string]: ExtensionHandler<never, object, Context>;
  };
  /** Listeners of the notifications that this side receives, by method. */
  readonly listeners: {
    readonly [method: string]: ExtensionListener<never>;
  };
  /** Middleware for requests of the revision or of the extension, by method. */
  readonly around: { readonly [method: string]: Around<Context> };
  /** Members of the program's definitions (by kind, such as `tools`) that are never sent. */
  readonly definitions?: DefinitionRules;
  /**
   * Handlers of the revision's requests that the runtime does not answer, by method. A handler that needs a
   * capability is used only if that is declared.
   */
  readonly also?: ExtensionUse<R, Context>["handlers"];
  /** Returns further capabilities of this side at a revision, to be merged into its own. */
  readonly capabilities?: (revision: Revision) => object;
  /** Called once, before the connection, with the server or client that uses the extension and its options. */
  readonly attach?: (program: object, options: object) => void;
  /** Cache hints for all cacheable results of the extension. */
  readonly cache?: ResultHints | undefined;
  /** Names of unknown options that were passed to `implement`. */
  readonly unknownOptions?: readonly string[];
}

/** How long and for whom a result may be cached (2026-07-28, caching). */
export interface ResultHints {
  /** Milliseconds for which the result stays fresh. */
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** Rules for members by name, by kind of definition. */
export interface DefinitionRules {
  readonly [kind: string]: { readonly [member: string]: DefinitionRule };
}

/**
 * Returns a description of the expected value if the member has another value.
 *
 * @param place the member, for errors that the rule throws
 */
export type DefinitionRule = (value: unknown, place: string) => string | undefined;

/**
 * Merges the tables of extensions into those of revisions.
 *
 * @param options of the program
 * @param failure the class of the runtime's errors
 * @param program the server or client that uses the extensions, for extensions with `attach`
 * @throws an error with the code `invalid-definition` if an extension is given twice, does not extend any of the
 *   revisions, lacks a handler or has wrong settings, or if a method, an error, a `resultType`, a member of a
 *   filter or a place in the capabilities has two owners
 */
export type Extend<R extends Role> = (
  options: ExtendOptions<R>,
  failure: Failure,
  program?: object,
) => Extended<R>;

/** The options of a program that concern its extensions. */
export interface ExtendOptions<R extends Role> {
  readonly extensions?: readonly ExtensionUse<R>[] | undefined;
  readonly revisions: readonly Revision<R>[];
  /** Capabilities that the program itself declares. */
  readonly capabilities?: object | undefined;
  /** Returns the revision of a message, given the context of its handler. Default: the context's `revision`. */
  readonly revisionOf?: (context: unknown) => string;
}

/** The class of the runtime's errors. */
export type Failure = new (
  code:
    "internal-error" | "invalid-params" | "invalid-definition" | "method-not-found" | "missing-capability",
  message: string,
  details?: { readonly rpcCode?: number; readonly data?: unknown },
) => Error;

/** Revisions with their extensions. */
export interface Extended<R extends Role> {
  readonly revisions: readonly Revision<R>[];
  /** Handlers of requests by method. */
  readonly handlers: ReadonlyMap<string, ExtensionUse["handlers"][string]>;
  /** Listeners of notifications by method. */
  readonly listeners: ReadonlyMap<string, ExtensionUse["listeners"][string]>;
  /** Middleware for requests, the outermost first. Each one acts only on its own method. */
  readonly middleware: readonly Around<never>[];
  /** Returns the handlers of a server by method: the runtime's and the extensions', wrapped in the middleware. */
  methods<Handler>(
    own: readonly (readonly [method: string, handler: Handler])[],
  ): readonly (readonly [method: string, handler: Handler])[];
  /**
   * Returns the capabilities of this side with those that its extensions declare.
   *
   * @param revision selects the extensions of this revision; if absent, those of all revisions
   */
  declared<Capabilities extends object>(capabilities: Capabilities, revision?: string): Capabilities;
}

/** Answers a request. */
export type ExtensionHandler<Params, Result, Context> = (
  params: Params,
  context: Context,
) => Result | Promise<Result>;

/** Receives a notification. */
export type ExtensionListener<Params> = (params: Params) => void | Promise<void>;

/**
 * Middleware for each request of a method. Returns the result of `next`, or another result. `next` optionally
 * takes other params and, on a server, another context.
 */
export type Around<Context> = (
  request: {
    readonly method: string;
    readonly params: object;
    readonly context: Context;
  },
  next: (params?: object, context?: object) => object | Promise<object>,
) => object | Promise<object>;

/** The context that handlers of an extension get from every runtime. */
export interface ExtensionContext {
  /** Aborts when the request is cancelled. */
  readonly signal: Signal;
  readonly method: string;
}

/** Sends notifications: a client, a server, or one client of a server. */
export interface Notifier<Sent = void | Promise<void>> {
  notify(method: string, params?: object): Sent;
}

/** Sends requests: a client, or one client of a server. */
export interface Requester {
  /** Sends a request. Resolves with the validated result. */
  request<Result>(method: string, params: object | undefined, options?: RequestOptions): Promise<Result>;
}

/** Sends messages: the part of a runtime that the generated stubs need. */
export interface Caller extends Requester, Notifier<Promise<void>> {
  /** Sends a notification. Resolves once it is sent; there is no answer. */
  notify(method: string, params?: object): Promise<void>;
}

export interface RequestOptions {
  /** Cancels the request. */
  readonly signal?: Signal | undefined;
  /** Milliseconds without an answer or progress, after which the request fails. */
  readonly timeout?: number | undefined;
  /** Milliseconds after which the request fails, regardless of progress. */
  readonly totalTimeout?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Whether to send the request again if its connection broke before the answer. The server may then carry it out
   * twice. Default: the client's setting.
   */
  readonly resend?: boolean | undefined;
  /**
   * `return`: a result that asks for input (`resultType: "input_required"`) is the result of the request, as the server sent it, and
   * no handler of the client is called. The caller sends the request again, with `inputResponses` and `requestState` in its params
   * (2026-07-28, multi round-trip requests); they may also come from another process. Such a request bypasses the cache. Default:
   * `answer`, by the handlers of the client. If the sender declares extensions, a result of another
   * `resultType` is also returned as it came, unjudged.
   */
  readonly inputRequired?: "answer" | "return" | undefined;
  /**
   * Called when the server ends the stream of the request before its answer, with the milliseconds after which the client
   * reconnects, if the server says them (2025-11-25, Streamable HTTP, polling).
   */
  readonly onDisconnect?: ((retryMs: number | undefined) => void) | undefined;
  /**
   * Headers of this request over HTTP, of its resumption, and of its cancellation; they replace those of the client. A result
   * that they led to is not cached. Other transports, and headers that the transport sets, fail with `not-expressible` and
   * `invalid-definition`.
   */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /**
   * The client for which a gateway sends the request: the context of its handler has these members. Nothing of the sender is sent
   * in its place: an absent member is absent in the request. A result that it led to is not cached. A handshake states these
   * members once for all requests, so revisions up to 2025-11-25 fail with `not-expressible`: connect once for each client there.
   */
  readonly onBehalfOf?: Represented | undefined;
}

/** What a request states of its client (2026-07-28, basic, `_meta`). */
export interface Represented {
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Default: none. */
  readonly clientCapabilities?: object | undefined;
  /** The least severity of log messages. Default: the server sends none. */
  readonly logLevel?: string | undefined;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The part of `AbortSignal` that is used, so that no platform's types are needed. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
