import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { HeaderSource, Progress, RequestOptions } from "@mcpgen/protocol/model";
import type { Open } from "@mcpgen/protocol/open";
import {
  type AnyChannel,
  batchesUnsupported,
  type ClientChannel,
  clientChannelOf,
  type ClientReceiver,
  errorText,
  invalidRequest,
  isObject,
  isRequestId,
  isResponse,
  isSameId,
  JsonRpcPeer,
  McpError,
  messageOf,
  type MessageTaker,
  type NotificationMessage,
  notificationOf,
  notificationText,
  type Outgoing,
  type Params,
  type RequestId,
  type RequestMessage,
  requestText,
  type ResponseMessage,
  resultText,
  shortened,
  shortText,
  takeMessage,
  takeParsed,
  valueAt,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { metaKeys } from "../protocol/meta.js";
import { encodeHeaderValue, headerValue } from "../protocol/param-headers.js";
import { warning } from "../protocol/events.js";
import { type RevisionView, exactParams, sendError } from "../protocol/revision-view.js";
import { unbounded } from "./bounds.js";
import { type ClientProfile, eraOf } from "./client-profile.js";
import { type ServerResponse, invalidResult } from "./decode.js";
import type { DeclaredHeaders } from "./listed-tools.js";
import {
  type Called,
  type Numbered,
  type OriginatingRequest,
  exchangeThrough,
  originOf,
  peerOf,
} from "./middleware.js";
import { QuestionContext, type Questions } from "./questions.js";

/** The outcome of the negotiation. */
export interface Negotiated {
  readonly view: RevisionView<"client">;
  readonly serverInfo: Open<"Implementation"> | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** What all connections of a client share. */
export interface ConnectionParts {
  readonly profile: ClientProfile;
  readonly questions: Questions;
  readonly notifications: {
    /** Takes a notification of the server. */
    received(
      view: RevisionView<"client">,
      method: string,
      params: Params,
      request?: OriginatingRequest,
    ): void;
  };
}

/** The place of one message in a batch. */
export interface BatchPlace {
  /** Takes the message. Returns `false` if it must be sent alone: the batch was sent, or uses another connection. */
  take(connection: Connection, message: Outgoing): boolean;
  /** Gives the place up. Returns whether its message was waiting in the batch. */
  leave(): boolean;
}

/** A request, as it is sent. */
export interface Sending {
  readonly method: string;
  readonly options: RequestOptions;
  /** The parameters, given the request's id. @throws {McpError} */
  write(id: number): Params;
  /** The headers, on channels with headers. @throws {McpError} */
  headers(params: Params): Readonly<Record<string, string>>;
  /** The headers of the application for this request. */
  readonly added?: Headers | undefined;
  /** Receives the authorization of the request, on channels with authorization. */
  readonly authorized?: Outgoing["authorized"];
  readonly place?: BatchPlace | undefined;
  /** Receives the id of the request. */
  readonly numbered?: Numbered | undefined;
  /** When the request was first sent, if it is sent again. */
  readonly started?: number;
  /** The request of the application; the client's own requests have none. */
  readonly call?: Called;
}

/** How a notification is sent. */
interface Notifying {
  /** The request that it cancels. */
  readonly ends?: RequestId | undefined;
  readonly added?: Headers | undefined;
  readonly place?: BatchPlace | undefined;
}

/** What came last and answered no request is kept for errors, and characters of each. */
const mostStrays = 3;
const longestStray = 160;

type Headers = Readonly<Record<string, string>>;

const noHeaders: Headers = {};

/** The exchange of a transport that brings a message. */
interface Exchanged {
  /** The error of the transport that came with it. */
  readonly refusal?: Error | undefined;
  /** The request that it answers, whatever id it has. */
  readonly exchange?: RequestId | undefined;
  /** The only request of the exchange. */
  readonly origin?: RequestId | undefined;
}

/** The messages of one client over one channel, in both eras. */
export class Connection implements ClientReceiver, MessageTaker<Exchanged> {
  readonly channel: ClientChannel;
  /** The revision of the messages: the one that a handshake offers, or the negotiated one. */
  view: RevisionView<"client"> | undefined;
  /** Whether the server has answered anything yet. */
  hasAnswered = false;
  /** Listeners of progress that goes on after the answer, by token. */
  readonly later = new Map<unknown, (progress: Progress) => void>();
  readonly #parts: ConnectionParts;
  readonly #peer: JsonRpcPeer<ServerResponse, QuestionContext>;
  #negotiated: Negotiated | undefined;
  #end: McpError | undefined;
  readonly #strays: { readonly what: string; readonly at: number }[] = [];
  readonly #watchers = new Set<(why: McpError) => void>();

  constructor(channel: AnyChannel, parts: ConnectionParts) {
    const { timeouts, clock } = parts.profile;
    this.channel = clientChannelOf(channel);
    this.#parts = parts;
    this.#peer = new JsonRpcPeer({ timeouts, clock, meanwhile: (since) => this.#straysSince(since) });
    this.channel.open(this);
  }

  /** What the connection was negotiated to be. */
  get negotiated(): Negotiated {
    return this.#negotiated!;
  }

  set negotiated(negotiated: Negotiated) {
    this.#negotiated = negotiated;
    this.view = negotiated.view;
  }

  /** Why the connection has ended, if it has. */
  get over(): McpError | undefined {
    return this.#end;
  }

  /** Calls `callback` once when the connection ends, or now if it has ended. Returns a function that removes the callback. */
  whenClosed(callback: (why: McpError) => void): () => void {
    if (this.#end) callback(this.#end);
    else this.#watchers.add(callback);
    return () => void this.#watchers.delete(callback);
  }

  /** The number of requests that wait for answers. */
  get waiting(): number {
    return this.#peer.pending.size;
  }

  /**
   * Sends a request; resolves with the whole response.
   *
   * @throws {McpError} `timeout`, `cancelled`, `connection-closed`; `invalid-params`: the parameters cannot be written as JSON,
   *   or not as headers; `invalid-message`: they are not what the revision defines
   */
  request(sending: Sending): Promise<ServerResponse> {
    const { method, options, place, numbered, authorized, added } = sending;
    const { signal } = options;
    if (this.#end) return Promise.reject(this.#end);
    if (signal?.aborted)
      return Promise.reject(new McpError("cancelled", `${method} was cancelled`, { cause: signal.reason }));
    const { pending } = this.#peer;
    const id = pending.nextId();
    if (numbered) numbered.sentId = id;
    let outgoing: Outgoing;
    try {
      const params = sending.write(id);
      const text = requestText(id, method, params);
      const headers = this.channel.carriesHeaders ? sending.headers(params) : noHeaders;
      outgoing = { id, method, text, headers, authorized };
    } catch (error) {
      return Promise.reject(error instanceof McpError ? error : notJson(method, error));
    }
    const abandon = (why: McpError): void => {
      if (!place?.leave()) this.#cancel(id, why.message, added);
    };
    const answer = pending.wait(id, method, options, abandon, sending);
    if (!place?.take(this, outgoing)) this.channel.post(outgoing);
    return answer;
  }

  /**
   * Sends a request of the client itself, within `options` alone. Middleware sees it in the words of the revision.
   *
   * @param write the parameters that are sent, of those that middleware passes on
   */
  exchange(
    view: RevisionView<"client">,
    method: string,
    params: Params,
    options = unbounded,
    write = (given: Params, _id: number): Params => given,
  ): Promise<ServerResponse> {
    const sent = { method, params, signal: options.signal };
    return exchangeThrough(this.#parts.profile, view, sent, (given, numbered) =>
      this.request({
        method,
        options,
        numbered,
        write: (id) => exactParams(view, id, method, write(given, id)),
        headers: (written) => mirrorHeaders(view, method, written),
      }),
    );
  }

  /** Sends a notification, given in the authoring vocabulary. @throws {McpError} among others `invalid-message` */
  notify(method: string, params?: Params, { ends, added, place }: Notifying = {}): void {
    const view = this.view!;
    const lowered = params && view.lower("outgoingNotifications", method, params);
    const wrong = view.sends && sendError(view, "notifications", method, notificationOf(method, lowered));
    if (wrong) throw wrong;
    // A notification has no metadata of its sender, and its headers name the revision all the same.
    const _meta = { [metaKeys.protocolVersion]: view.id };
    this.#around("outgoing", method, lowered, (given) => {
      let text: string;
      try {
        text = notificationText(method, given);
      } catch (error) {
        throw notJson(method, error);
      }
      const headers = this.channel.carriesHeaders
        ? { ...added, ...mirrorHeaders(view, method, { ...lowered, _meta }) }
        : noHeaders;
      const outgoing = { text, method, headers, ends };
      if (!place?.take(this, outgoing)) this.channel.post(outgoing);
    });
  }

  failed(id: RequestId, error: Error): void {
    this.#peer.pending.take(id)?.reject(error);
  }

  /** Rejects all pending requests without a cancellation. */
  forget(why: McpError): void {
    this.#peer.pending.rejectAll(() => why);
  }

  disconnected(requestId: RequestId, retryMs: number | undefined): void {
    const request = this.#peer.pending.get(requestId);
    if (!request) return;
    this.emit({ type: "stream-disconnected", method: request.method, requestId, retryMs });
    request.onDisconnect?.(retryMs);
  }

  isSettled(id: RequestId): boolean {
    return this.#peer.pending.get(id) === undefined;
  }

  /** Resolves when the other side has closed, too. */
  async close(): Promise<void> {
    this.closed();
    await this.channel.close();
  }

  message(text: string, origin?: RequestId): void {
    takeMessage(text, this, origin === undefined ? origin : { origin });
  }

  parsed(value: unknown, refusal?: Error, exchange?: RequestId): void {
    takeParsed(value, this, { refusal, exchange, origin: exchange });
  }

  /** 2025-03-26 has batches; the client accepts them at every revision. */
  batched(messages: readonly unknown[], { refusal, exchange, origin }: Exchanged = {}): void {
    const responses = exchange === undefined ? [] : messages.filter(isResponse);
    const own = responses.find(({ id }) => isSameId(id, exchange!)) ?? responses[0];
    for (const each of messages) {
      const carrier = { refusal, exchange: each === own ? exchange : undefined, origin };
      if (Array.isArray(each)) this.refuse(undefined, invalidRequest(batchesUnsupported), carrier, each);
      else takeParsed(each, this, carrier);
    }
  }

  turn(): void {}

  tooLong(limit: number): void {
    // The dropped message may have been the answer to any request.
    this.forget(new McpError("message-too-long", `a message of the server was longer than ${limit} bytes`));
  }

  closed(reason?: Error): void {
    const why =
      reason instanceof McpError
        ? reason
        : new McpError("connection-closed", reason?.message ?? "the connection is closed", { cause: reason });
    this.forget(why);
    this.draining(why);
  }

  draining(why: McpError): void {
    if (this.#end) return;
    this.#end = why;
    this.#peer.running.end(why);
    for (const callback of this.#watchers) callback(why);
    this.#watchers.clear();
  }

  /** Cancels a request of this side: by the end of its exchange, or else by a message. */
  #cancel(requestId: RequestId, reason: string, added: Headers | undefined): void {
    if (this.view && eraOf(this.view).cancelsByExchange && this.channel.abandon(requestId)) return;
    this.#tell("notifications/cancelled", { requestId, reason }, { ends: requestId, added });
  }

  /** Sends a notification of the client itself. A failure is reported: it fails no handler, and no request that is given up. */
  #tell(method: string, params: Params, notifying?: Notifying): void {
    if (!this.view) return;
    try {
      this.notify(method, params, notifying);
    } catch (error) {
      this.#parts.questions.report(error, method);
    }
  }

  /** Runs the middleware for notifications around one. */
  #around(
    direction: "incoming" | "outgoing",
    method: string,
    params: Params | undefined,
    run: (params: Params | undefined) => void,
  ): void {
    const { profile } = this.#parts;
    profile.hooks.around(direction, method, params, peerOf(profile), this.view, run);
  }

  emit(event: Parameters<ClientProfile["hooks"]["emit"]>[0]): void {
    this.#parts.profile.hooks.emit(event);
  }

  answered(answer: ResponseMessage, { refusal, exchange }: Exchanged = {}): void {
    const id: unknown = answer.id;
    if (isRequestId(id)) this.hasAnswered = true;
    const request = this.#peer.settle(refusal ? { ...answer, refusal } : answer, exchange);
    if (!request) return this.#strayAnswer(answer);
    // An error may name no request: the server could not read it.
    if (request.id === id || (answer.error && (id === null || id === undefined))) return;
    this.emit(warning("response-id", shortText(id), request.method));
  }

  /** What is no message of JSON-RPC 2.0. An answer fails its request, a request gets the error, and all else is reported. */
  refuse(id: RequestId | undefined, error: McpError, carrier: Exchanged | undefined, given: unknown): void {
    const { message } = error;
    const isAsked = isObject(given) && typeof given["method"] === "string";
    if (isAsked && id !== undefined) {
      if (this.#asking) this.channel.reply(errorText(id, { code: rpc.invalidRequest, message }));
      return;
    }
    // An id alone is also in a line of a log.
    const isAnswer = isResponse(given) || (isObject(given) && given["jsonrpc"] === "2.0");
    const { pending } = this.#peer;
    const exchange = carrier?.exchange;
    const request =
      exchange !== undefined ? pending.take(exchange) : isAnswer ? pending.answered(id) : undefined;
    if (request) return request.reject(invalidResult(request.method, message, carrier?.refusal));
    // Some servers print to standard output.
    this.#strayText(error.code === "parse-error" ? String(given) : JSON.stringify(given));
  }

  /** A response that answers no request. Those of requests that were given up come late, and are in order. */
  #strayAnswer({ id, error }: ResponseMessage): void {
    const text = isObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
    const what = `${error ? "an error" : "an answer"} with the id ${shortText(id)}, which no request has${text}`;
    this.#noteStray(what);
    const number = Number(id);
    if (isSameId(id, number) && number > 0 && number <= this.#peer.pending.lastId) return;
    // The end of an exchange says which request it answers.
    if (this.channel.guaranteesReply) return;
    this.emit(warning("response-id", shortText(id)));
  }

  /** Keeps what answered no request: the errors of requests that time out quote it. */
  #noteStray(what: string): void {
    this.#strays.push({ what: shortened(what, longestStray), at: this.#parts.profile.clock.now() });
    if (this.#strays.length > mostStrays) this.#strays.shift();
  }

  #straysSince(time: number): string {
    const since = this.#strays.filter(({ at }) => at >= time).map(({ what }) => what);
    return since.length === 0 ? "" : `; meanwhile the server sent ${since.join(", and ")}`;
  }

  /** A text that is not a message. */
  #strayText(text: string): void {
    this.#noteStray(`text that is not a message: ${text}`);
    this.emit(warning("stray-output", text));
  }

  isRequest(method: string): boolean {
    const { view } = this;
    const { profile, questions } = this.#parts;
    return profile.nulls === "reject" || (view !== undefined && questions.isRequest(view, method));
  }

  /** The parameters of a message. Some languages write absent ones as null. */
  #paramsOf({ method, params = {} }: NotificationMessage): Params {
    if (params !== null || this.#parts.profile.nulls === "reject") return params;
    this.emit({ type: "nulls-ignored", method, members: ["/params"] });
    return {};
  }

  /** The view, if the server may send requests: in the modern era, they are ignored. */
  get #asking(): RevisionView<"client"> | undefined {
    return this.view && eraOf(this.view).serverRequests ? this.view : undefined;
  }

  /** Runs a request of the server and sends the response, unless the request is cancelled first. */
  requested(request: RequestMessage, carrier?: Exchanged): void {
    const view = this.#asking;
    if (!view) return;
    const { id, method } = request;
    const question = { id, method, params: this.#paramsOf(request) };
    const { running } = this.#peer;
    const { profile, questions } = this.#parts;
    const context = new QuestionContext(profile, view, question, {
      request: this.#originOf(carrier),
      notify: (progress) => this.#end ?? this.#tell("notifications/progress", progress),
    });
    running.start(id, context);
    const settle = (text: string): void => {
      if (!running.finish(id, context)) return;
      this.channel.reply(text);
      context.answered();
    };
    questions.answer(view, question, context).then(
      (result) => settle(resultText(id, result)),
      (error: unknown) => settle(failureText(id, questions.errorBody(view, error))),
    );
  }

  /** The request in whose exchange a message came, while it waits for its answer. */
  #originOf({ origin }: Exchanged = {}): OriginatingRequest | undefined {
    const sent = origin === undefined ? undefined : this.#peer.pending.get(origin)?.sending;
    const { call } = (sent ?? {}) as Partial<Sending>;
    return call && originOf(call);
  }

  notified(message: NotificationMessage, carrier?: Exchanged): void {
    const { method } = message;
    const params = this.#paramsOf(message);
    if (isObject(params))
      this.#around("incoming", method, params, () => this.#handle(method, params, carrier));
  }

  #handle(method: string, params: Params, carrier: Exchanged | undefined): void {
    const { view } = this;
    if (method === "notifications/progress") return this.#progressed(params);
    if (method === "notifications/cancelled")
      return this.#peer.cancelled(
        params,
        "the server cancelled the request",
        (ended) => view?.table.outgoingRequests.get(ended)?.listening ?? false,
      );
    try {
      if (view) this.#parts.notifications.received(view, method, params, this.#originOf(carrier));
    } catch {
      // A notification that cannot be read is dropped, such as one nested too deeply for the stack.
    }
  }

  #progressed(params: Params): void {
    const report = this.#peer.progressed(params);
    if (report) this.later.get(params["progressToken"])?.(report);
  }
}

