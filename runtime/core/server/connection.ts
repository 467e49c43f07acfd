import type { BatchAnswers, Era, OpenDefinition, RequestOptions } from "@mcpgen/protocol/model";
import { issuesText, mayGet, type RevisionView } from "../protocol/revision-view.js";
import {
  batchesUnsupported,
  classify,
  type NotificationMessage,
  type Params,
  type Problem,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  errorText,
  idOf,
  notificationOf,
  notificationText,
  withoutNullId,
} from "../jsonrpc/message.js";
import {
  McpError,
  invalidParams,
  invalidRequest,
  messageOf,
  internalError,
  parseError,
} from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import type { Channel, Receiver, ServerChannel } from "../jsonrpc/channel.js";
import { runRequest, RequestContext, errorOf, handlerOf } from "./request.js";
import { type NullReader, nullReader } from "../protocol/protocol-warnings.js";
import type { ServerEvent } from "../protocol/events.js";
import { type Change, resourceUpdated } from "./changes.js";
import type { ServerSession } from "./context.js";
import {
  vendorMessage,
  type ClientRequests,
  type RequestProtocol,
  type ServerRequest,
  type Session,
  type ErrorPlace,
  type ServerDefinition,
  placeOf,
} from "./server-definition.js";
import { methodNotFound, resolveProtocol, revisionOfNotification } from "./request-protocol.js";
import { ConnectedSession } from "./server-session.js";
import { type LogLevel, logMessage, reaches } from "../protocol/meta.js";
import { mostReserved } from "../jsonrpc/json-limits.js";
import { sendError } from "../protocol/send-check.js";

/** What a transport knows about the client of a connection. */
export interface ConnectionOptions {
  /** The authenticated client, for `context.auth`. */
  readonly auth?: unknown;
  /** Name of the authenticated client; `requestState` is bound to it. */
  readonly principal?: string;
  /** Milliseconds for open requests to finish after the client has ended its output. Default: 1000. */
  readonly drain?: number | undefined;
}

/** What an earlier request called, and the scopes that it needed. */
export interface EarlierCall {
  readonly method: string;
  readonly name: string;
  readonly params: Params;
  readonly scopes: readonly string[];
}

/** The part of an HTTP request that handlers see. */
export interface HttpRequest {
  /** Path and query, or a whole URL. */
  readonly url: string;
  /** The headers that the option `contextHeaders` names, in lower case. */
  readonly passed?: Readonly<Record<string, string>>;
  /**
   * Whether the option `permit` lets the client read what an earlier request began; absent without the option.
   *
   * @param answers whether a denial answers the request, with its status and headers
   */
  readonly permits?: (call: EarlierCall, answers: boolean) => boolean | Promise<boolean>;
}

/** The values that a client follows, by member of its filter. */
type Filter = ReadonlyMap<string, ReadonlySet<unknown>>;

/** The connection of one client: dispatches its messages, sends responses, and notifies it of changes. */
export class ServerConnection implements Receiver {
  readonly definition: ServerDefinition;
  /** The authenticated client; a transport that authenticates each request sets it before each. */
  auth: unknown;
  /** The session, after a handshake (legacy era). */
  session: Session | undefined;
  /** The era of all messages, if the transport decides it; otherwise it is decided for each request. */
  readonly era: Era | undefined;
  /** `connection-opened` was reported. */
  isAnnounced = false;
  /** The HTTP request of the messages that are being received; the transport sets it. */
  http: HttpRequest | undefined;
  /** Name of the authenticated client, or an empty string. */
  readonly principal: string;
  readonly #channel: ServerChannel;
  #running: Map<RequestId, RequestContext> | undefined;
  #clientRequests: ClientRequests | undefined;
  /** With what each follows, by member of its filter. */
  #listeners: Map<(change: Change) => void, Filter> | undefined;
  #closers: Set<() => void> | undefined;
  /** Called when the connection has ended. */
  #enders: (() => void)[] | undefined;
  #reserved = 0;
  readonly #drainMs: number;
  /** The client has ended its output: it answers no requests. */
  #inputEnded = false;
  /** Called when no request is open. */
  #idle: (() => void)[] | undefined;
  #isOver = false;

