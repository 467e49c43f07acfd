import type { Progress, RequestOptions } from "@mcpgen/protocol/model";
import type { Clock } from "../time/clock.js";
import { shortText, shortened } from "../jsonrpc/foreign-text.js";
import { warning } from "../protocol/events.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import {
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  classify,
  errorText,
  idOf,
  isObject,
  isRequestId,
  isResponse,
  isSameId,
  notificationText,
  requestText,
  resultText,
  withoutNullId,
} from "../jsonrpc/message.js";
import { JsonRpcPeer, progressOf } from "../jsonrpc/peer.js";
import type { Timeouts } from "../jsonrpc/pending.js";
import {
  type AnyChannel,
  type ClientChannel,
  type ClientReceiver,
  type Outgoing,
  clientChannelOf,
} from "../jsonrpc/channel.js";
import type { ServerResponse } from "./decode.js";
import type { ClientProfile } from "./client-profile.js";
import { errorBody } from "./server-messages.js";
import type * as platform from "../platform/platform.js";
import type { AnswerContext } from "./middleware.js";

/** Handles the messages that the server starts, and the end of the link. */
interface LinkListener {
  /** Answers a request of the server; absent in the modern era, where such requests are ignored. */
  readonly answer?: AnswerRequest;
  readonly notified: (method: string, params: Params) => void;
  /** Whether servers ask by a method. */
  readonly isRequest: (method: string) => boolean;
  /** Sends a notification in the words of the revision; `ends` is the request that it cancels. Absent without a revision. */
  readonly notify?: (method: string, params: Params, ends?: RequestId) => void;
  readonly closed: (reason: McpError) => void;
  /** Whether the server may end requests of a method by cancelling them. */
  readonly ends: (method: string) => boolean;
  /** Runs the middleware for notifications around one. */
  readonly around?: (
    direction: "incoming" | "outgoing",
    method: string,
    params: Params | undefined,
    run: (params: Params | undefined) => void,
  ) => void;
  /** Whether ending the exchange of an abandoned request cancels it, on transports with exchanges. */
  readonly abandons?: boolean;
}

/** The place of one message in a batch. */
export interface BatchPlace {
  /** Takes the message. Returns `false` if it must be sent alone: the batch was sent, or uses another link. */
  take(link: Link, message: Outgoing): boolean;
  /** Gives the place up. Returns whether its message was waiting in the batch. */
  leave(): boolean;
}

/** How a notification is sent. */
export interface Notifying {
  /** The request that it cancels. */
  readonly ends?: RequestId | undefined;
  /** Its place in a batch. */
  readonly place?: BatchPlace | undefined;
}

/** How one request is sent. */
export interface Sending {
  /** Whether `notifications/cancelled` is sent when the request is given up. */
  readonly cancellable?: boolean;
  /** The headers of a message, for channels with headers. */
  readonly headers?: (method: string, params: Params | undefined) => Readonly<Record<string, string>>;
  /** Receives the authorization of the request, on channels with authorization. */
  readonly authorized?: ((authorization: string | undefined) => void) | undefined;
  /** The place of the request in a batch. */
  readonly place?: BatchPlace | undefined;
  /** Receives the id of the request. */
  readonly sent?: { sentId?: RequestId | undefined } | undefined;
}

/** What came last and answered no request is kept for errors, and characters of each. */
const mostStrays = 3;
const longestStray = 160;

/** The part of the client's profile that a link needs. */
type LinkProfile = Pick<ClientProfile, "timeouts" | "clock" | "hooks" | "nulls">;

const noHeaders: Readonly<Record<string, string>> = {};

/** The requests and responses of one client over one channel, in both eras. */
export class Link implements ClientReceiver {
  listener: LinkListener | undefined;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  /** Whether the server has answered anything yet. */
  answered = false;
  /** Listeners of progress that goes on after the answer, by token. */
  readonly later = new Map<unknown, (progress: Progress) => void>();
  readonly #channel: ClientChannel;
  readonly #emit: LinkProfile["hooks"]["emit"];
  readonly #nulls: LinkProfile["nulls"];
  readonly #peer: JsonRpcPeer<ServerResponse, ServerRequest>;
  #end: McpError | undefined;
  readonly #strays: { readonly what: string; readonly at: number }[] = [];
  readonly #watchers = new Set<(why: McpError) => void>();