/** The error for parameters that JSON cannot hold (a BigInt, a cycle, a getter that throws); nothing was sent. */
function notJson(method: string, cause: unknown): McpError {
  const text = `${method}: the parameters cannot be written as JSON: ${messageOf(cause)}`;
  return new McpError("invalid-params", text, { cause });
}

/** The error response; a generic one if the data of the error cannot be written as JSON. */
function failureText(id: RequestId, error: ReturnType<Questions["errorBody"]>): string {
  try {
    return errorText(id, error);
  } catch {
    return errorText(id, { code: rpc.internalError, message: "the client failed to answer" });
  }
}

/**
 * The headers that mirror a message (2026-07-28, Streamable HTTP, request metadata). Earlier revisions mirror only the
 * negotiated revision.
 *
 * @param params as they are sent
 * @param declared the headers that the called tool declares for its arguments
 * @throws {McpError} `invalid-params`: a header cannot carry a value
 */
export function mirrorHeaders(
  view: RevisionView<"client">,
  method: string,
  params: Params | undefined,
  declared?: DeclaredHeaders,
): Record<string, string> {
  const { table } = view;
  const headers: Record<string, string> = {};
  const own = table.outgoingRequests.get(method)?.headers ?? [];
  for (const source of [...table.headers, ...own]) {
    const value = mirroredValue(source, view, { method, params });
    if (value !== undefined) headers[source.header] = encodeHeaderValue(value);
  }
  for (const { name, path } of declared?.headers ?? []) {
    try {
      const value = headerValue(valueAt(declared!.args, path));
      if (value !== undefined) headers[name] = value;
    } catch (error) {
      throw new McpError("invalid-params", `arguments.${path.join(".")}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  return headers;
}

/** A header without a source holds the negotiated revision; `initialize` has none yet. */
function mirroredValue(
  { from }: HeaderSource,
  { id }: RevisionView,
  message: { readonly method: string; readonly params: Params | undefined },
): string | undefined {
  if (!from) return message.method === "initialize" ? undefined : id;
  const value = valueAt(message, from);
  return typeof value === "string" ? value : undefined;
}