  constructor(definition: ServerDefinition, channel: ServerChannel, options: ConnectionOptions, era?: Era) {
    this.definition = definition;
    this.era = era;
    this.#channel = channel;
    this.auth = options.auth;
    this.principal = options.principal ?? "";
    this.#drainMs = options.drain ?? 1000;
    if (!channel.isBrief) definition.connections.add(this);
    definition.counts.connections++;
  }

  /** The id of a request of the server, from its number; of a transport whose answers may reach another process. */
  requestId?(number: number): RequestId;
  /** Whether this process notifies the client of changes: of several that serve its session, one does. */
  hears?(): boolean;

  /** Stores what changed in the session; of a transport that stores sessions. */
  save?(): Promise<void>;

  /** Id of the HTTP session, if there is one. */
  get sessionId(): string | undefined {
    return this.#channel.id;
  }

  /**
   * The client, for handlers and the application. Without a session, all clients of a revision may share the protocol: the
   * object belongs to the request.
   */
  clientOf(protocol: RequestProtocol, context?: RequestContext): ServerSession {
    const own = this.session === protocol ? undefined : context;
    return ((own ?? protocol).client ??= new ConnectedSession(this, protocol, own));
  }

  /** Whether a failed tool answers with the text of what its handler threw. */
  get thrownErrors(): "hide" | "message" {
    return this.definition.thrownErrors ?? (this.#channel.hidesErrors ? "hide" : "message");
  }

  /** Number of open requests. */
  get open(): number {
    return this.#running?.size ?? 0;
  }

  message(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      return this.refuse(undefined, parseError(messageOf(error)));
    }
    this.receive(message);
  }

  turn(): void {
    if (this.open === 0) this.#channel.flush();
  }

  tooLong(limit: number): void {
    this.refuse(undefined, invalidRequest(`the message is longer than ${limit} bytes`));
  }

  /** Answers the received requests, then ends the connection. Requests to the client fail at once. */
  ended(): void {
    this.#clientRequests?.end(inputEndedError());
    this.#inputEnded = true;
    const { clock } = this.definition;
    const timer = clock.schedule(() => this.#overdue(), this.#drainMs);
    void this.drain().then(() => {
      clock.clear(timer);
      this.#end("the client is gone");
    });
  }

  /** Sends an error for each open request (the client may still read), then ends the connection. */
  #overdue(): void {
    const message = `not answered within ${this.#drainMs} ms after the end of the input`;
    const error = internalError(message);
    const gone = new McpError("connection-closed", "the client is gone");
    for (const context of this.#running?.values() ?? []) {
      const { request, batch } = context;
      this.#untrack(request.id);
      this.refuse(request.id, error, batch);
      context.abort(gone);
    }
    this.#end("the client is gone");
  }

  closed(): void {
    this.#end("the client is gone");
  }

