import type {
  ClientCapabilities,
  CreateMessageResult,
  ElicitResult,
  Implementation,
  ListRootsResult,
  ServerNotifications,
  ServerRequests,
} from "@mcpgen/protocol/authoring";
import type { Era, RequestOptions } from "@mcpgen/protocol/model";
import { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { type Names, requireKnown } from "../options/option-check.js";
import { type LogLevel, logMessage } from "../protocol/meta.js";
import type { Inferred, OutputOf, MessageSchema } from "../schema/schema-type.js";
import {
  type ContentOf,
  type Elicited,
  type Form,
  type FormSchema,
  type Page,
  type ParamsToAsk,
  type SamplingParams,
  askClient,
} from "./ask.js";
import type { ServerConnection } from "./connection.js";
import type { RequestContext } from "./context.js";
import type { RequestProtocol, Session } from "./request-protocol.js";

/** Options of a request to the client: signal, timeouts in milliseconds (default: `timeouts` of the server), progress. */
export interface SessionRequestOptions extends Omit<RequestOptions, "resend"> {}

const requestOptions: Names<SessionRequestOptions> = {
  signal: 0,
  timeout: 0,
  totalTimeout: 0,
  onProgress: 0,
};

/**
 * One client of a server, for handlers (`context.session`) and for the application (`server.sessions`).
 *
 * Up to 2025-11-25 it lasts from the handshake to the end of the connection, and its requests may be sent at any time;
 * before the client is initialized they wait. Over HTTP, what belongs to no request of the client goes on the stream that
 * the client opened by GET. Without that stream, requests wait for it until they time out, and notifications are lost.
 *
 * From 2026-07-28 on there are no sessions and no requests of the server: the object stands for one request. Its requests
 * reject with `missing-capability`, and so they do in servers that keep no sessions (`sessions: false`). Its notifications
 * belong to the request, and are not sent after it has ended.
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
  /** Resolves when the connection has ended, over HTTP the session. */
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
  /** Sends a notification. What the tables define is sent only if the revision has it. */
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

/**
 * The session of a protocol. Without a session, all clients of a revision may share the protocol: the object belongs to
 * the request.
 */
export function sessionOf(
  connection: ServerConnection,
  protocol: RequestProtocol,
  context?: RequestContext,
): ServerSession {
  const own = connection.session === protocol ? undefined : context;
  return ((own ?? protocol).client ??= new ConnectedSession(connection, protocol, own));
}

export class ConnectedSession implements ServerSession {
  readonly revision: string;
  readonly era: Era;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  readonly principal: string;
  readonly #connection: ServerConnection;
  readonly #protocol: RequestProtocol;
  /** The request, where the session lasts no longer. */
  readonly #context: RequestContext | undefined;
  #closed: Promise<void> | undefined;

  constructor(connection: ServerConnection, protocol: RequestProtocol, context: RequestContext | undefined) {
    this.#connection = connection;
    this.#protocol = protocol;
    this.#context = context;
    const { revision, clientInfo, clientCapabilities } = protocol;
    this.revision = revision.id;
    this.era = revision.era;
    this.clientInfo = clientInfo;
    this.clientCapabilities = clientCapabilities;
    this.principal = connection.principal;
  }

  get id(): string | undefined {
    return this.#connection.sessionId;
  }

  get closed(): Promise<void> {
    return (this.#closed ??= new Promise((resolve) => this.#connection.onEnd(resolve)));
  }

  async ping(options?: SessionRequestOptions): Promise<void> {
    await this.request("ping", undefined, options);
  }

  async request(
    method: string,
    params?: object,
    { result, ...options }: SessionRequestOptions & { readonly result?: MessageSchema } = {},
  ): Promise<never> {
    requireKnown(options, requestOptions);
    const connection = this.#connection;
    const protocol = this.#protocol;
    const { revision } = protocol;
    const reason = protocol.era.noRequests ?? protocol.unasked;
    if (reason !== undefined)
      throw new McpError(
        "missing-capability",
        `${method}: ${reason}. Use context.ask, and subscriptions for changes`,
      );
    const schemas = result && connection.definition.schemas();
    const signal = options.signal as never;
    // `connection` and `protocol` are for the middleware of this package (`InternalContext`).
    const context = { revision: revision.id, signal, session: this, connection, protocol };
    const answer = await askClient(
      connection,
      protocol,
      method,
      { context, answered: false },
      { method, params: params as Params },
      (asked) => connection.ask(revision, method, asked.params, options),
    );
    return (schemas ? await schemas.result(method, result!, answer) : answer) as never;
  }

  notify(method: string, params?: object): void {
    const given = params as Params;
    if (this.#context) this.#context.send(method, given);
    else {
      const session = this.#protocol as Session;
      session.era.notify(this.#connection, session, method, given);
    }
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#context) this.#context.log(level, data, logger);
    else this.#connection.notify(this.#protocol, logMessage, { level, data: data ?? null, logger });
  }

  async listRoots(options?: SessionRequestOptions): Promise<ListRootsResult["roots"]> {
    return ((await this.request("roots/list", undefined, options)) as ListRootsResult).roots;
  }

  sample(params: SamplingParams, options?: SessionRequestOptions): Promise<CreateMessageResult> {
    return this.request("sampling/createMessage", params, options);
  }

  elicit(params: object, options?: SessionRequestOptions): Promise<never> {
    return this.request("elicitation/create", { mode: "form", ...params }, options);
  }
}
