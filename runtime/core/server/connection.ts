import { beforeHandshake, negotiate, type Session } from "../era/legacy-server.js";
import { isModern, modernTerms, unsupportedVersion } from "../era/modern-server.js";
import type { Spoken } from "../era/spoken.js";
import { summary } from "../era/spoken.js";
import { McpError, invalidParams, invalidRequest, messageOf, rpc } from "../peer/errors.js";
import {
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  errorText,
  idOf,
  isObject,
  isPromise,
  isRequestId,
  notificationText,
  requestText,
  resultText,
} from "../peer/message.js";
import { Batch } from "../peer/batch.js";
import { Pending } from "../peer/pending.js";
import type { Channel, Receiver } from "../transport/channel.js";
import type { RequestOptions } from "@mcpgen/protocol/model";
import type { Change } from "./changes.js";
import { RequestContext, errorOf } from "./context.js";
import type { ServerCore } from "./core.js";
import { declares } from "../era/declares.js";
import { Prepared } from "./prepared.js";
import { type Rounds, openRounds, sealRounds } from "./rounds.js";
import type { Terms } from "./terms.js";

/** What a transport knows of a connection beside its messages. */
export interface ConnectionOptions {
  /** Who is at the other end: handlers see it as `context.auth`. */
  readonly auth?: unknown;
  /** Name of who is at the other end; state of a multi round-trip request is good for nobody else. */
  readonly principal?: string;
}

/** One client of a server: reads its messages, has them answered, and tells it of changes. */
export class ServerConnection implements Receiver {
  readonly core: ServerCore;
  /** Who sends what comes now; a transport that finds it out for each request sets it before. */
  auth: unknown;
  /** What the handshake settled, if there was one. */
  session: Session | undefined;
  private readonly principal: string;
  private readonly channel: Channel;
  private readonly onClose: (connection: ServerConnection) => void;
  private running: Map<RequestId, RequestContext> | undefined;
  private pending: Pending<ResponseMessage> | undefined;
  private listeners: Set<(change: Change) => void> | undefined;
  private closers: Set<() => void> | undefined;
  private ended = false;

