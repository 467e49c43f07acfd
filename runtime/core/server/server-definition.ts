import {
  type Clock,
  internalError,
  isObject,
  type Judged,
  type Params,
  type Parking,
  type RequestId,
  type RequestMessage,
  type Timeouts,
} from "@mcpgen/base";
import type {
  ClientCapabilities,
  ClientRequests,
  Implementation,
  ServerCapabilities,
} from "@mcpgen/protocol/authoring";
import type { IncomingRequest, RequestOptions } from "@mcpgen/protocol/model";
import type { ServerEvent } from "../protocol/events.js";
import type { Hooks } from "../protocol/hooks.js";
import type { LogLevel } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { FormAsker, SchemaReader } from "../schema/schema-check.js";
import type { ServerConnection } from "./connection.js";
import type { AskOptions, NotificationHandler, ServerSession } from "./context.js";
import type { RequestContext } from "./request.js";
import type { StateStore, StateSeal } from "./rounds.js";

/** Handles the requests of one method. Results are in the authoring vocabulary. */
export type MethodHandler = (
  params: never,
  context: RequestContext,
) => Params | SerialisedResult | Promise<Params>;

/** What a server serves, as all its connections see it. No connection changes it, apart from `connections`. */
export interface ServerDefinition {
  readonly info: Implementation;
  readonly instructions?: string | undefined;
  /** The revisions of both eras, newest first. */
  readonly revisions: readonly RevisionView<"server">[];
  readonly modern: readonly RevisionView<"server">[];
  readonly legacy: readonly RevisionView<"server">[];
  /** Serves them; a server of modern revisions alone needs none. */
  readonly legacyEra: LegacyEra | undefined;
  /** By method, those of vendors included; `*` has the handler of all other methods. */
  readonly handlers: ReadonlyMap<string, MethodHandler>;
  readonly notificationHandlers: Map<string, NotificationHandler>;
  /** Whether a table of any given revision defines a method. */
  readonly defines: (direction: Direction, method: string) => boolean;
  /** Whether messages of a method need an id: that of requests of any given revision, or of a vendor; where null is wrong, all. */
  readonly isRequest: (method: string) => boolean;
  /** @throws {McpError} `invalid-definition`: this server reads no schemas of vendor methods */
  readonly schemas: () => SchemaReader;
  readonly ask: FormAsker;
  /** Those that the server declares at a revision; without one, those of all its extensions. */
  readonly capabilities: (revision?: string) => ServerCapabilities;
  /** The open connections; each adds itself, and removes itself when it ends. */
  readonly connections: Set<ServerConnection>;
  /** Publishes the changes of lists that wait for the end of the turn. Never throws. Absent where none wait. */
  publish?: (() => void) | undefined;
  /** Delivers all later changes to the connections. */
  readonly followChanges: () => void;
  readonly seal: StateSeal;
  readonly states: StateStore | undefined;
  /** Other processes have the keys of the seal. */
  readonly sharesState: boolean;
  /** Bytes of the longest sealed state. */
  readonly stateLimit: number;
  /** The calls that wait for answers; absent where nothing can wait. */
  parking: Parking<RequestContext> | undefined;
  readonly counts: ServerCounts;
  readonly clock: Clock;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly argumentDefaults?: boolean | undefined;
  readonly nulls?: "absent" | "reject" | undefined;
  readonly wrongArguments?: "error" | "result" | undefined;
  /** Whether clients get the text of what handlers throw. */
  readonly thrown?: "hide" | "message" | undefined;
  readonly hooks: Hooks<ServerEvent>;
  /** In development, reports the first time that a handler runs again. */
  readonly replayed: (place: ErrorPlace) => void;
  /** Reports a problem that no response carries. Never throws. */
  readonly warn: (message: string) => void;
}

/**
 * The protocol of one request: the revision, and what the client has declared. Legacy revisions negotiate it once for a
 * session; in the modern era each request states it.
 */
