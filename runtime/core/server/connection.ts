import type { BatchAnswers, Era, OpenDefinition, RequestOptions } from "@mcpgen/protocol/model";
import { issuesText, mayGet, type RevisionView, sendError } from "../protocol/revision-view.js";
import {
  batchesUnsupported,
  type Channel,
  classify,
  errorObjectOf,
  errorText,
  internalError,
  invalidParams,
  invalidRequest,
  JsonRpcPeer,
  McpError,
  messageOf,
  type MessageTaker,
  mostReserved,
  type NotificationMessage,
  notificationOf,
  notificationText,
  type Params,
  type Receiver,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type ServerChannel,
  takeMessage,
  takeParsed,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import {
  RequestContext,
  errorOf,
  methodNotFound,
  resolveProtocol,
  revisionOfNotification,
} from "./request.js";
import { type NullReader, nullReader, warning, type ServerEvent } from "../protocol/events.js";
import {
  type Change,
  resourceUpdated,
  vendorMessage,
  type RequestProtocol,
  type ServerRequest,
  type Session,
  type ErrorPlace,
  type ServerDefinition,
  placeOf,
} from "./server-definition.js";
import type { ServerSession } from "./context.js";
import { ConnectedSession } from "./server-session.js";
import { type LogLevel, logMessage, reaches } from "../protocol/meta.js";

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
  /** The network address of the client, where the platform knows it. */
  readonly address?: string | undefined;
  /** The headers that the option `contextHeaders` names, in lower case. */
  readonly passed?: Readonly<Record<string, string>>;
  /**
   * Whether the option `permit` lets the client read what an earlier request began; absent without the option.
   *
   * @param answers whether a denial answers the request, with its status and headers
   */
  readonly permits?: (call: EarlierCall, answers: boolean) => boolean | Promise<boolean>;
}

/** A request that follows changes. */
interface Follower {
  /** The values that it follows, by member of its filter. */
  readonly wanted: ReadonlyMap<string, ReadonlySet<unknown>>;
  changed(change: Change): void;
  /** The server closes the connection. */
  closing(): void;
}

/** The connection of one client: dispatches its messages, sends responses, and notifies it of changes. */
export class ServerConnection implements Receiver, MessageTaker<BatchAnswers> {
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
  #peer: JsonRpcPeer<ResponseMessage, RequestContext> | undefined;
  /** Sends the requests that wait until the client is initialized, or opens a stream. Returns `false` without a stream. */
  held: Map<RequestId, () => boolean> | undefined;
  #followers: Set<Follower> | undefined;
  /** Called when the connection has ended. */
  #enders: (() => void)[] | undefined;
  #reserved = 0;
  readonly #drainMs: number;
  /** The client has ended its output: it answers no requests. */
  #inputEnded = false;
  /** Answers the requests that are open at the end of the connection, if the client may still read. */
  #late: McpError | undefined;
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

  /** Called with the id of each request of the server to this client. */
  onRequestId: ((id: RequestId) => void) | undefined;
  /** The id of a request of the server, from its number; of a transport whose answers may reach another process. */
  requestId?(number: number): RequestId;
  /** Whether this process notifies the client of changes: of several that serve its session, one does. */
  hears?(): boolean;

  /** Stores what changed in the session; of a transport that stores sessions. */
  save?(): Promise<void>;

  /** Whether the id of the session holds its data, which then cannot change. */
  isSealed?(): boolean;

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

  /** Whether it serves a single request, or those of a single body. */
  get isBrief(): boolean {
    return this.#channel.isBrief === true;
  }