  constructor(
    core: ServerCore,
    channel: Channel,
    options: ConnectionOptions,
    onClose: (connection: ServerConnection) => void,
  ) {
    this.core = core;
    this.channel = channel;
    this.auth = options.auth;
    this.principal = options.principal ?? "";
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

  closed(): void {
    this.end("the client is gone");
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
    if (Array.isArray(message)) this.batch(message);
    else this.receiveOne(message);
  }

  private receiveOne(message: unknown, batch?: Batch): void {
    if (!isObject(message) || message["jsonrpc"] !== "2.0")
      return this.refuse(idOf(message), invalidRequest("not a JSON-RPC 2.0 message"), batch);
    if (typeof message["method"] === "string") {
      if (!("id" in message)) return this.notification(message as unknown as NotificationMessage);
      if (isRequestId(message["id"]))
        return this.request(message as unknown as RequestMessage, undefined, batch);
      return this.refuse(undefined, invalidRequest("the id of a request is a string or an integer"), batch);
    }
    if ("result" in message || "error" in message)
      return this.response(message as unknown as ResponseMessage);
    this.refuse(idOf(message), invalidRequest("neither a request, a notification nor a response"), batch);
  }

  private batch(messages: readonly unknown[]): void {
    if (!this.session?.spoken.table.batches)
      return this.refuse(undefined, invalidRequest("batches are not supported"));
    if (messages.length === 0) return this.refuse(undefined, invalidRequest("the batch is empty"));
    // Channels that know answers from other messages gather them, too.
    const batch = this.channel.answer
      ? undefined
      : new Batch(messages.filter(isAnswered).length, (text) => this.channel.send(text));
    for (const message of messages) {
      if (isObject(message) && message["method"] === "initialize" && "id" in message)
        this.refuse(idOf(message), invalidRequest("initialize is never part of a batch"), batch);
      else if (Array.isArray(message))
        this.refuse(undefined, invalidRequest("a batch holds no batches"), batch);
      else this.receiveOne(message, batch);
    }
  }

  /**
   * @param given the terms, where the transport knows them already
   * @param batch that it came in
   */
  request(request: RequestMessage, given?: Terms, batch?: Batch): void {
    let context: RequestContext;
    try {
      const terms = given ?? this.termsOf(request);
      const entry = terms.spoken.table.incomingRequests.get(request.method);
      const handler = this.core.handlers.get(request.method);
      if (!entry || entry.payload || !handler) throw methodNotFound(terms, request.method);
      if (this.running?.has(request.id)) throw invalidRequest("a request of this id is being answered");
      context = new RequestContext(this, request, terms, entry);
      if (batch) context.batch = batch;
      if (!entry.accepts(request)) return this.wait(context, this.explain(context));
      if (entry.multiRoundTrip && isRetry(request)) return this.wait(context, this.resume(context));
      this.run(context);
    } catch (error) {
      this.refuse(request.id, errorOf(error), batch);
    }
  }

  /** Calls the handler; an answer that is there at once makes no promise. */
  private run(context: RequestContext): void {
    let result: Params | Prepared | Promise<Params | Prepared>;
    try {
      result = this.call(context);
    } catch (error) {
      return this.fail(context, error);
    }
    if (isPromise(result)) this.wait(context, result);
    else this.answer(context, result);
  }

  private call(context: RequestContext): Params | Prepared | Promise<Params | Prepared> {
    const { method, params } = context.request;
    const lifted = context.terms.spoken.lift("incomingRequests", method, params ?? {});
    return this.core.handlers.get(method)!(lifted as never, context);
  }

  private wait(context: RequestContext, result: Promise<Params | Prepared>): void {
    const { id } = context.request;
    (this.running ??= new Map()).set(id, context);
    result.then(
      (value) => this.answer(context, value),
      (error: unknown) => this.fail(context, error),
    );
  }

  /** Takes a multi round-trip request up where its last round left it. */
  private async resume(context: RequestContext): Promise<Params | Prepared> {
    const { core, principal } = this;
    context.rounds = await openRounds(context.request, core.seal, principal, core.clock.now());
    return this.call(context);
  }

  private answer(context: RequestContext, result: Params | Prepared): void {
    if (context.over) return;
    if (context.rounds?.wanted.size) {
      this.core.warn(
        `${context.request.method}: the handler went on though an ask had no answer yet; its result is dropped`,
      );
      return this.suspend(context, context.rounds);
    }
    let text: string;
    try {
      text = this.textOf(context, result);
    } catch (error) {
      return this.fail(context, error);
    }
    this.finish(context);
    this.respond(context.request.id, resultText(context.request.id, text), context.batch);
  }

  private textOf({ terms, request, entry, hints }: RequestContext, result: Params | Prepared): string {
    const finished = (value: Params, given = hints): string => {
      const lowered = terms.spoken.lower("outgoingResults", request.method, value);
      return JSON.stringify(terms.era.finish(lowered, entry, given, this.core));
    };
    return result instanceof Prepared
      ? result.text(terms.spoken, () => finished(result.value, result.hints))
      : finished(result);
  }

  private fail(context: RequestContext, thrown: unknown): void {
    if (context.over) return;
    if (context.rounds?.wanted.size) return this.suspend(context, context.rounds);
    const error = errorOf(thrown);
    if (error.code === "internal-error" && error.cause !== undefined)
      this.core.warn(`${context.request.method}: ${messageOf(error.cause)}`);
    this.finish(context);
    this.refuse(context.request.id, error, context.batch);
  }

  /** Answers with what the handler asked for; the request ends here, and its retry is another. */
  private suspend(context: RequestContext, rounds: Rounds): void {
    const { core, principal } = this;
    const inputRequests = Object.fromEntries(rounds.wanted);
    const { request } = context;
    void sealRounds(rounds, request, core.seal, principal, core.clock.now()).then(
      (requestState) => {
        if (context.over) return;
        this.finish(context);
        const asking = { resultType: "input_required", inputRequests, requestState };
        const { cacheable: _, ...entry } = context.entry;
        const result = context.terms.era.finish(asking, entry, context.hints, core, asking.resultType);
        this.respond(request.id, resultText(request.id, JSON.stringify(result)), context.batch);
      },
      (error: unknown) => {
        rounds.wanted.clear();
        this.fail(context, error);
      },
    );
  }

  private finish(context: RequestContext): void {
    this.running?.delete(context.request.id);
    context.over = true;
  }

  /** Says what is wrong with a request that was refused. */
  private async explain({ request, terms, entry }: RequestContext): Promise<never> {
    const issues = await terms.spoken.issues(request, entry).catch(() => []);
    const message = summary(issues, `not what ${request.method} takes`);
    throw invalidParams(message);
  }

  private refuse(id: RequestId | undefined, error: McpError, batch?: Batch): void {
    const { message, data, rpcCode = rpc.internalError } = error;
    const body = { code: rpcCode, message, ...(data === undefined ? {} : { data }) };
    this.respond(id, errorText(id, body), batch, rpcCode);
  }

  private respond(id: RequestId | undefined, text: string, batch?: Batch, rpcCode?: number): void {
    if (batch) batch.answer(text);
    else if (this.channel.answer) this.channel.answer(id, text, rpcCode);
    else this.channel.send(text, id);
  }

  private termsOf(request: RequestMessage): Terms {
    const { core } = this;
    const servesModern = core.spoken[0]!.era === "modern";
    if (isModern(request) && servesModern) return modernTerms(core, request);
    if (request.method === "initialize") {
      const version = request.params?.["protocolVersion"];
      const spoken = negotiate(core, version);
      if (!spoken) throw unsupportedVersion(core, version);
      return beforeHandshake(spoken);
    }
    if (this.session) return this.session;
    const oldest = core.spoken.at(-1)!;
    if (request.method === "ping" && oldest.era === "legacy") return beforeHandshake(oldest);
    if (servesModern) return modernTerms(core, request);
    throw invalidRequest("the session has not been opened: send initialize first");
  }

  openSession(session: Session): void {
    this.session = session;
  }

  /** Calls with each change until what is returned is called. */
  onChange(listener: (change: Change) => void): () => void {
    this.listeners = (this.listeners ?? new Set()).add(listener);
    return () => void this.listeners?.delete(listener);
  }

  /** Something that is offered is another now: the session is told, and whoever listens. */
  changed(change: Change): void {
    const { method, uri } = change;
    const { session } = this;
    if (session && (uri === undefined || session.watched?.has(uri))) {
      const capability = session.spoken.table.outgoingNotifications.get(method)?.capability;
      if (!capability || declares(session.declared, capability.path))
        this.notify(session.spoken, method, uri === undefined ? undefined : { uri });
    }
    for (const listener of this.listeners ?? []) listener(change);
  }

  private notification({ method, params }: NotificationMessage): void {
    if (method === "notifications/cancelled") return this.cancel(params);
    const spoken = this.session?.spoken;
    if (method === "notifications/progress") return this.progress(params);
    const entry = spoken?.table.incomingNotifications.get(method);
    const handler = this.core.notificationHandlers.get(method);
    if (!spoken || !entry || !handler) return;
    if (!entry.accepts({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) })) return;
    const lifted = spoken.lift("incomingNotifications", method, params ?? {});
    // A handler of the author's: what it throws is no reason to stop.
    void Promise.resolve()
      .then(() => handler(lifted as never, { revision: spoken.id }))
      .catch((error: unknown) => this.core.warn(`${method}: ${messageOf(error)}`));
  }

