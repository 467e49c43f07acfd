import type { Params, platform, RequestId } from "@mcpgen/base";
import type {
  ClientCapabilities,
  ClientRequests,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  Implementation,
  ListRootsResult,
  ServerNotifications,
  ServerRequests,
} from "@mcpgen/protocol/authoring";
import type { Era, RequestOptions } from "@mcpgen/protocol/model";
import type { WithBytes } from "../protocol/binary-content.js";
import type { LogLevel } from "../protocol/meta.js";
import type { Inferred, MessageSchema, OutputOf } from "../schema/schema-type.js";
import type { StandardJsonSchema } from "../schema/schema-type.js";
import type { AddedContext } from "./added-members.js";

/** The context of one request, for its handler. */
export interface HandlerContext extends AddedContext {
  /** Aborted when the request is cancelled or times out, or when the connection ends. */
  readonly signal: platform.AbortSignal;
  /** Id of the protocol revision of the request. */
  readonly revision: string;
  readonly method: string;
  readonly requestId: RequestId;
  /** `_meta` of the request, in the authoring vocabulary. */
  readonly meta: Params;
  /** The client's description of itself: for display, not for decisions. */
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The least severity of log messages that the client gets; `undefined`: it gets none. */
  readonly logLevel: LogLevel | undefined;
  /** The authenticated client, if the transport authenticates: over HTTP, the claims of the verified token. */
  readonly auth: unknown;
  /** The client: its declarations, notifications to it, and requests to it outside of any handler. */
  readonly session: ServerSession;
  /** Id of the HTTP session; `undefined` on other transports and without a session. */
  readonly sessionId: string | undefined;
  /** Headers of the HTTP request that the option `contextHeaders` names, in lower case; empty on other transports. */
  readonly headers: Readonly<Record<string, string>>;
  /** Path and query of the HTTP request, or its whole URL (fetch handlers); `undefined` on other transports. */
  readonly url: string | undefined;
  /**
   * Sends a notification that belongs to this request. A notification of the protocol is sent only if the revision has
   * it; a failure to send is a warning.
   */
  readonly notify: (method: string, params?: object) => void;
  /**
   * Sends a progress notification, if the client asked for progress. A value that does not exceed the last one is not
   * sent.
   */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Sends a log message, if the client wants messages of this level. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void;
  /**
   * Closes the HTTP connection of a long request. The client reconnects to fetch the response (2025-11-25, Streamable
   * HTTP, polling). Does nothing on transports that cannot resume.
   *
   * @param retryMs milliseconds until the client reconnects. Default: 1000
   */
  readonly disconnect: (retryMs?: number) => void;
  readonly ask: Ask;
  /**
   * Runs `effect`, and keeps its result for a handler that runs again (`replay: true`, tools with `task`). A handler that waits does
   * not need it. Keys are unique in a handler; the result must be JSON.
   *
   * A result that was sealed with a round never runs again. An effect begins only while its round is open, and otherwise waits for
   * the next one. One that fails is not kept. One that ran when its process died may run again. **Without a `state.store`, a client
   * that sends a state again repeats the effects that follow its ask.**
   */
  readonly once: <T>(key: string, effect: () => T | Promise<T>) => Promise<T>;
}

/** The user's response to a form. A handler must handle all three actions. */
export type Elicited<Content = AnyContent> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline"; readonly content?: undefined }
  | { readonly action: "cancel"; readonly content?: undefined };

/** A form: the parameters of `elicitation/create` in form mode. */
export interface Form<Schema extends FormSchema = ElicitRequestFormParams["requestedSchema"]> extends Omit<
  ElicitRequestFormParams,
  "mode" | "requestedSchema"
> {
  readonly requestedSchema: Schema;
}

/**
 * The schema of a flat object of strings, numbers, booleans and choices: JSON Schema, or a schema of a library that implements
 * Standard JSON Schema.
 */
export type FormSchema = Immutable<ElicitRequestFormParams["requestedSchema"]> | StandardJsonSchema;

type Immutable<T> = { readonly [K in keyof T]: T[K] extends object | undefined ? Immutable<T[K]> : T[K] };

/** The content of any form. */
type AnyContent = Record<string, string | number | boolean | string[]>;

/** The type of the content of a form. */
export type ContentOf<Written, Schema> = [Written] extends [Inferred]
  ? ElicitRequestFormParams["requestedSchema"] extends Schema
    ? AnyContent
    : OutputOf<Schema>
  : Written;

/** A page that the user visits: the parameters of `elicitation/create` in URL mode. */
export type Page = Omit<ElicitRequestURLParams, "mode">;

/** The parameters of a request for a message of the client's model. */
export type SamplingParams = CreateMessageRequestParams | WithBytes<CreateMessageRequestParams>;

/** The parameters of a request to the client. */
export type ParamsToAsk<Method extends keyof ServerRequests> = Method extends "sampling/createMessage"
  ? SamplingParams
  : ServerRequests[Method]["params"];

