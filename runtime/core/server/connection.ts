import type { RequestOptions } from "@mcpgen/protocol/model";
import { declares } from "../protocol/capabilities.js";
import { type Session, readyMethod } from "./legacy.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { Batch } from "../jsonrpc/batch.js";
import { McpError, invalidParams, invalidRequest, messageOf, rpc } from "../jsonrpc/errors.js";
import {
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  errorText,
  notificationText,
} from "../jsonrpc/message.js";
import type { Channel, Receiver } from "../jsonrpc/channel.js";
import { runRequest } from "./run-request.js";
import type { Change } from "./changes.js";
import { RequestContext, errorOf } from "./context.js";
import type { ServerDefinition } from "./server-definition.js";
import { ServerToClientRequests } from "./own-requests.js";
import { readBatch, readMessage } from "./reading.js";
import { methodNotFound, resolveProtocol, type RequestProtocol } from "./request-protocol.js";
import { mostReserved } from "../jsonrpc/weight.js";

/** What a transport knows of a connection beside its messages. */
export interface ConnectionOptions {
  /** Who is at the other end: handlers see it as `context.auth`. */
  readonly auth?: unknown;
  /** Name of who is at the other end; state of a multi round-trip request is good for nobody else. */
  readonly principal?: string;
  /** Milliseconds that requests have to be answered once the client sends nothing more; 1000 without it. */
  readonly drain?: number | undefined;
}

/** One client of a server: reads its messages, has them answered, and tells it of changes. */
export class ServerConnection implements Receiver {
  readonly core: ServerDefinition;
  /** Who sends what comes now; a transport that finds it out for each request sets it before. */
  auth: unknown;
  /** What the handshake settled, if there was one. */
  session: Session | undefined;
  /** Name of who is at the other end. */
  readonly principal: string;
  private readonly channel: Channel;
  private readonly onClose: (connection: ServerConnection) => void;
  private running: Map<RequestId, RequestContext> | undefined;
  private own: ServerToClientRequests | undefined;
  private listeners: Set<(change: Change) => void> | undefined;
  private closers: Set<() => void> | undefined;
  private reserved = 0;
  private readonly drainMs: number;
  /** The client says nothing more. */
  private deaf = false;
  /** Called when no request is being answered any more. */
  private idle: (() => void)[] | undefined;
  private isOver = false;

  constructor(
    core: ServerDefinition,
    channel: Channel,
    options: ConnectionOptions,
    onClose: (connection: ServerConnection) => void,
  ) {
    this.core = core;
    this.channel = channel;
    this.auth = options.auth;
    this.principal = options.principal ?? "";
    this.drainMs = options.drain ?? 1000;
    this.onClose = onClose;
  }

  /** Requests that are being answered. */
  get open(): number {
    return this.running?.size ?? 0;
  }