  private cancel(params: Params | undefined): void {
    const context = this.running?.get(params?.["requestId"] as RequestId);
    if (!context) return;
    this.running?.delete(context.request.id);
    const reason = params?.["reason"];
    context.abort(
      new McpError("cancelled", typeof reason === "string" ? reason : "the client cancelled the request"),
    );
    context.batch?.forgo();
    this.channel.forgo?.(context.request.id);
  }

  private progress(params: Params | undefined): void {
    const waiting = this.pending?.get(params?.["progressToken"] as RequestId);
    waiting?.progressed();
  }

  disconnect(origin: RequestId, retryMs: number): void {
    this.channel.disconnect?.(origin, retryMs);
  }

  /** Sends a notification, if the revision has it. */
  notify(spoken: Spoken<"server">, method: string, params: Params | undefined, origin?: RequestId): void {
    if (this.ended || !spoken.table.outgoingNotifications.has(method)) return;
    const lowered = params && spoken.lower("outgoingNotifications", method, params);
    this.channel.send(notificationText(method, lowered), origin);
  }

  /**
   * Sends a request of the server's own (legacy era).
   *
   * @param origin the client's request it is made for
   * @throws {McpError}
   */
  async ask(
    terms: Terms,
    method: string,
    params: Params | undefined,
    origin: RequestId,
    options: RequestOptions,
  ): Promise<Params> {
    const entry = terms.spoken.table.outgoingRequests.get(method);
    if (!entry || entry.payload)
      throw new McpError("missing-capability", `revision ${terms.spoken.id} has no ${method}`);
    if (options.signal?.aborted)
      throw new McpError("cancelled", `${method}: nobody waits for the answer any more`);
    const pending = (this.pending ??= new Pending(this.core.timeouts, this.core.clock));
    const id = pending.nextId();
    // With a token the client may tell that it is at work, which puts the timeout off.
    const told = { ...params, _meta: { ...params?._meta, progressToken: id } };
    const lowered = terms.spoken.lower("outgoingRequests", method, told);
    const answer = pending.wait(id, method, options, ({ message }) =>
      this.notify(terms.spoken, "notifications/cancelled", { requestId: id, reason: message }, origin),
    );
    this.channel.send(requestText(id, method, lowered), origin);
    const { result, error } = await answer;
    if (error) throw new McpError("remote-error", error.message, { data: error });
    if (!result || !entry.result?.accepts(result))
      throw new McpError(
        "invalid-result",
        `${method}: the client's answer is not one: ${summary(await terms.spoken.issues(result, entry.result!), "not an object")}`,
      );
    return terms.spoken.lift("incomingResults", method, result);
  }

