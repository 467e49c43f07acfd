import type { Issue } from "./issue.js";

export type { Issue };

// The vocabulary that the tables of all revisions share. Types alone: importing this file costs nothing.

/** The sides of a conversation. */
export type Role = "client" | "server";

/** `legacy`: a handshake opens a session; `modern`: every request stands for itself. */
export type Era = "legacy" | "modern";

/** One revision as one side speaks it. */
export interface Revision<R extends Role = Role> {
  /** Form of the tables; a runtime refuses forms it does not know. */
  readonly format: 1;
  /** As negotiated on the wire, e.g. `2025-11-25`. */
  readonly id: string;
  readonly era: Era;
  readonly role: R;
  readonly table: ReceiveTable<R>;
  /**
   * Loads the functions that say everything that is wrong with a value, for when one was refused. Without it,
   * the first wrong place is found by the validator.
   */
  readonly explain?: () => Promise<Explanations>;
  /**
   * How what its messages carry becomes what those of the revision after it carry, and back; absent on the
   * newest. It stands with the older revision: a bundle without older revisions then has no steps to them.
   */
  readonly steps?: Steps;
  /**
   * The steps of the other role between the revision before it and itself. Only revisions above the
   * vocabulary have them, the revision that handlers and calls are written in: what a role receives there is
   * read by the steps of the role that sends it, and the other way round.
   */
  readonly peerSteps?: Steps;
  /**
   * What it sends. Absent where `NODE_ENV` is `production` or there is no `process`, and left out of bundles
   * that are made for production.
   */
  readonly developmentSends?: SendTable<R> | undefined;
  /**
   * What it sends, wherever it runs: `explained` adds it. Revisions above the vocabulary have it, and are
   * always checked by it: what no step translates, such as a new member of the message itself, fails there.
   */
  readonly sends?: SendTable<R>;
  /**
   * Makes functions of the columns that say them as data: `requires`, and alternatives that are final
   * results. Only revisions with such columns have it, so that no other bundle has its code.
   *
   * @param failure the class of the runtime's errors
   */
  completed?(revision: Revision<R>, failure: Failure): Revision<R>;
  /**
   * Receives JSON-RPC batches. Only revisions of servers that have batches have it, so that no other bundle
   * has its code.
   */
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
  /** Dispatches the messages of a batch, and sends their answers as one. */
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
  /** One of its requests was cancelled and gets no answer. */
  dropAnswer(): void;
}

/**
 * The way between two revisions that follow one another, for one role. A table has those methods of both
 * revisions whose params or result may need a change; all others pass as they are. In the tables for requests
 * of clients and their results, `*` takes an object with the members that the era fills in, each by its name,
 * wherever messages have them.
 */
export interface Steps {
  /** Id of the older revision. */
  readonly older: string;
  /** Id of the newer revision. */
  readonly newer: string;
  /** Params of requests that were received: from the older to the newer. */
  readonly incomingRequests: StepTable;
  /** Params of notifications that were received: from the older to the newer. */
  readonly incomingNotifications: StepTable;
  /** Results that were received: from the older to the newer. */
  readonly incomingResults: StepTable;
  /** Params of requests to send: from the newer to the older. */
  readonly outgoingRequests: StepTable;
  /** Params of notifications to send: from the newer to the older. */
  readonly outgoingNotifications: StepTable;
  /** Results to send: from the newer to the older. */
  readonly outgoingResults: StepTable;
}

/** The steps of an extension from one of its bases to the next; a table without steps is left out. */
export interface ExtensionSteps extends Partial<Omit<Steps, "newer" | "older">> {}

/** Steps by method. */
export type StepTable = ReadonlyMap<string, Step>;

/**
 * Takes what is valid at one revision to what is valid at the other, members that the era fills in aside.
 * Never changes its argument, and returns it where nothing needs a change.
 */
export type Step = (value: object, report: StepReport) => object;

/** Hears what a step cannot carry over. */
export interface StepReport {
  /** Something was left out, or a text or another value stands in its place. */
  lost(loss: StepLoss): void;
  /** The message cannot be carried over. Must throw. */
  refuse(refusal: StepRefusal): never;
  /** The params of the request that a result answers; absent for params, and where they are not known. */
  readonly request?: object | undefined;
}