  message(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      return this.refuse(
        undefined,
        new McpError("parse-error", `not JSON: ${messageOf(error)}`, { rpcCode: rpc.parseError }),
      );
    }
    this.receive(message);
  }

  turn(): void {
    if (this.open === 0) this.channel.flush();
  }

  tooLong(limit: number): void {
    this.refuse(undefined, invalidRequest(`the message is longer than ${limit} bytes`));
  }

  /** What was received is answered before the connection ends; what the client would have to say more is not waited for. */
  ended(): void {
    this.own?.end(silent());
    this.deaf = true;
    const { clock } = this.core;
    const timer = clock.schedule(() => this.overdue(), this.drainMs);
    void this.drain().then(() => {
      clock.clear(timer);
      this.end("the client is gone");
    });
  }

  /** Requests fail that were not answered in time: a client that ended its output may still read. */
  private overdue(): void {
    const message = `not answered within ${this.drainMs} ms after the end of the input`;
    const error = new McpError("internal-error", message, { rpcCode: rpc.internalError });
    for (const { request, batch } of this.running?.values() ?? []) this.refuse(request.id, error, batch);
    this.end("the client is gone");
  }

  closed(): void {
    this.end("the client is gone");
  }

  /** Ends open subscriptions in order; resolves when nothing else is being answered. */
  drain(): Promise<void> {
    for (const closer of this.closers ?? []) closer();
    return this.drained();
  }

  /** Resolves when no request is being answered. */
  drained(): Promise<void> {
    if (this.open === 0) return Promise.resolve();
    return new Promise((resolve) => (this.idle ??= []).push(resolve));
  }

  /** Ends open subscriptions in order, then the connection. */
  async close(): Promise<void> {
    for (const closer of this.closers ?? []) closer();
    // What the closers resolve answers its request a few microtasks later.
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.end("the server is closing");
    await this.channel.close();
  }

  /** Reads what was parsed already: one message, or a batch of them. */
  receive(message: unknown): void {
    if (Array.isArray(message)) readBatch(this, message);
    else readMessage(this, message);
  }

  /** What gathers the answers to a batch, where the channel does not do so itself. */
  gather(answers: number): Batch | undefined {
    return this.channel.answer ? undefined : new Batch(answers, (text) => this.channel.send(text));
  }

  /**
   * @param given the protocol, if the transport has resolved it already
   * @param batch that it came in
   */
  request(request: RequestMessage, given?: RequestProtocol, batch?: Batch): void {
    try {
      const protocol = given ?? resolveProtocol(this, request);
      const entry = protocol.spoken.table.incomingRequests.get(request.method);
      if (!entry || entry.payload || !this.core.handlers.has(request.method))
        throw methodNotFound(protocol, request.method);
      if (this.running?.has(request.id)) throw invalidRequest("a request of this id is being answered");
      const context = new RequestContext(this, request, protocol, entry);
      if (batch) context.batch = batch;
      runRequest(this, context);
    } catch (error) {
      this.refuse(request.id, errorOf(error), batch);
    }
  }

  /** A request is being answered: it can be cancelled, and ends with the connection. */
  keep(context: RequestContext): void {
    (this.running ??= new Map()).set(context.request.id, context);
  }

  /** A request gets its answer now. */
  finish(context: RequestContext): void {
    this.running?.delete(context.request.id);
    context.over = true;
    if (this.idle && this.open === 0) this.becomeIdle();
  }

  private becomeIdle(): void {
    for (const resolve of this.idle ?? []) resolve();
    this.idle = undefined;
  }

  /** What was at work on a request that was aborted has ended. */
  settled(): void {
    this.channel.late?.(-1);
  }

  refuse(id: RequestId | undefined, error: McpError, batch?: Batch): void {
    const { text, code } = refusal(id, error);
    this.respond(id, text, batch, code);
  }

  /** Sends the response to a request. */
  answer({ request, batch, reported }: RequestContext, text: string, rpcCode?: number): void {
    const { channel } = this;
    if (reported !== undefined && !batch && channel.sendApart) channel.sendApart(text, reported);
    else this.respond(request.id, text, batch, rpcCode);
  }

  /** Sends the error that a request failed with. */
  fail(context: RequestContext, error: McpError): void {
    const { text, code } = refusal(context.request.id, error);
    this.answer(context, text, code);
  }

  respond(id: RequestId | undefined, text: string, batch?: Batch, rpcCode?: number): void {
    if (batch) batch.answer(text);
    else if (this.channel.answer) this.channel.answer(id, text, rpcCode);
    else this.channel.send(text, id);
  }

  openSession(session: Session): void {
    this.session = session;
  }

  /**
   * Keeps so many more bytes for the client till it is gone, or `release` gives them back.
   *
   * @throws {McpError} `invalid-params`: too much is kept for this client; `limit-exceeded`: too much for all
   */
  reserve(bytes: number): void {
    if (this.reserved + bytes > mostReserved)
      throw invalidParams(`the server would have to keep more than ${mostReserved} bytes for this client`);
    if (this.channel.reserve?.(bytes) === false)
      throw new McpError("limit-exceeded", "the server keeps too much for its clients: try again later", {
        rpcCode: rpc.invalidRequest,
        data: { limit: "keptLimit" },
      });
    this.reserved += bytes;
  }

  release(bytes: number): void {
    this.reserved -= bytes;
    this.channel.reserve?.(-bytes);
  }

  /** Calls with each change until what is returned is called. */
  onChange(listener: (change: Change) => void): () => void {
    this.listeners = (this.listeners ?? new Set()).add(listener);
    return () => void this.listeners?.delete(listener);
  }

  /** Something that is offered is another now: the session is told, and whoever listens. */
  changed(change: Change): void {
    const { session } = this;
    if (session && (change.uri === undefined || session.watched?.has(change.uri))) this.tell(session, change);
    for (const listener of this.listeners ?? []) listener(change);
  }

  /** Notifies the client of a change; one that is not ready yet, when it is. */
  private tell(session: Session, change: Change): void {
    const { method, uri } = change;
    const capability = session.spoken.table.outgoingNotifications.get(method)?.capability;
    if (capability && !declares(session.declared, capability.path)) return;
    if (session.ready) this.notify(session.spoken, method, uri === undefined ? undefined : { uri });
    else (session.held ??= new Map()).set(`${method} ${uri}`, change);
  }

  /** The client is ready: what was held back is sent. */
  private becomeReady(session: Session): void {
    session.ready = true;
    for (const change of session.held?.values() ?? []) this.tell(session, change);
    session.held = undefined;
    this.own?.sendHeld();
  }

  /** A notification of the client's. */
  notified({ method, params }: NotificationMessage): void {
    if (method === "notifications/cancelled") return this.cancel(params);
    const { session } = this;
    if (method === readyMethod && session?.ready === false) this.becomeReady(session);
    const spoken = session?.spoken;
    if (method === "notifications/progress") return this.own?.progressed(params);
    const entry = spoken?.table.incomingNotifications.get(method);
    const handler = this.core.notificationHandlers.get(method);
    if (!spoken || !entry || !handler) return;
    if (!entry.accepts({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) })) return;
    const lifted = spoken.lift("incomingNotifications", method, params ?? {});
    // A handler of the author's: what it throws is no reason to stop.
    void Promise.resolve()
      .then(() => handler(lifted as never, { revision: spoken.id }))
      .catch((error: unknown) => this.core.report(error, { method }));
  }

  private cancel(params: Params | undefined): void {
    const context = this.running?.get(params?.["requestId"] as RequestId);
    if (!context) return;
    this.running?.delete(context.request.id);
    if (this.idle && this.open === 0) this.becomeIdle();
    const reason = params?.["reason"];
    context.abort(
      new McpError("cancelled", typeof reason === "string" ? reason : "the client cancelled the request"),
    );
    context.batch?.forgo();
    this.channel.late?.(1);
    this.channel.forgo?.(context.request.id);
  }

  disconnect(origin: RequestId, retryMs: number): void {
    this.channel.disconnect?.(origin, retryMs);
  }

  /** Sends a notification, if the revision has it. */
  notify(
    spoken: RevisionView<"server">,
    method: string,
    params: Params | undefined,
    origin?: RequestId,
  ): void {
    if (this.isOver || !spoken.table.outgoingNotifications.has(method)) return;
    const lowered = params && spoken.lower("outgoingNotifications", method, params);
    this.channel.send(notificationText(method, lowered), origin);
  }

  /**
   * Sends a request of the server's own (legacy era), once the client is ready.
   *
   * @param origin the client's request it is made for
   * @throws {McpError}
   */
  ask(
    protocol: RequestProtocol,
    method: string,
    params: Params | undefined,
    origin: RequestId,
    options: RequestOptions,
  ): Promise<Params> {
    if (this.deaf) return Promise.reject(silent());
    this.own ??= new ServerToClientRequests(this.core.timeouts, this.core.clock, {
      isReady: () => this.session?.ready !== false,
      send: (text, asked) => this.channel.send(text, asked),
      cancel: ({ spoken }, requestId, reason, asked) =>
        this.notify(spoken, "notifications/cancelled", { requestId, reason }, asked),
    });
    return this.own.ask(protocol, method, params, origin, options);
  }

  /** The client's answer to a request of the server's own. */
  answered(response: ResponseMessage): void {
    this.own?.answered(response);
  }

  /** Calls once when the server closes the connection in order. Returns what calls it off. */
  onClosing(closer: () => void): () => void {
    this.closers = (this.closers ?? new Set()).add(closer);
    return () => void this.closers?.delete(closer);
  }

  private end(why: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listeners = undefined;
    this.onClose(this);
    if (!this.running && !this.own) return;
    const reason = new McpError("connection-closed", why);
    this.channel.late?.(this.open);
    for (const context of this.running?.values() ?? []) context.abort(reason);
    this.running = undefined;
    this.becomeIdle();
    this.own?.end(reason);
  }
}

/** What fails that a client would have to answer which sends nothing more. */
function silent(): McpError {
  return new McpError("connection-closed", "the client sends nothing more");
}

/** The text of an error. Data of an author's error that is no JSON is left out. */
function refusal(
  id: RequestId | undefined,
  error: McpError,
): { readonly text: string; readonly code: number } {
  let code: number = rpc.internalError;
  try {
    const { message, data, rpcCode = code } = error;
    if (Number.isSafeInteger(rpcCode)) code = rpcCode;
    return { text: errorText(id, { code, message, ...(data === undefined ? {} : { data }) }), code };
  } catch {
    return { text: errorText(id, { code, message: messageOf(error) }), code };
  }
}