export interface RequestProtocol {
  readonly era: ServerEra;
  readonly revision: RevisionView<"server">;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo?: Implementation | undefined;
  /** Why the server cannot send requests to this client, whatever the client has declared. */
  readonly unasked?: string;
  /** `false` until the client is initialized: before that, the server sends no requests but pings. */
  readonly ready?: boolean;
  /** Of a session: the object that handlers and the application hold; made when it is first used. */
  client?: ServerSession;
  /** The lowest level of log messages that are sent; without it, none are sent. */
  readonly logLevel?: LogLevel | undefined;
}

/** What a server does differently in each era. */
export interface ServerEra {
  /**
   * Adds the members that the era requires to a result, in the words of its revision.
   *
   * @param hints for caches; none if the result is not for them
   * @param resultType of a result that is not complete
   */
  finish(result: Params, context: RequestContext, hints?: CacheHints, resultType?: string): Params;
  /** Whether a result has the words of its revision already: the request asks for it, and the vocabulary does not have it. */
  isAlternative?(result: Params, context: RequestContext): boolean;
  /** The protocol as a request states it; absent where a handshake does. @throws {McpError} */
  stated?(definition: ServerDefinition, request: RequestMessage): RequestProtocol;
  /** Why the server sends no requests to the client. */
  readonly noRequests?: string;
  readonly sendAsk: SendAsk;
}

/** Sends an ask of a handler to the client, and resolves with the result in the authoring vocabulary. */
export type SendAsk = (
  context: RequestContext,
  question: Judged,
  options: AskOptions | undefined,
) => Promise<Params>;

/** The roots of a session; without a result while they are asked for. */
export interface KeptRoots {
  /** As JSON: handlers may change what they get. */
  readonly result?: string;
  /** Bytes reserved for the result. */
  readonly weight?: number;
}

/** A session: the protocol that a handshake negotiated, and its state (2025-11-25 and before, lifecycle). */
export interface Session extends RequestProtocol {
  readonly era: LegacyEra;
  logLevel: LogLevel | undefined;
  ready: boolean;
  /** Sends the notifications that wait until the client is initialized; changes by notification and URI. */
  held?: Map<unknown, () => void> | undefined;
  /** Capabilities that the server declared in the handshake: the client gets no notifications of later ones. */
  readonly declared: ServerCapabilities;
  /** URIs of the resources that the client subscribed to. */
  watched?: Set<string> | undefined;
  /** Bytes that the session reserves on its connection, `watched`, `roots` and `data` included. */
  weight: number;
  /** Data of the application, as JSON. */
  data?: string | undefined;
  /** The client's roots, once a handler or the application has asked for them. */
  roots?: KeptRoots | undefined;
}

/** The era of sessions (2025-11-25 and before); the entries inject it, `runtime/core/legacy/server` has it. */
export interface LegacyEra extends ServerEra {
  /** The handlers of methods that legacy revisions alone have. */
  readonly methods: readonly [method: string, handler: MethodHandler][];
  /**
   * Sends a request to the client, and resolves with its result. Kept roots answer without a request.
   *
   * @param origin the request of the client that it belongs to
   * @throws {McpError} `missing-capability`, `cancelled`, `timeout`, `remote-error`, `invalid-result`, `invalid-message`
   */
  request(
    connection: ServerConnection,
    request: ServerRequest,
    options: RequestOptions,
    origin: RequestId | undefined,
  ): Promise<Params>;
  /** Notifies a session of a change, if its client wants to know of it. */
  changed(connection: ServerConnection, session: Session, change: Change): void;
  /** Sends a notification of no request once the client is initialized. */
  notify(connection: ServerConnection, session: Session, method: string, params: Params | undefined): void;
  /** Keeps data of the application with a session. @throws {McpError} */
  keep(connection: ServerConnection, session: Session, data: unknown): Promise<void>;
  /** The client of a session has sent a notification. */
  heard(connection: ServerConnection, session: Session, method: string): void;
}

/** A request of the server, in the authoring vocabulary. */
export interface ServerRequest {
  readonly revision: RevisionView<"server">;
  readonly method: string;
  readonly params?: Params | undefined;
}