/**
 * Timeouts of an ask in milliseconds. Default: the `timeouts` of the server; in the modern era, without these, an ask waits as long
 * as its call. They have no effect on a handler that runs again.
 */
export interface AskOptions {
  /** Limit for the time without a response or progress. */
  readonly timeout?: number;
  /** Limit for the total time, with progress or without. */
  readonly totalTimeout?: number;
  /**
   * `false` sends the request and returns the answer as they are: no form, message or content is checked beyond what the revision
   * defines, and no library parses the content. Right for a gateway alone, which passes questions between a server and a client that
   * check them: a third judge could only refuse what both accept. A handler that reads the content keeps the default, `true`.
   */
  readonly checkAnswers?: boolean;
}

/** Requests that only servers send ask for input. Requests of both sides, such as `ping`, do not. */
type MethodToAsk = Exclude<keyof ServerRequests, keyof ClientRequests>;

/** A request for `ask.all`. */
export type AskedRequest = {
  readonly [M in MethodToAsk]: {
    readonly method: M;
    readonly params?: ParamsToAsk<M>;
  };
}[MethodToAsk];

/** The results of `ask.all`, by key. */
export type AskedResults<R extends { readonly [key: string]: AskedRequest }> = {
  readonly [K in keyof R]: ServerRequests[R[K]["method"]]["result"];
};

/**
 * Asks the client for input while a handler runs. The legacy era sends a request to the client. The modern era responds
 * with the input requests, and the client retries with the answers (multi round-trip requests). The handler waits for the answer
 * in both. Keys are unique in a handler. Asks that start together are sent together.
 *
 * Where the handler cannot wait, and its definition has `replay: true`, it runs again from its first line: asks that have answers
 * return at once, and effects belong into `context.once`.
 *
 * Each function rejects with `McpError` `missing-capability`, before anything is sent, if the client has not declared the
 * capability that the request needs. In the modern era also with `asks-limit`: too many calls wait; `ask-expired`: the client did
 * not answer in time, and the signal is aborted; `invalid-definition`: nothing can wait, and the handler may not run again.
 */
export interface Ask {
  /**
   * Asks the user to fill in a form (elicitation, form mode). The content is valid for `requestedSchema`, and parsed by it if
   * it is a schema of a library. The type of the content follows from it; JSON Schema must be written in the call for that.
   */
  elicit<Content extends object = Inferred, const Schema extends FormSchema = FormSchema>(
    key: string,
    form: Form<Schema>,
    options?: AskOptions,
  ): Promise<Elicited<ContentOf<Content, Schema>>>;
  /** Asks the user to visit a page (elicitation, URL mode). The client does not see what the user does there. */
  url(
    key: string,
    page: Page,
    options?: AskOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel" }>;
  /** Asks the client's model for a message (sampling). `data` of images and audio may be bytes. */
  sample(key: string, params: SamplingParams, options?: AskOptions): Promise<CreateMessageResult>;
  /** Asks for the folders and files that the client considers relevant (roots). */
  roots(key: string, options?: AskOptions): Promise<ListRootsResult["roots"]>;
  /**
   * Sends a request of any method that the revision allows in the running call, which ends it, too. Up to 2025-11-25 these are all
   * its requests to clients (such as `ping`, and `elicitation/create` with `task`) and methods that no revision defines. From
   * 2026-07-28 on only the requests above and those of extensions may be asked (multi round-trip requests, server requirements).
   *
   * @returns the result in the authoring vocabulary; any object for a method that no revision defines; for a request with `task`
   *   also `{ task }`, as it came
   * @throws {McpError} `missing-capability`: the revision does not allow the method here, or the client has not declared it
   */
  request(
    key: string,
    asked: { readonly method: string; readonly params?: object },
    options?: AskOptions,
  ): Promise<Params>;
  /** Sends several requests in one round. */
  all<const R extends { readonly [key: string]: AskedRequest }>(
    requests: R,
    options?: AskOptions,
  ): Promise<AskedResults<R>>;
}

/** Options of a request to the client: signal, timeouts in milliseconds (default: `timeouts` of the server), progress. */
export interface SessionRequestOptions
  extends
    Pick<RequestOptions, "signal" | "timeout" | "totalTimeout" | "onProgress">,
    Pick<AskOptions, "checkAnswers"> {}

/**
 * The result of a handler that asks for input itself, in place of `ask`: for gateways, which pass on the questions and the state of
 * another server (2026-07-28, multi round-trip requests). It is the result of `tools/call`, `prompts/get` and `resources/read`; the
 * client then sends the request again, and the handler gets `inputResponses` and `requestState` in its params.
 *
 * The runtime checks that the client has declared what the questions need, and nothing else of questions and answers. It seals
 * `requestState` with `state.keys`: for ten minutes, the same principal and the same request get it back, in any process with the
 * keys. No process keeps anything between the rounds; a client may therefore send a state again, and the handler decides whether it
 * serves one twice. Clients before 2026-07-28 get the questions as requests, and the handler is called with their answers in the same
 * way, ten times at most. Do not use `ask` and `once` in such a handler.
 */
export interface InputRequired {
  readonly resultType: "input_required";
  /** Requests by key, as the revision of the client defines them. */
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params?: object } };
  readonly requestState?: string;
}