export interface StepLoss {
  /** JSON Pointer into the params or the result. */
  readonly pointer: string;
  /** What it was, in words. */
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

/** What one side reads, and what it must know of what it sends. */
export interface ReceiveTable<R extends Role = Role> {
  readonly format: 1;
  readonly role: R;
  /** Requests it answers, by method. */
  readonly incomingRequests: ReadonlyMap<string, IncomingRequest>;
  /** Notifications it hears, by method. */
  readonly incomingNotifications: ReadonlyMap<string, IncomingNotification>;
  /** Requests it makes, by method, with what may answer them. */
  readonly outgoingRequests: ReadonlyMap<string, OutgoingRequest>;
  /** Notifications it sends, by method. */
  readonly outgoingNotifications: ReadonlyMap<string, OutgoingNotification>;
  /** HTTP headers that mirror a part of every request. */
  readonly headers: readonly HeaderSource[];
  /** Error codes by name. */
  readonly errors: ErrorTable;
  /** Messages may arrive as JSON-RPC batches, and be sent so. */
  readonly batches?: true;
  /** An HTTP request without the header of the revision belongs to this revision. */
  readonly assumed?: true;
  /** An event stream of HTTP begins with an event that has an id and no data. */
  readonly priming?: true;
}

/** What one side sends, each with its exact validator; apart, so that only who checks it bundles it. */
export interface SendTable<R extends string = Role> {
  readonly format: 1;
  readonly role: R;
  readonly requests: ReadonlyMap<string, ExactDefinition>;
  readonly notifications: ReadonlyMap<string, ExactDefinition>;
  /** The plain result of each request it answers, then its alternatives. */
  readonly results: ReadonlyMap<string, readonly ExactAnswer[]>;
  /** The members that hold base64, with the definition of their object. */
  readonly base64: readonly Base64Member[];
  /**
   * What is wrong with a message, or with a result without its envelope. A method that the table does not
   * have is not judged.
   */
  find(
    kind: "requests" | "notifications" | "results",
    method: string,
    value: unknown,
  ): UndefinedMessage | undefined;
}

/** A message that is not what its definition describes. */
export interface UndefinedMessage {
  readonly definition: ExactDefinition;
  /** The message as JSON holds it. */
  readonly value: unknown;
  /** JSON Pointer of a member that does not hold base64; without it, the validator refuses the value. */
  readonly pointer?: string;
}

/**
 * What may answer a request, as it must be sent. An alternative to the plain result has a mark: the presence
 * of a member, or its value if one is given.
 */
export interface ExactAnswer extends ExactDefinition {
  readonly key?: string;
  readonly value?: string;
}

/** A member whose text is base64 (RFC 4648, section 4). */
export interface Base64Member extends ExactDefinition {
  readonly member: string;
}

/** What answers it is in the table of what is sent. */
export interface IncomingRequest extends MethodFacts, OpenDefinition {}

export interface IncomingNotification extends MethodFacts, OpenDefinition {}

export interface OutgoingRequest extends MethodFacts {
  /** What answers it when it is done; absent where the schema does not say. */
  readonly result?: OpenDefinition;
  /** What may answer it in place of that. */
  readonly alternatives?: readonly (Alternative & OpenDefinition)[];
  /** It goes through a list page by page. */
  readonly page?: Page;
  /** The member with the list in values of the vocabulary, if `page` names none or another. */
  readonly list?: string;
}

/** The list in a result, one page of it: the member that holds it, and its items. */
export interface Page extends OpenDefinition {
  readonly member: string;
  /** How the list says that it leaves entries out; absent if it never does. */
  readonly partial?: PartialList;
}

/** How a list says that it leaves entries out, and how an entry is found that it leaves out. */
export interface PartialList {
  /** Path into the result, to the member that says so. */
  readonly path: readonly string[];
  /** The value of that member where entries are left out; without it, any value. */
  readonly means?: boolean | number | string;
  /** Items that stand for an entry, in place of the whole entry. */
  readonly reference?: ReferenceItem;
  /** The request that is answered with one entry. */
  readonly get?: EntryRequest;
}

/** An item of a list that stands for an entry. */
export interface ReferenceItem extends OpenDefinition {
  /** The member, or its value if one is given, that only whole entries have. */
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
  /**
   * The member of the result that holds the entry, or a list of it alone; without it, the result is the
   * entry.
   */
  readonly member?: string;
}

export type OutgoingNotification = MethodFacts;

/** What holds for a method in whichever direction it goes; a flag that is absent is false. */
export interface MethodFacts {
  /** What must have been declared before the method may be used. */
  readonly capability?: Capability;
  /** HTTP headers that mirror parts of the message, beside those of every request. */
  readonly headers?: readonly HeaderSource[];
  /** Its result carries hints on how long and for whom it may be cached. */
  readonly cacheable?: true;
  /** It may be answered with requests for input, and is then sent again with the answers. */
  readonly multiRoundTrip?: true;
  /**
   * It is answered only when its stream ends; what it asks for comes before that, as notifications. Its
   * receiver, too, may end it by cancelling it.
   */
  readonly listening?: true;
  /** It travels only inside other messages, never as a separate message. */
  readonly payload?: true;
  /** Of a notification: the member of a subscription's filter that selects it, as the vocabulary calls it. */
  readonly filter?: string;
  /**
   * Of a notification that a list in the filter selects: the member of its params whose value the list must
   * hold, as the vocabulary calls it. Without it, the member of the filter is `true`.
   */
  readonly filterKey?: string;
  /** What a side must have declared: the sender of a request, or the side that a notification is sent to. */
  readonly requires?: Requirement;
  /**
   * Of a notification: methods whose cached results it drops, beside those that follow from its capability.
   */
  readonly invalidates?: readonly string[];
  /** `requires` as a function. `extend` and `Revision.completed` make it; no generated table has it. */
  readonly refuse?: Refuse;
  /**
   * Values of `resultType` that mark final results, as the plain result is one: alternatives that ask for
   * nothing. `extend` adds those of extensions.
   */
  readonly resultTypes?: readonly string[];
  /** The `resultType` of a result that asks for input, if it is not `input_required`. */
  readonly asks?: string;
}

/** The error for a client that may not use a method; `undefined` if it may. */
export type Refuse = (
  client: { readonly clientCapabilities: object },
  request?: { readonly params?: object },
) => Error | undefined;

/** What a side must have declared before a method or a result may be used. */
export interface Requirement {
  readonly of: Role;
  /** Path into its capabilities. */
  readonly path: readonly string[];
  /**
   * Name of the error that answers otherwise. Where the revision has no error of this name, the method does
   * not exist.
   */
  readonly error: string;
}

/** Whether a value is what a definition describes. Never changes it. */
export type Judge = (value: unknown) => boolean;

/** A definition by its name: `explain` followed by the name is its function in `Explanations`. */
export interface NamedDefinition {
  readonly name: string;
  /** Its `Explanations`, if they are not those of the revision. `extend` makes it; no generated table has it. */
  readonly explain?: () => Promise<Explanations>;
}

/** A definition as a tolerant reader takes it. */
export interface OpenDefinition extends NamedDefinition {
  readonly accepts: Judge;
}

/** A definition as it must be sent. */
export interface ExactDefinition extends NamedDefinition {
  readonly is: Judge;
}

/** A result in place of the plain one, recognised by a member: its presence, or its value if one is given. */
export interface Alternative extends NamedDefinition {
  readonly key?: string;
  readonly value?: string;
  /** Path into the capabilities of the answering side, without which it never comes. */
  readonly capability?: readonly string[];
}

/** A place in the capabilities that one side declares: in those of servers, as the vocabulary calls it. */
export interface Capability {
  readonly of: Role;
  readonly path: readonly string[];
  /** Members of it that gate a part of the method each. */
  readonly parts?: readonly string[];
}

/**
 * A header, and the path into the message that it repeats. Without one it repeats the negotiated revision,
 * and is absent until that is negotiated: the request that negotiates has no such header.
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
  /** HTTP status of the answer that carries it. */
  readonly http?: number;
}