  /** Answers open subscriptions; resolves when no request is open. */
  drain(): Promise<void> {
    for (const closer of this.#closers ?? []) closer();
    if (this.open === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#idle ??= []).push(resolve));
  }

  /** Answers open subscriptions, then ends the connection. */
  async close(): Promise<void> {
    void this.drain();
    // The responses of the subscriptions are sent a few microtasks later.
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#end("the server is closing");
    await this.#channel.close();
  }

  /** Dispatches a parsed message or batch. A value that is not a JSON-RPC message is answered with an error. */
  receive(message: unknown): void {
    if (!Array.isArray(message)) return this.#dispatch(this.#plain(message));
    const batches = this.session?.revision.revision.batches;
    if (!batches) return this.refuse(undefined, invalidRequest(batchesUnsupported));
    const { sendBatch } = this.#channel;
    batches.receive(message.map(this.#plain), {
      kindOf: classify,
      send: sendBatch?.bind(this.#channel),
      dispatch: (each, answers) => this.#dispatch(each, answers),
      refuse: (problem, id, answers) => this.refuse(id, invalidRequest(problem), answers),
    });
  }

  readonly #plain = (message: unknown): unknown =>
    withoutNullId(message, this.definition.isRequest, (event) => this.emit(event));

  #dispatch(message: unknown, batch?: BatchAnswers): void {
    const kind = classify(message);
    if (kind === "request") return this.request(message as RequestMessage, undefined, batch);
    if (kind === "notification") return this.notified(message as NotificationMessage);
    if (kind === "response") return this.answered(message as ResponseMessage);
    this.refuse(idOf(message), invalidRequest((kind as Problem).problem), batch);
  }

  /**
   * Dispatches a request. Every failure is answered with an error.
   *
   * @param given the protocol, if the transport has resolved it already
   * @param batch the batch that contains the request
   */
  request(request: RequestMessage, given?: RequestProtocol, batch?: BatchAnswers): void {
    try {
      const protocol = given ?? resolveProtocol(this, request);
      let entry = protocol.revision.table.incomingRequests.get(request.method);
      if (!entry || entry.payload) entry = vendorMessage;
      const handler = handlerOf(this.definition, entry, request.method);
      const refused = handler ? entry.refuse?.(protocol, request) : methodNotFound(protocol, request.method);
      if (refused) throw this.refused("method", request, refused as McpError);
      if (this.#running?.has(request.id)) throw invalidRequest("a request of this id is being answered");
      const context = new RequestContext(this, request, protocol, entry, handler);
      context.batch = batch;
      runRequest(context);
    } catch (error) {
      this.refuse(request.id, errorOf(error), batch);
    }
  }

  /** Tracks an open request, so that the client can cancel it and the end of the connection aborts it. */
  track(context: RequestContext): void {
    if (!this.#running) {
      this.#running = new Map();
      // A handler may have ended the connection.
      if (!this.#isOver) this.definition.connections.add(this);
    }
    this.#running.set(context.request.id, context);
  }

  #becomeIdle(): void {
    for (const resolve of this.#idle ?? []) resolve();
    this.#idle = undefined;
  }

  /** Counts requests that were aborted while their handlers run. @param more -1 when a handler has ended */
  countAborted(more: number): void {
    this.#channel.abortedWork?.(more);
  }

  /** Reads messages of this client that their definitions refuse. */
  get readNulls(): NullReader {
    return nullReader(this.definition.nulls, (event) => this.emit(event));
  }

  /**
   * Reads a message of this client, or a part of it, without members that are null instead of absent.
   *
   * @param refused makes the error to throw of what is wrong even so
   */
  async read<Value>(
    revision: RevisionView,
    definition: OpenDefinition,
    given: Value,
    method: string,
    refused: (problem: string) => McpError,
  ): Promise<Value> {
    const value = await this.readNulls(definition, given, method);
    if (definition.accepts(value)) return value;
    const issues = await revision.issues(value, definition).catch(() => []);
    throw refused(issuesText(issues, "wrong shape"));
  }

  /** Delivers an event about this client. */
  emit(event: ServerEvent): void {
    const { definition, principal, sessionId } = this;
    definition.hooks.emit({ ...event, principal, sessionId });
  }

  /** Reports what a handler threw. */
  reportError(error: unknown, place: ErrorPlace, requestId?: RequestId): void {
    this.definition.report(error, place);
    this.emit({ type: "handler-error", error, ...place, requestId });
  }

  /** Reports a request that gets an error before any handler runs. Returns the error. */
  refused(
    reason: "method" | "params",
    { id: requestId, method, params }: RequestMessage,
    error: McpError,
  ): McpError {
    const place = placeOf(method, params);
    this.emit({ type: "request-refused", reason, message: error.message, ...place, requestId });
    return error;
  }

  /** Reports that the connection is open. Transports with sessions, or without connections, do not call it. */
  announce(): void {
    this.isAnnounced = true;
    this.emit({ type: "connection-opened" });
  }

  refuse(id: RequestId | undefined, error: McpError, batch?: BatchAnswers): void {
    const { text, code } = serialiseError(id, error);
    this.respond(id, text, batch, code);
  }

  /** Ends a request with its response. A gateway may end the server with it: what the handler has changed is sent before. */
  answer(context: RequestContext, text: string, rpcCode?: number): void {
    const { request, batch, reported } = context;
    this.definition.publish?.();
    context.over = true;
    this.#untrack(request.id);
    this.respond(request.id, text, batch, rpcCode, reported);
  }

  #untrack(id: RequestId): void {
    this.#running?.delete(id);
    if (this.#idle && this.open === 0) this.#becomeIdle();
  }

  /** Ends a request with an error. */
  fail(context: RequestContext, error: McpError): void {
    const { text, code } = serialiseError(context.request.id, error);
    this.answer(context, text, code);
  }

  respond(
    id: RequestId | undefined,
    text: string,
    batch?: BatchAnswers,
    rpcCode?: number,
    reported?: number,
  ): void {
    const { counts } = this.definition;
    if (rpcCode === undefined) counts.results++;
    else counts.errors++;
    if (batch) batch.answer(text);
    else this.#channel.answer(id, text, rpcCode, reported);
  }

  /**
   * Reserves memory for the client until the connection ends, or until `release`.
   *
   * @throws {McpError} `invalid-params`: the limit of this client; `limit-exceeded`: the limit of all clients
   */
  reserve(bytes: number): void {
    if (this.#reserved + bytes > mostReserved)
      throw invalidParams(`the server would have to keep more than ${mostReserved} bytes for this client`);
    if (this.#channel.reserve?.(bytes) === false)
      throw new McpError("limit-exceeded", "the server keeps too much for its clients: try again later", {
        rpcCode: rpc.invalidRequest,
        data: { limit: "keptLimit" },
      });
    this.#reserved += bytes;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
    this.#channel.reserve?.(-bytes);
  }

  /**
   * Calls `listener` with each change. Returns a function that removes it.
   *
   * @param wanted what it follows, by member of its filter
   */
  onChange(listener: (change: Change) => void, wanted: Filter): () => void {
    this.#listeners = (this.#listeners ?? new Map()).set(listener, wanted);
    return () => void this.#listeners?.delete(listener);
  }

  /** Notifies the session, once the client is initialized, and its subscribers of a change. */
  changed(change: Change): void {
    const { session } = this;
    session?.era.changed(this, session, change);
    for (const listener of this.#listeners?.keys() ?? []) listener(change);
  }

  /** Changes were lost: notifies of each list, and of each resource that the client subscribed to. */
  missedChanges(): void {
    const { table } = this.session?.revision ?? this.definition.revisions[0]!;
    for (const [method, { capability }] of table.outgoingNotifications)
      if (capability?.path.at(-1) === "listChanged") this.changed({ method });
    const wanted = [...(this.#listeners?.values() ?? [])].flatMap((filter) => [...filter.values()]);
    for (const uri of new Set([this.session?.watched ?? [], ...wanted].flatMap((uris) => [...uris])))
      this.changed({ method: resourceUpdated, uri: uri as string });
  }

  /** Sends the requests that waited until the client was initialized, or opened a stream. */
  sendHeld(): void {
    this.#clientRequests?.sendHeld();
  }

  /**
   * Dispatches a notification.
   *
   * @param revision of the notification, if the transport has decided it
   */
  notified(message: NotificationMessage, revision = revisionOfNotification(this, message)): void {
    const { method } = message;
    const params = message.params ?? undefined;
    this.definition.hooks.around("incoming", method, params, this, revision, () => {
      if (method === "notifications/cancelled") return this.#cancel(params);
      const { session } = this;
      session?.era.heard(this, session, method);
      if (method === "notifications/progress") return this.#clientRequests?.progressed(params);
      if (!revision) return;
      const { notificationHandlers: listeners, defines } = this.definition;
      const entry = revision.table.incomingNotifications.get(method);
      const isOther = !entry && defines("incomingNotifications", method);
      const listener = (isOther ? undefined : listeners.get(method)) ?? listeners.get("*");
      if (!listener) return;
      const definition = entry ?? vendorMessage;
      const context = { revision: revision.id, method, session: session && this.clientOf(session) };
      // A handler that throws does not end the connection.
      this.readNulls(definition, message, method)
        .then((read) => {
          if (!definition.accepts(read)) return;
          return listener(
            revision.lift("incomingNotifications", method, read.params ?? {}) as never,
            context,
          );
        })
        .catch((error: unknown) => {
          this.reportError(error, { method });
        });
    });
  }

  #cancel(params: Params | undefined): void {
    const context = this.#running?.get(params?.["requestId"] as RequestId);
    if (!context) return;
    this.#untrack(context.request.id);
    this.definition.counts.cancelled++;
    const reason = params?.["reason"];
    context.abort(
      new McpError("cancelled", typeof reason === "string" ? reason : "the client cancelled the request"),
    );
    context.batch?.dropAnswer();
    this.#channel.abortedWork?.(1);
    this.#channel.dropAnswer?.(context.request.id);
  }

  disconnect(origin: RequestId, retryMs: number): void {
    this.#channel.disconnect?.(origin, retryMs);
  }

  /**
   * Sends a notification that the revision has, or that no revision defines; only if the client has declared what it
   * needs of it, and a log message only if the client wants messages of this level. An invalid one is reported, and not sent. A failure to send is a warning.
   *
   * @param origin the request of the client that it belongs to
   */
  notify(
    protocol: Pick<RequestProtocol, "logLevel" | "revision">,
    method: string,
    params: Params | undefined,
    origin?: RequestId,
  ): void {
    const { definition } = this;
    const { revision, logLevel } = protocol;
    const entry = revision.table.outgoingNotifications.get(method);
    const isSent = entry
      ? mayGet(entry, protocol as RequestProtocol)
      : !definition.defines("outgoingNotifications", method);
    if (this.#isOver || !isSent) return;
    if (method === logMessage) {
      const level = params?.["level"] as LogLevel;
      if (logLevel === undefined || !reaches(level, logLevel) || !definition.capabilities().logging) return;
    }
    definition.hooks.around("outgoing", method, params, this, revision, (given) => {
      try {
        const lowered = given && revision.lower("outgoingNotifications", method, given);
        const text = notificationText(method, lowered);
        const wrong = sendError(revision, "notifications", method, notificationOf(method, lowered));
        if (wrong) this.reportError(wrong, { method }, origin);
        else this.send(text, origin);
      } catch (error) {
        definition.warn(`${method} is left out: ${messageOf(error)}`);
      }
    });
  }

  /**
   * Sends a message.
   *
   * @param origin the request of the client that it belongs to
   * @returns `false` if the client has no stream for it
   */
  send(text: string, origin: RequestId | undefined): boolean {
    return this.#channel.send(text, origin) !== false;
  }

  /**
   * Sends a request to the client (legacy era), once the client is initialized. Kept roots answer without a request.
   *
   * @param origin the request of the client that it belongs to
   * @throws {McpError}
   */
  ask(request: ServerRequest, options: RequestOptions, origin?: RequestId): Promise<Params> {
    if (this.#inputEnded || this.#isOver) return Promise.reject(inputEndedError());
    const requests = (this.#clientRequests ??= this.definition.legacyEra!.requestsOf(this));
    return requests.ask(request, options, origin);
  }

  /** Dispatches a response of the client. */
  answered(response: ResponseMessage): void {
    this.#clientRequests?.answered(response);
  }

  /** Calls `closer` once, when the server closes the connection. Returns a function that removes it. */
  onClosing(closer: () => void): () => void {
    this.#closers = (this.#closers ?? new Set()).add(closer);
    return () => void this.#closers?.delete(closer);
  }

  /** Calls `listener` once, when the connection has ended. */
  onEnd(listener: () => void): void {
    if (this.#isOver) listener();
    else (this.#enders ??= []).push(listener);
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const listener of this.#enders ?? []) listener();
    this.#listeners = undefined;
    this.definition.connections.delete(this);
    if (this.isAnnounced) this.emit({ type: "connection-closed", reason: why });
    if (this.open === 0 && !this.#clientRequests) return;
    const reason = new McpError("connection-closed", why);
    this.definition.counts.aborted += this.open;
    this.#channel.abortedWork?.(this.open);
    for (const context of this.#running?.values() ?? []) context.abort(reason);
    this.#running = undefined;
    this.#becomeIdle();
    this.#clientRequests?.end(reason);
  }
}

/** A stream of messages, as the server uses it: answers are messages among others, and no request is kept apart. */
export function plainChannel(channel: Channel): ServerChannel {
  return {
    // What a channel of an application returns has no meaning.
    send: (text, origin) => void channel.send(text, origin),
    answer(id, text, _rpcCode, reported) {
      if (reported !== undefined && channel.sendApart) channel.sendApart(text, reported);
      else channel.send(text, id);
    },
    sendBatch: (text) => channel.send(text),
    flush: () => channel.flush(),
    close: () => channel.close(),
  };
}

/** The error of a request to a client that has ended its output. */
function inputEndedError(): McpError {
  return new McpError("connection-closed", "the client sends nothing more");
}

/** Serialises an error. Error data that is not JSON is left out. */
function serialiseError(
  id: RequestId | undefined,
  error: McpError,
): { readonly text: string; readonly code: number } {
  let code: number = rpc.internalError;
  try {
    const { message, data, rpcCode = code } = error;
    if (Number.isSafeInteger(rpcCode)) code = rpcCode;
    return { text: errorText(id, { code, message, data }), code };
  } catch {
    return { text: errorText(id, { code, message: messageOf(error) }), code };
  }
}