/**
 * One client of a server, for handlers (`context.session`) and for the application (`server.sessions`).
 *
 * Up to 2025-11-25 it lasts from the handshake to the end of the connection, and its requests may be sent at any time;
 * before the client is initialized they wait. Over HTTP, messages outside of a request of the client go on the stream
 * that the client opened by GET. Without that stream, requests wait for it until they time out, and notifications are
 * lost.
 *
 * From 2026-07-28 on there are no sessions and no requests of the server: the object stands for one request. Its
 * requests reject with `missing-capability`, as they do in servers without sessions (`sessions: false`). Its
 * notifications belong to the request, and are not sent after it has ended.
 */
export interface ServerSession {
  /** Id of the HTTP session; `undefined` on other transports and without a session. */
  readonly id: string | undefined;
  /** Id of the protocol revision. */
  readonly revision: string;
  readonly era: Era;
  /** The client's description of itself: for display, not for decisions. */
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Name of the authenticated client; empty if the transport does not authenticate. */
  readonly principal: string;
  /** A copy of the data of the application; `undefined` without any, and from 2026-07-28 on. */
  readonly data: unknown;
  /**
   * Keeps data of the application with the session, in place of earlier data: for example, the id of the session that a gateway
   * has with another server. With a `sessions.store`, the data is in the store when the promise resolves, and handlers read it
   * in other processes and after a restart. The ids of `sealedSessions` hold it: without `cluster`, set it in middleware around
   * `initialize`, after `next`.
   *
   * @param data JSON of at most 16,384 bytes in UTF-8; `undefined` removes it
   * @throws {McpError} `missing-capability`: there is no session (2026-07-28, or before the handshake); `invalid-definition`: not
   *   JSON; `limit-exceeded`: too many bytes, or the memory limits; `not-expressible`: the id holds the data; `store-failed`
   */
  setData(data: unknown): Promise<void>;
  /** Resolves when the connection (over HTTP: the session) has ended. */
  readonly closed: Promise<void>;
  /**
   * Waits until the client answers a ping.
   *
   * @throws {McpError} `missing-capability`, `timeout`, `cancelled`, `connection-closed`, `remote-error`
   */
  ping(options?: SessionRequestOptions): Promise<void>;
  /**
   * Sends a request that the tables define, after the capability checks of `context.ask`.
   *
   * @throws {McpError} `missing-capability`, `invalid-params`, `timeout`, `cancelled`, `connection-closed`,
   *   `remote-error`, `invalid-result`
   */
  request<Method extends keyof ServerRequests>(
    method: Method,
    params?: ParamsToAsk<Method>,
    options?: SessionRequestOptions,
  ): Promise<ServerRequests[Method]["result"]>;
  /**
   * Sends a request that no table defines.
   *
   * @param options `result`: the schema of the result; without it, the result is any object
   * @throws {McpError} as above
   */
  request<const Result extends MessageSchema = MessageSchema>(
    method: string,
    params?: object,
    options?: SessionRequestOptions & { readonly result?: Result },
  ): Promise<MessageSchema extends Result ? Params : OutputOf<Result>>;
  /** Sends a notification. A notification of the protocol is sent only if the revision has it. */
  notify<Method extends keyof ServerNotifications>(
    method: Method,
    params?: ServerNotifications[Method]["params"],
  ): void;
  notify(method: string, params?: object): void;
  /** Sends a log message, if the client wants messages of this level. */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /**
   * Asks for the folders and files that the client considers relevant. The answer is kept until the client reports a
   * change; it is not kept if the client has not declared `roots.listChanged`.
   *
   * @throws {McpError} as `request`
   */
  listRoots(options?: SessionRequestOptions): Promise<ListRootsResult["roots"]>;
  /** Asks the client's model for a message. @throws {McpError} as `request` */
  sample(params: SamplingParams, options?: SessionRequestOptions): Promise<CreateMessageResult>;
  /** Asks the user to visit a page, or to fill in a form. @throws {McpError} as `request` */
  elicit(
    params: Page & { readonly mode: "url" },
    options?: SessionRequestOptions,
  ): Promise<Pick<ElicitResult, "action">>;
  elicit<Content extends object = Inferred, const Schema extends FormSchema = FormSchema>(
    params: Form<Schema>,
    options?: SessionRequestOptions,
  ): Promise<Elicited<ContentOf<Content, Schema>>>;
}

/** Handles the notifications of one method. */
export type NotificationHandler = (params: never, context: NotificationContext) => void | Promise<void>;

export interface NotificationContext {
  readonly revision: string;
  readonly method: string;
  /** The client, after a handshake (legacy era). */
  readonly session: ServerSession | undefined;
}