  constructor(channel: AnyChannel, { timeouts, clock, hooks, nulls }: LinkProfile) {
    this.#channel = clientChannelOf(channel);
    this.timeouts = timeouts;
    this.clock = clock;
    this.#emit = hooks.emit;
    this.#nulls = nulls;
    this.#peer = new JsonRpcPeer({ timeouts, clock, meanwhile: (since) => this.#straysSince(since) });
    this.#channel.open(this);
  }

  /** Whether the channel guarantees that each request is answered or fails. */
  get guaranteesReply(): boolean {
    return this.#channel.guaranteesReply;
  }

  /** Why the link has ended, if it has. */
  get over(): McpError | undefined {
    return this.#end;
  }

  /** Calls `callback` once when the link ends, or now if it has ended. Returns a function that removes the callback. */
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
   * @param make the parameters, given the request's id
   * @param started when the request was first sent, if it is sent again
   * @throws {McpError} `timeout`, `cancelled`, `connection-closed`; `invalid-params`: the parameters cannot be written as JSON;
   *   `invalid-message`: they are not what the revision defines
   */
  request(
    method: string,
    make: (id: number) => Params | undefined,
    options: RequestOptions = {},
    { cancellable = true, headers, authorized, place, sent }: Sending = {},
    started?: number,
  ): Promise<ServerResponse> {
    if (this.#end) return Promise.reject(this.#end);
    if (options.signal?.aborted)
      return Promise.reject(
        new McpError("cancelled", `${method} was cancelled`, { cause: options.signal.reason }),
      );
    const id = this.#peer.pending.nextId();
    if (sent) sent.sentId = id;
    let params: Params | undefined;
    let text: string;
    try {
      params = make(id);
      text = requestText(id, method, params);
    } catch (error) {
      return Promise.reject(error instanceof McpError ? error : notJson(method, error));
    }
    const channel = this.#channel;
    const abandon = ({ message }: McpError): void => {
      if (place?.leave()) return;
      if (this.listener?.abandons && channel.abandon(id)) return;
      if (!cancellable) return;
      const cancelled = { requestId: id, reason: message };
      if (this.listener?.notify) this.listener.notify("notifications/cancelled", cancelled, id);
      else this.notify("notifications/cancelled", cancelled, headers, { ends: id });
    };
    const outgoing = { id, method, text, headers: this.#headersOf(headers, method, params), authorized };
    const answer = this.#peer.pending.wait(id, method, options, abandon, started);
    if (!place?.take(this, outgoing)) channel.post(outgoing);
    return answer;
  }

  /** Whether the channel can send batches. */
  get batches(): boolean {
    return this.#channel.postBatch !== undefined;
  }

  /** Sends messages as one JSON-RPC batch. */
  postBatch(messages: readonly Outgoing[]): void {
    this.#channel.postBatch!(messages);
  }

  notify(
    method: string,
    params: Params | undefined,
    headers?: Sending["headers"],
    { ends, place }: Notifying = {},
  ): void {
    this.#around("outgoing", method, params, (given) => {
      let text: string;
      try {
        text = notificationText(method, given);
      } catch (error) {
        throw notJson(method, error);
      }
      const outgoing = { text, method, headers: this.#headersOf(headers, method, given), ends };
      if (!place?.take(this, outgoing)) this.#channel.post(outgoing);
    });
  }

  #around(
    direction: "incoming" | "outgoing",
    method: string,
    params: Params | undefined,
    run: (params: Params | undefined) => void,
  ): void {
    const around = this.listener?.around;
    if (around) around(direction, method, params, run);
    else run(params);
  }