  private response(response: ResponseMessage): void {
    if (response.id !== undefined) this.pending?.take(response.id)?.resolve(response);
  }

  /** Calls once when the server closes the connection in order. Returns what calls it off. */
  onClosing(closer: () => void): () => void {
    this.closers = (this.closers ?? new Set()).add(closer);
    return () => void this.closers?.delete(closer);
  }

  private end(why: string): void {
    if (this.ended) return;
    this.ended = true;
    this.listeners = undefined;
    this.onClose(this);
    if (!this.running && !this.pending) return;
    const reason = new McpError("connection-closed", why);
    for (const context of this.running?.values() ?? []) context.abort(reason);
    this.running = undefined;
    this.pending?.rejectAll(() => reason);
  }
}

/** Whether a request brings what an earlier round asked for. */
function isRetry({ params }: RequestMessage): boolean {
  return params?.["requestState"] !== undefined || params?.["inputResponses"] !== undefined;
}

/** Whether a message of a batch gets an answer: requests do, and what cannot be read. */
function isAnswered(message: unknown): boolean {
  if (!isObject(message) || message["jsonrpc"] !== "2.0") return true;
  if (typeof message["method"] === "string") return "id" in message;
  return !("result" in message || "error" in message);
}

function methodNotFound({ spoken }: Terms, method: string): McpError {
  return new McpError("method-not-found", `there is no method ${JSON.stringify(method)} at ${spoken.id}`, {
    rpcCode: rpc.methodNotFound,
  });
}