/** What is loaded, or checked, beyond the plain tables: an element of `explained`. */
export interface Explanation {
  readonly explain: () => Promise<Explanations>;
  readonly sends: { readonly [R in Role]: SendTable<R> };
}

/**
 * The functions of a revision's `explain` module, by name. The module may export more: one that is loaded
 * from CommonJS has a default.
 */
export interface Explanations {
  readonly [name: `explain${string}`]: (value: unknown, reading?: "open") => readonly Issue[];
}

/** An extension of the protocol as one side speaks it, on each of its revisions. */
export interface Extension<R extends Role = Role> {
  /** Form of the tables; a runtime refuses forms it does not know. */
  readonly format: 1;
  /** As the sides declare it, e.g. `com.example/search`. */
  readonly id: string;
  readonly version: string;
  readonly role: R;
  /** Its tables by the id of the revision that they extend. */
  readonly bases: ReadonlyMap<string, ExtensionTable<R>>;
  /** Id of the base whose words handlers and calls are written in; absent if it is the newest. */
  readonly vocabulary?: string;
  /** What must be there beside it. */
  readonly needs?: {
    /** Paths into the capabilities of the server. */
    readonly capabilities?: readonly (readonly string[])[];
    /** Ids of extensions. */
    readonly extensions?: readonly string[];
  };
}