  #headersOf(
    headers: Sending["headers"],
    method: string,
    params: Params | undefined,
  ): Readonly<Record<string, string>> {
    return headers && this.#channel.carriesHeaders ? headers(method, params) : noHeaders;
  }

  /** Whether the channel sends headers that mirror messages. */
  get mirrors(): boolean {
    return this.#channel.carriesHeaders;
  }

  /** The current authorization of requests; empty if there is none, `undefined` if it cannot be compared. */
  authorization(signal: platform.AbortSignal): string | undefined | Promise<string | undefined> {
    return this.#channel.authorization(signal);
  }

  /** Gives the negotiated headers to channels that repeat them with each message. */
  setProtocolHeaders(headers: Readonly<Record<string, string>>): void {
    this.#channel.setProtocolHeaders(headers);
  }

  failed(id: RequestId, error: Error): void {
    this.#peer.pending.take(id)?.reject(error);
  }

  /** Rejects all pending requests without a cancellation. */
  forget(why: McpError): void {
    this.#peer.pending.rejectAll(() => why);
  }

  isSettled(id: RequestId): boolean {
    return this.#peer.pending.get(id) === undefined;
  }

  /** Resolves when the other side has closed, too. */
  async close(): Promise<void> {
    this.closed();
    await this.#channel.close();
  }

  message(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // Some servers print to standard output.
      return this.#strayText(text);
    }
    this.parsed(message);
  }

  parsed(value: unknown, refusal?: Error, exchange?: RequestId): void {
    if (!Array.isArray(value)) return this.#receive(value, refusal, exchange);
    // 2025-03-26 has batches; the client accepts them at every revision.
    const messages: readonly unknown[] = value;
    const responses = exchange === undefined ? [] : messages.filter(isResponse);
    const own = responses.find(({ id }) => isSameId(id, exchange!)) ?? responses[0];
    for (const each of messages) this.#receive(each, refusal, each === own ? exchange : undefined);
  }

  turn(): void {}

  tooLong(limit: number): void {
    const error = new McpError("message-too-long", `a message of the server was longer than ${limit} bytes`);
    // The dropped message may have been the answer to any request.
    this.#peer.pending.rejectAll(() => error);
  }

  closed(reason?: Error): void {
    const why =
      reason instanceof McpError
        ? reason
        : new McpError("connection-closed", reason?.message ?? "the connection is closed", { cause: reason });
    this.#peer.pending.rejectAll(() => why);
    this.draining(why);
  }

  draining(why: McpError): void {
    if (this.#end) return;
    this.#end = why;
    this.#peer.running.end(why);
    for (const callback of this.#watchers) callback(why);
    this.#watchers.clear();
    this.listener?.closed(why);
  }

  /** @param exchange the request that the message answers if it is a response: the transport says so */
  #receive(message: unknown, refusal?: Error, exchange?: RequestId): void {
    if (!isObject(message)) return this.#strayText(JSON.stringify(message));
    const { method, id } = message;
    if (typeof method !== "string") {
      if (isResponse(message)) this.#answered(message as ServerResponse, refusal, exchange);
      else if (isRequestId(id)) this.#answered(message as unknown as ServerResponse, refusal);
      else this.#strayText(JSON.stringify(message));
      return;
    }
    const plain = this.#withoutNulls(method, message);
    const { params = {} } = plain;
    if (plain["id"] !== undefined) this.#requested(plain as unknown as RequestMessage);
    else if (isObject(params)) this.#notified(plain as unknown as NotificationMessage);
  }

  /** @param exchange the request that a response of any id answers: the transport says so */
  #answered(answer: ServerResponse, refusal?: Error, exchange?: RequestId): void {
    const id: unknown = answer.id;
    if (isRequestId(id)) this.answered = true;
    const request =
      exchange === undefined ? this.#peer.pending.answered(id) : this.#peer.pending.take(exchange);
    if (!request) return this.#strayAnswer(answer);
    request.resolve(refusal ? { ...answer, refusal } : answer);
    // An error may name no request: the server could not read it.
    if (request.id === id || (answer.error && (id === null || id === undefined))) return;
    this.#emit(warning("response-id", shortText(id), request.method));
  }

  /** A response that answers no request. Those of requests that were given up come late, and are in order. */
  #strayAnswer({ id, error }: ServerResponse): void {
    const text = isObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
    const what = `${error ? "an error" : "an answer"} with the id ${shortText(id)}, which no request has${text}`;
    this.#noteStray(what);
    const number = Number(id);
    if (isSameId(id, number) && number > 0 && number <= this.#peer.pending.lastId) return;
    // The end of an exchange says which request it answers.
    if (this.#channel.guaranteesReply) return;
    this.#emit(warning("response-id", shortText(id)));
  }

  /** Keeps what answered no request: the errors of requests that time out quote it. */
  #noteStray(what: string): void {
    this.#strays.push({ what: shortened(what, longestStray), at: this.clock.now() });
    if (this.#strays.length > mostStrays) this.#strays.shift();
  }

  #straysSince(time: number): string {
    const since = this.#strays.filter(({ at }) => at >= time).map(({ what }) => what);
    return since.length === 0 ? "" : `; meanwhile the server sent ${since.join(", and ")}`;
  }

  /** A text that is not a message. */
  #strayText(text: string): void {
    this.#noteStray(`text that is not a message: ${text}`);
    this.#emit(warning("stray-output", text));
  }

  /** Some languages write absent members as null: the parameters, and the id of a notification. */
  #withoutNulls(method: string, message: Record<string, unknown>): Record<string, unknown> {
    if ((message["params"] !== null && message["id"] !== null) || this.#nulls === "reject") return message;
    const isRequest = (name: string): boolean => this.listener?.isRequest(name) ?? false;
    const { params, ...others } = withoutNullId(message, isRequest, this.#emit) as Record<string, unknown>;
    if (params !== null) return { ...others, params };
    this.#emit({ type: "nulls-ignored", method, members: ["/params"] });
    return others;
  }

  #requested(request: RequestMessage): void {
    const answer = this.listener?.answer;
    if (!answer) return;
    const kind = classify({ ...request, jsonrpc: "2.0" });
    if (typeof kind === "string") return this.#answer(request, answer);
    // Without its id, a request cannot be answered.
    if (idOf(request) === undefined) return this.#strayText(JSON.stringify(request));
    this.#channel.reply(errorText(request.id, { code: rpc.invalidRequest, message: kind.problem }));
  }

  /** Runs a request of the server and sends the response, unless the request is cancelled first. */
  #answer(request: RequestMessage, answer: AnswerRequest): void {
    const { id } = request;
    const { running } = this.#peer;
    const context = new ServerRequest(request, (method, params) => {
      if (!this.#end) this.listener?.notify?.(method, params);
    });
    running.start(id, context);
    const settle = (text: string): void => {
      if (!running.finish(id, context)) return;
      this.#channel.reply(text);
      context.answered();
    };
    answer(request, context).then(
      (result) => settle(resultText(id, result)),
      (error: unknown) => settle(failureText(id, error)),
    );
  }

  #notified({ method, params = {} }: NotificationMessage): void {
    this.#around("incoming", method, params, () => this.#handle(method, params));
  }

  #handle(method: string, params: Params): void {
    if (method === "notifications/progress") return this.#progressed(params);
    if (method === "notifications/cancelled")
      return this.#peer.cancelled(
        params,
        "the server cancelled the request",
        (ended) => this.listener?.ends(ended) ?? false,
      );
    try {
      this.listener?.notified(method, params);
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
  return new McpError(
    "invalid-params",
    `${method}: the parameters cannot be written as JSON: ${messageOf(cause)}`,
    {
      cause,
    },
  );
}