/** The table entry of each message that the revision does not define. */
export const vendorMessage: IncomingRequest = {
  accepts: (message) => isObject((message as { readonly params?: unknown }).params ?? {}),
};

/** What a server has done since it was created; the numbers only grow. */
export interface ServerCounts {
  /** Clients that connected; over HTTP without sessions, each POST counts. */
  connections: number;
  /** Responses with a result. */
  results: number;
  /** Responses with an error, also those to what is no request. */
  errors: number;
  /** Requests that the client cancelled. */
  cancelled: number;
  /** Requests that had no response when their connection ended. */
  aborted: number;
  /** How often `rateLimit` or `timeLimit` refused a request, by option: `{ "rateLimit.calls": 1 }`. */
  readonly limits: { [limit: string]: number };
}

/** The part of a table that lists a method. */
export type Direction =
  "incomingRequests" | "incomingNotifications" | "outgoingRequests" | "outgoingNotifications";

/** Which handler threw. */
export interface ErrorPlace {
  /** Method of the request or notification. */
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource or template. */
  readonly name?: string;
}

/** The place of the handler that a request calls. @param received the params: any value */
export function placeOf(method: string, received: Params | null | undefined): ErrorPlace {
  const params = received ?? {};
  const ref = params["ref"] as Params | null | undefined;
  const name = params["name"] ?? params["uri"] ?? ref?.["name"] ?? ref?.["uri"];
  return typeof name === "string" ? { method, name } : { method };
}

/** How long and for whom a result may be cached (2026-07-28, caching). */
export interface CacheHints {
  /** Milliseconds that the result stays fresh. */
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** Default: a result is neither fresh nor shared. */
export const uncached: CacheHints = { ttlMs: 0, cacheScope: "private" };

/**
 * A result that does not depend on the request. It is lowered and serialised once for each revision.
 */
export class SerialisedResult {
  readonly value: Params;
  readonly hints: CacheHints;
  /** The texts that are made already. */
  readonly texts = new Map<RevisionView, string>();

  constructor(value: Params, hints: CacheHints = uncached) {
    this.value = value;
    this.hints = hints;
  }

  /** A result whose text is made already, for one revision. */
  static of(text: string, revision: RevisionView, value: Params = {}): SerialisedResult {
    const made = new SerialisedResult(value);
    made.texts.set(revision, text);
    return made;
  }
}

/** What a handler may return in place of the plain result: alternatives of the vocabulary that ask for nothing. */
export type OtherResult<Method extends keyof ClientRequests, Plain> = Exclude<
  ClientRequests[Method]["result"],
  Plain
>;

/** Whether a handler gave a result in place of the plain one. Its `resultType` is judged as it is sent. */
export function isOtherResult(answer: unknown): answer is Params {
  return ((answer as Params | undefined)?.["resultType"] ?? "complete") !== "complete";
}

/**
 * What a handler gave if it is a result in place of the plain one.
 *
 * @param problem what is wrong with it otherwise
 * @throws {McpError} `internal-error`
 */
export function otherResult(answer: unknown, problem: string): Params {
  if (isOtherResult(answer)) return answer;
  throw internalError(problem);
}

/** A change that clients can be notified of. */
export interface Change {
  /** Method of the notification. */
  readonly method: string;
  /** URI of the resource, for `notifications/resources/updated`. */
  readonly uri?: string;
  /** Parameters of other notifications: JSON. */
  readonly params?: Params;
}

/**
 * Carries changes from a server to its connections. Implement it to carry changes between processes.
 */
export interface NotificationBus {
  publish(change: Change): void;
  /**
   * Returns a function that ends the subscription.
   *
   * @param onGap to call after changes were lost, e.g. while the bus was away: clients are then notified of all that may have
   *   changed
   */
  subscribe(listener: (change: Change) => void, onGap?: () => void): () => void;
}

/** The notification of a resource that has changed. */
export const resourceUpdated = "notifications/resources/updated";

/** The bus within one process. */
export class Changes implements NotificationBus {
  readonly #listeners = new Set<(change: Change) => void>();

  publish(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