/** What an extension adds to one revision: its methods alone, none of the revision. */
export interface ExtensionTable<R extends Role = Role> {
  readonly role: R;
  readonly incomingRequests: ReadonlyMap<string, IncomingRequest>;
  readonly incomingNotifications: ReadonlyMap<string, IncomingNotification>;
  readonly outgoingRequests: ReadonlyMap<string, OutgoingRequest>;
  readonly outgoingNotifications: ReadonlyMap<string, OutgoingNotification>;
  /**
   * Error codes by name: those that the revision does not have, and on revisions with sessions second codes
   * for names that it has. The methods of the extension use these; those of the revision keep theirs.
   */
  readonly errors: ErrorTable;
  /** Results that it adds to methods of the revision, by method, in either direction. */
  readonly augments: ReadonlyMap<string, readonly AddedResult[]>;
  /** Where each side declares it; absent if that side declares nothing. */
  readonly declared: {
    readonly client?: Declaration;
    readonly server?: Declaration;
  };
  /** Members that it adds to objects of the revision. */
  readonly members: readonly AddedMember[];
  /** As `Revision.explain`, of its definitions. */
  readonly explain?: () => Promise<Explanations>;
  /** As `Revision.steps`, of its methods: to the next of its bases. */
  readonly steps?: ExtensionSteps;
  /** As `Revision.peerSteps`, of its methods: from the base before. */
  readonly peerSteps?: ExtensionSteps;
  /** As `Revision.developmentSends`, with the results that it adds. */
  readonly developmentSends?: SendTable<R> | undefined;
  /** As `Revision.sends`, with the results that it adds. */
  readonly sends?: SendTable<R>;
}

/** A result that an extension adds to a method of the revision. */
export interface AddedResult extends Alternative, OpenDefinition {
  /** What the side that sent the request must have declared to get it. */
  readonly requires?: Requirement;
}

/** A place in the capabilities of one side, and the settings that stand there. */
export interface Declaration {
  readonly path: readonly string[];
  /** Without it, the settings are an object of any members. */
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
 * A second channel of an extension, as one of its roles uses it: what the role receives, and what it must
 * know of what it sends. Entries are those of `ReceiveTable`. No era holds on a channel: nothing is declared
 * before, and members that a runtime fills in may be absent.
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
  /** What opens the channel; absent if the role takes no part in it. */
  readonly handshake?: Handshake;
  /** Requests it answers, by method. */
  readonly incomingRequests: ReadonlyMap<string, IncomingRequest>;
  /** Notifications it hears, by method. */
  readonly incomingNotifications: ReadonlyMap<string, IncomingNotification>;
  /** Requests it makes, by method, with what answers them. */
  readonly outgoingRequests: ReadonlyMap<string, OutgoingRequest>;
  /** Notifications it sends, by method. */
  readonly outgoingNotifications: ReadonlyMap<string, OutgoingNotification>;
  /** As `Revision.developmentSends`. */
  readonly developmentSends?: SendTable<string> | undefined;
  /** What the messages carry, as a type alone: no table has the member. */
  readonly messages?: Messages;
}