type Notify = (method: string, params: Params) => void;

/** Runs a request of the server. Resolves with the result as JSON. */
type AnswerRequest = (request: RequestMessage, context: AnswerContext) => Promise<string>;

/** The context of one request of the server. Creates the signal on first use: it costs more than a ping. */
class ServerRequest implements AnswerContext {
  readonly #request: RequestMessage;
  readonly #notify: Notify;
  lastProgress = -Infinity;
  /** It was answered or cancelled. */
  over = false;
  #controller: AbortController | undefined;
  #cancelled: { readonly why: McpError } | undefined;
  /** Of progress that goes on after the answer. */
  #lastingMeta: Params | undefined;
  #onAnswered: (() => void) | undefined;

  constructor(request: RequestMessage, notify: Notify) {
    this.#request = request;
    this.#notify = notify;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort(this.#cancelled.why);
    }
    return this.#controller.signal;
  }

  get method(): string {
    return this.#request.method;
  }

  // Does not depend on `this`: handlers may destructure the context.
  get progress(): AnswerContext["progress"] {
    return (progress, total, message) => {
      if (this.over) return;
      const token = this.#request.params?._meta?.["progressToken"];
      const report = progressOf(this, token, progress, total, message);
      if (!report) return;
      const _meta = this.#lastingMeta;
      this.#notify("notifications/progress", _meta ? { ...report, _meta } : report);
    };
  }

  outlast(meta: Params): Promise<void> {
    this.#lastingMeta = meta;
    return new Promise((resolve) => (this.#onAnswered = resolve));
  }

  answered(): void {
    this.over = this.#lastingMeta === undefined;
    this.#onAnswered?.();
  }

  abort(why: McpError): void {
    this.over = true;
    this.#cancelled = { why };
    this.#controller?.abort(why);
    this.#onAnswered?.();
  }
}

/** The error response; a generic one if the data of the error cannot be written as JSON. */
function failureText(id: RequestId, error: unknown): string {
  try {
    return errorText(id, errorBody(error));
  } catch {
    return errorText(id, { code: rpc.internalError, message: "the client failed to answer" });
  }
}