  /** Whether a failed tool answers with the text of what its handler threw. */
  get thrownErrors(): "hide" | "message" {
    return this.definition.thrown ?? (this.#channel.hidesErrors ? "hide" : "message");
  }

  /** Number of open requests. */
  get open(): number {
    return this.#peer?.running.size ?? 0;
  }

  /** The requests of both sides that have no answer. Made for the first one that waits: most are answered at once. */
  get peer(): JsonRpcPeer<ResponseMessage, RequestContext> {
    return (this.#peer ??= new JsonRpcPeer(this.definition));
  }

  message(text: string): void {
    takeMessage(text, this);
  }

  turn(): void {
    if (this.open === 0) this.#channel.flush();
  }

  tooLong(limit: number): void {
    this.refuse(undefined, invalidRequest(`the message is longer than ${limit} bytes`));
  }

  /** Answers the received requests, then ends the connection. Requests to the client fail at once. */
  ended(): void {
    this.held = undefined;
    this.#peer?.unanswered(inputEndedError());
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
    this.#late = internalError(`not answered within ${this.#drainMs} ms after the end of the input`);
    this.#end("the client is gone");
  }

  closed(): void {
    this.#end("the client is gone");
  }

  /** Answers open subscriptions; resolves when no request is open. */
  drain(): Promise<void> {
    for (const follower of this.#followers ?? []) follower.closing();
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
    takeParsed(message, this);
  }

  batched(messages: readonly unknown[]): void {
    const batches = this.session?.revision.revision.batches;
    if (!batches) return this.refuse(undefined, invalidRequest(batchesUnsupported));
    const { sendBatch } = this.#channel;
    batches.receive(messages, {
      kindOf: classify,
      send: sendBatch?.bind(this.#channel),
      dispatch: (each, answers) => takeParsed(each, this, answers),
      refuse: (problem, id, answers) => this.refuse(id, invalidRequest(problem), answers),
    });
  }

  isRequest(method: string): boolean {
    return this.definition.isRequest(method);
  }

  /**
   * Dispatches a request. Every failure is answered with an error.
   *
   * @param batch the batch that contains the request
   * @param given the protocol, if the transport has resolved it already
   */
  requested(request: RequestMessage, batch?: BatchAnswers, given?: RequestProtocol): void {
    try {
      const protocol = given ?? resolveProtocol(this, request);
      const context = new RequestContext(this, request, protocol, batch);
      const { entry, handler } = context;
      const refused = handler ? entry.refuse?.(protocol, request) : methodNotFound(protocol, request.method);
      if (refused) throw this.refused("method", request, refused as McpError);
      if (this.#peer?.running.has(request.id)) throw invalidRequest("a request of this id is being answered");
      context.run();
    } catch (error) {
      this.refuse(request.id, errorOf(error), batch);
    }
  }

  /** Tracks an open request, so that the client can cancel it and the end of the connection aborts it. */
  track(context: RequestContext): void {
    this.peer.running.start(context.request.id, context);
    // A handler may have ended the connection.
    if (!this.#isOver) this.definition.connections.add(this);
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
    throw refused(issuesText(await revision.issues(value, definition)));
  }

  /** Delivers an event about this client. */
  emit(event: ServerEvent): void {
    const { definition, principal, sessionId } = this;
    definition.hooks.emit(Object.assign({}, event, { principal, sessionId }));
  }

  /** Reports what a handler threw. */
  reportError(error: unknown, place: ErrorPlace, requestId?: RequestId): void {
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
    this.#peer?.running.finish(request.id, context);
    if (this.open === 0) this.#becomeIdle();
    this.respond(request.id, text, batch, rpcCode, reported);
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
        data: { limit: "limits.memory" },
      });
    this.#reserved += bytes;
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
    this.#channel.reserve?.(-bytes);
  }

  /** Notifies a request of each change. Returns a function that ends this. */
  follow(follower: Follower): () => void {
    this.#followers = (this.#followers ?? new Set()).add(follower);
    return () => void this.#followers?.delete(follower);
  }

  /** Notifies the session, once the client is initialized, and its subscribers of a change. */
  changed(change: Change): void {
    const { session } = this;
    session?.era.changed(this, session, change);
    for (const follower of this.#followers ?? []) follower.changed(change);
  }

  /** Changes were lost: notifies of each list, and of each resource that the client subscribed to. */
  missedChanges(): void {
    const { table } = this.session?.revision ?? this.definition.revisions[0]!;
    for (const [method, { capability }] of table.outgoingNotifications)
      if (capability?.path.at(-1) === "listChanged") this.changed({ method });
    const wanted = [...(this.#followers ?? [])].flatMap((follower) => [...follower.wanted.values()]);
    for (const uri of new Set([this.session?.watched ?? [], ...wanted].flatMap((uris) => [...uris])))
      this.changed({ method: resourceUpdated, uri: uri as string });
  }

  /** The client is initialized, or has opened a stream: sends the requests that waited for it. */
  sendHeld(): void {
    if (this.session?.ready !== false)
      for (const [key, send] of this.held ?? []) if (send()) this.held!.delete(key);
  }

  /**
   * Dispatches a notification.
   *
   * @param revision of the notification, if the transport has decided it
   */
  notified(
    message: NotificationMessage,
    _batch?: BatchAnswers,
    revision = revisionOfNotification(this, message),
  ): void {
    const { method } = message;
    const params = message.params ?? undefined;
    this.definition.hooks.around("incoming", method, params, this, revision, () => {
      if (method === "notifications/cancelled")
        return this.#peer?.cancelled(params ?? {}, "the client cancelled the request");
      const { session } = this;
      session?.era.heard(this, session, method);
      if (method === "notifications/progress") return void this.#peer?.progressed(params ?? {});
      if (!revision) return;
      const { notificationHandlers: listeners, defines } = this.definition;
      const entry = revision.table.incomingNotifications.get(method);
      const listener = listeners.get(method) ?? listeners.get("*");
      // One that only other revisions have is dropped, for no table checks it.
      if (!listener || (!entry && defines("incomingNotifications", method))) return;
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

  /** A request ends without a response: the client cancelled it, or the connection has ended. */
  aborted({ request: { id }, batch }: RequestContext, { code }: McpError): void {
    const { counts } = this.definition;
    if (this.#late) return this.refuse(id, this.#late, batch);
    this.#channel.abortedWork?.(1);
    if (code !== "cancelled") return void counts.aborted++;
    counts.cancelled++;
    batch?.dropAnswer();
    this.#channel.dropAnswer?.(id);
    if (this.open === 0) this.#becomeIdle();
  }

  disconnect(origin: RequestId, retryMs: number): void {
    this.#channel.disconnect?.(origin, retryMs);
  }

  /**
   * Sends a notification that the revision has, or that no revision defines; only if the client has declared what it
   * needs of it, and a log message only if the client wants messages of this level. An invalid one is reported, and not sent. A failure to send is a warning.
   *
   * @param origin the request of the client that it belongs to
   * @returns whether it was sent: not if the client has no stream for it
   */
  notify(
    protocol: Pick<RequestProtocol, "logLevel" | "revision">,
    method: string,
    params: Params | undefined,
    origin?: RequestId,
  ): boolean {
    let isSent = false;
    const { definition } = this;
    const { revision, logLevel } = protocol;
    const entry = revision.table.outgoingNotifications.get(method);
    const isKnown = entry
      ? mayGet(entry, protocol as RequestProtocol)
      : !definition.defines("outgoingNotifications", method);
    if (this.#isOver || !isKnown) return false;
    if (method === logMessage) {
      const level = params?.["level"] as LogLevel;
      if (logLevel === undefined || !reaches(level, logLevel) || !definition.capabilities().logging)
        return false;
    }
    definition.hooks.around("outgoing", method, params, this, revision, (given) => {
      try {
        const lowered = given && revision.lower("outgoingNotifications", method, given);
        const text = notificationText(method, lowered);
        const wrong = sendError(revision, "notifications", method, notificationOf(method, lowered));
        if (wrong) this.reportError(wrong, { method }, origin);
        else isSent = this.send(text, origin);
      } catch (error) {
        definition.warn(`${method} is left out: ${messageOf(error)}`);
      }
    });
    return isSent;
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
    return this.definition.legacyEra!.request(this, request, options, origin);
  }

  /** Dispatches a response of the client; one with an unknown id is ignored. */
  answered(response: ResponseMessage): void {
    const request = this.#peer?.settle(response);
    if (request && request.id !== response.id)
      this.emit(warning("response-id", JSON.stringify(response.id), request.method));
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
    this.#followers = this.held = undefined;
    this.definition.connections.delete(this);
    if (this.isAnnounced) this.emit({ type: "connection-closed", reason: why });
    // Without a session, the server has sent no requests.
    if (this.open > 0 || this.session) {
      this.#peer?.end(new McpError("connection-closed", why));
      this.#becomeIdle();
    }
    // Over HTTP, calls outlive the connections of their rounds.
    if (!this.isBrief) this.definition.parking?.close(why, ({ connection }) => connection === this);
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
    const sent = errorObjectOf(error);
    ({ code } = sent);
    return { text: errorText(id, sent), code };
  } catch {
    return { text: errorText(id, { code, message: messageOf(error) }), code };
  }
}