/** The messages that open a channel. */
export interface Handshake {
  /** The role sends the request; otherwise it answers it. */
  readonly opens: boolean;
  /** Method of the first request. */
  readonly request: string;
  /** Method of the notification that the same role sends after the answer. */
  readonly confirmation?: string;
}

/** What the messages of a channel carry, for one role: the argument of `ChannelTable`. */
export interface ChannelMessages {
  /** `{ params, result }` by method. */
  readonly incomingRequests: object;
  /** `{ params }` by method. */
  readonly incomingNotifications: object;
  readonly outgoingRequests: object;
  readonly outgoingNotifications: object;
}

/**
 * What a role does with what it receives, by method. A request without a handler does not exist. Params that
 * are absent are an empty object.
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
 * @typeParam Methods those that a role receives
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
 * What the messages of an extension carry, in the words of its vocabulary: the argument of `serverExtension`
 * and `clientExtension`.
 */
export interface ExtensionTypes {
  /** `{ params, result }` by method; `params` includes `undefined` where it may be left out. */
  readonly clientRequests: object;
  readonly serverRequests: object;
  /** `{ params }` by method. */
  readonly clientNotifications: object;
  readonly serverNotifications: object;
  /** What each side declares; `undefined` for a side that declares nothing. */
  readonly clientSettings: object | undefined;
  readonly serverSettings: object | undefined;
  /** Methods whose handlers may be missing: their capability stands in the settings. */
  readonly optional?: string;
  /** Members that it adds to objects of the protocol, by definition. */
  readonly members?: object;
}

/** An extension that one side uses: an element of the option `extensions`. */
export interface UsedExtension<
  R extends Role = Role,
  Context = never,
  Members = unknown,
> extends ExtensionUse<R, Context> {
  /** Members that it adds to objects of the protocol, as a type alone: it never has the member. */
  readonly members?: Members;
  /** The code that merges tables: a program without extensions has none. */
  readonly extend: Extend<R>;
  /**
   * The first member of an object that the extension adds, and that is wrong or missing, in words;
   * `undefined` if there is none. Objects are written in the words of its vocabulary.
   *
   * @param of name of the definition of the object
   */
  wrongMember(of: string, object: object): string | undefined;
}

/** An extension, with what one side gives to it. */
export interface ExtensionUse<R extends Role = Role, Context = never> {
  readonly extension: Extension<R>;
  /** What this side declares; `undefined` if it declares nothing. */
  readonly settings: object | undefined;
  /** Handlers of the requests that this side answers, by method. */
  readonly handlers: {
    readonly [method: string]: ExtensionHandler<never, object, Context>;
  };
  /** Listeners of the notifications that this side hears, by method. */
  readonly listeners: {
    readonly [method: string]: ExtensionListener<never>;
  };
  /** What runs around requests of the revision or of the extension, by method. */
  readonly around: { readonly [method: string]: Around<Context> };
  /**
   * Members that definitions of the program may have for this extension, by kind (`tools`): they are no part
   * of what the other side gets.
   */
  readonly definitions?: DefinitionRules;
  /**
   * Handlers of requests of the revision that the runtime does not answer, by method. A handler that belongs
   * to a capability is used if that is declared.
   */
  readonly also?: ExtensionUse<R, Context>["handlers"];
  /** Further capabilities of this side at a revision: merged into its own. */
  readonly capabilities?: (revision: Revision) => object;
  /** Takes the server or client that uses the extension and its options, once, before it is connected. */
  readonly attach?: (program: object, options: object) => void;
  /** Cache hints of all results of the extension that have some. */
  readonly cache?: ResultHints | undefined;
  /** Names of options that `implement` got and does not have. */
  readonly unknownOptions?: readonly string[];
}

/** How long and for whom a result may be cached (2026-07-28, caching). */
export interface ResultHints {
  /** Milliseconds that the result stays fresh. */
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** Rules of members by name, by kind of definition. */
export interface DefinitionRules {
  readonly [kind: string]: { readonly [member: string]: DefinitionRule };
}

/**
 * Returns what was expected of the value of a member, if it is another.
 *
 * @param place the member, for errors that the rule throws
 */
export type DefinitionRule = (value: unknown, place: string) => string | undefined;

/**
 * Merges the tables of extensions into those of revisions.
 *
 * @param options those of the program
 * @param failure the class of the runtime's errors
 * @param program what uses the extensions, for those that ask for it
 * @throws an error with the code `invalid-definition`: an extension is given twice, is made for none of the
 * revisions, lacks a handler or has wrong settings; or a method, an error, a `resultType`, a member of a
 * filter or a place in the capabilities has two owners
 */
export type Extend<R extends Role> = (
  options: ExtendOptions<R>,
  failure: Failure,
  program?: object,
) => Extended<R>;

/** The options of a program that its extensions concern. */
export interface ExtendOptions<R extends Role> {
  readonly extensions?: readonly ExtensionUse<R>[] | undefined;
  readonly revisions: readonly Revision<R>[];
  /** Those that the program declares itself. */
  readonly capabilities?: object | undefined;
  /** The revision of a message, from the context of its handler; default: what `revision` of the context says. */
  readonly revisionOf?: (context: unknown) => string;
}

/** The class of a runtime's errors. */
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
  /** What runs around requests, the outermost first: each passes other methods on. */
  readonly middleware: readonly Around<never>[];
  /**
   * The handlers of a server, by method: those of its runtime inside what runs around them, and those of its
   * extensions.
   */
  methods<Handler>(
    own: readonly (readonly [method: string, handler: Handler])[],
  ): readonly (readonly [method: string, handler: Handler])[];
  /**
   * The capabilities of this side with those of its extensions.
   *
   * @param revision without it, with the extensions of all revisions
   */
  declared<Capabilities extends object>(capabilities: Capabilities, revision?: string): Capabilities;
}

/** Answers a request. */
export type ExtensionHandler<Params, Result, Context> = (
  params: Params,
  context: Context,
) => Result | Promise<Result>;

/** Hears a notification. */
export type ExtensionListener<Params> = (params: Params) => void | Promise<void>;

/**
 * Runs around each request of a method: returns the result of `next`, or another one. `next` takes other
 * params in place of those of the request, and on a server another context.
 */
export type Around<Context> = (
  request: {
    readonly method: string;
    readonly params: object;
    readonly context: Context;
  },
  next: (params?: object, context?: object) => object | Promise<object>,
) => object | Promise<object>;

/** What handlers of an extension know of a request, whatever the runtime. */
export interface ExtensionContext {
  /** Aborts when the request is cancelled. */
  readonly signal: Signal;
  readonly method: string;
}

/** Whatever can send notifications: a client, a server, one client of a server. */
export interface Notifier<Sent = void | Promise<void>> {
  notify(method: string, params?: object): Sent;
}

/** Whatever can send requests: a client, one client of a server. */
export interface Requester {
  /** Sends a request; resolves with its result once that was found valid. */
  request<Result>(method: string, params: object | undefined, options?: RequestOptions): Promise<Result>;
}

/** Whatever can send messages: all that the stubs need of a runtime. */
export interface Caller extends Requester, Notifier<Promise<void>> {
  /** Sends a notification; resolves once it is on its way. */
  notify(method: string, params?: object): Promise<void>;
}

export interface RequestOptions {
  /** Cancels the request. */
  readonly signal?: Signal | undefined;
  /** Milliseconds without an answer or progress. */
  readonly timeout?: number | undefined;
  /** Milliseconds in all, whatever the progress. */
  readonly totalTimeout?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Whether the request is sent again where its connection broke before the answer. The server may then have
   * done it twice. Without it the client's own setting holds.
   */
  readonly resend?: boolean | undefined;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The part of `AbortSignal` that is needed, so that no platform's types are. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
