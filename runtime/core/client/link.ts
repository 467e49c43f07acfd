import type { RequestOptions } from "@mcpgen/protocol/model";
import type { Clock } from "../time/clock.js";
import { McpError, messageOf, rpc } from "../jsonrpc/errors.js";
import {
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  errorText,
  isObject,
  isRequestId,
  notificationText,
  requestText,
  resultText,
} from "../jsonrpc/message.js";
import { type Timeouts, Pending } from "../jsonrpc/pending.js";
import type { Channel, Receiver } from "../jsonrpc/channel.js";
import type { ServerResponse } from "./server-error.js";
import { type AnswerContext, errorBody } from "./server-requests.js";
import type * as platform from "../platform/platform.js";

/** What a client makes of messages that answer none of its requests. */
export interface LinkListener {
  /** Answers a request of the server's; absent where servers make none, and theirs are then ignored. */
  readonly answer?: AnswerRequest;
  readonly notified: (method: string, params: Params) => void;
  readonly closed: (reason: McpError) => void;
  /** Whether requests of which nobody wants the answer any more end with their exchange, where there is one. */
  readonly abandons?: boolean;
}

/** How one request is sent. */
export interface Sending {
  /** Whether the server is told when the request is given up. */
  readonly cancellable?: boolean;
  /** The headers of a message, for channels that send any. */
  readonly headers?: (method: string, params: Params | undefined) => Readonly<Record<string, string>>;
  /** Is given what authorizes the request, on channels where something does. */
  readonly authorized?: ((authorization: string) => void) | undefined;
}

/** The wire of one client: requests and their answers over one channel, whatever the era. */
export class Link implements Receiver {
  listener: LinkListener | undefined;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  /** Whether the server has answered anything yet. */
  answered = false;
  private readonly channel: Channel;
  private readonly pending: Pending<ServerResponse>;
  private readonly answering = new ServerRequestRunner((text) =>
    this.channel.reply ? this.channel.reply(text) : this.channel.send(text),
  );
  private end: McpError | undefined;
  private readonly watchers = new Set<(why: McpError) => void>();

  constructor(channel: Channel, timeouts: Timeouts, clock: Clock) {
    this.channel = channel;
    this.timeouts = timeouts;
    this.clock = clock;
    this.pending = new Pending(timeouts, clock);
    channel.open(this);
  }

  /** Whether each request is answered or fails, whatever the server makes of it. */
  get answersAll(): boolean {
    return this.channel.answersAll ?? false;
  }

  /** Why nothing more goes through, if so. */
  get over(): McpError | undefined {
    return this.end;
  }

  /** Calls once when nothing goes through any more, now if so already. Returns what calls it off. */
  whenClosed(callback: (why: McpError) => void): () => void {
    if (this.end) callback(this.end);
    else this.watchers.add(callback);
    return () => void this.watchers.delete(callback);
  }

  /** Requests that wait for answers. */
  get waiting(): number {
    return this.pending.size;
  }

  /**
   * Sends a request; resolves with the whole response.
   *
   * @param make the parameters, given the request's id
   * @param started when it was sent first, if it is sent again
   * @throws {McpError} `timeout`, `cancelled`, `connection-closed`; `invalid-params`: they are no JSON
   */
  request(
    method: string,
    make: (id: number) => Params | undefined,
    options: RequestOptions = {},
    { cancellable = true, headers, authorized }: Sending = {},
    started?: number,
  ): Promise<ServerResponse> {
    if (this.end) return Promise.reject(this.end);
    if (options.signal?.aborted)
      return Promise.reject(
        new McpError("cancelled", `${method} was cancelled`, { cause: options.signal.reason }),
      );
    const id = this.pending.nextId();
    const params = make(id);
    let text: string;
    try {
      text = requestText(id, method, params);
    } catch (error) {
      return Promise.reject(unsayable(method, error));
    }
    const { channel } = this;
    const outgoing = channel.post && {
      id,
      method,
      text,
      headers: headers?.(method, params) ?? {},
      authorized,
    };
    const abandon = ({ message }: McpError): void => {
      if (channel.abandon && this.listener?.abandons) channel.abandon(id);
      else if (cancellable)
        this.notify("notifications/cancelled", { requestId: id, reason: message }, headers, id);
    };
    const answer = this.pending.wait(id, method, options, abandon, started);
    if (outgoing) channel.post!(outgoing);
    else channel.send(text);
    return answer;
  }

  /** @param ends the request that nobody waits for any more, if the notification is about that */
  notify(method: string, params: Params | undefined, headers?: Sending["headers"], ends?: RequestId): void {
    let text: string;
    try {
      text = notificationText(method, params);
    } catch (error) {
      throw unsayable(method, error);
    }
    const { channel } = this;
    if (!channel.post) return channel.send(text);
    const about = ends === undefined ? {} : { ends };
    channel.post({ text, method, headers: headers?.(method, params) ?? {}, ...about });
  }

  /** Whether messages go with headers. */
  get mirrors(): boolean {
    return this.channel.post !== undefined;
  }

  /** What a request would be authorized with now; empty where nothing authorizes requests. */
  authorization(signal: platform.AbortSignal): string | Promise<string> {
    return this.channel.authorization?.(signal) ?? "";
  }

  /** Says what was negotiated, to channels that repeat it. */
  speak(headers: Readonly<Record<string, string>>): void {
    this.channel.speak?.(headers);
  }

  failed(id: RequestId, error: Error): void {
    this.pending.take(id)?.reject(error);
  }

  /** Stops to wait for all that was asked, and tells the server nothing of it. */
  forget(why: McpError): void {
    this.pending.rejectAll(() => why);
  }

  isSettled(id: RequestId): boolean {
    return this.pending.get(id) === undefined;
  }

  /** Resolves when the other side is gone, too. */
  async close(): Promise<void> {
    this.closed();
    await this.channel.close();
  }

  message(text: string, refusal?: Error): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // A server that prints to its stdout: what is no message is nobody's answer.
      return;
    }
    // Batches of answers exist at 2025-03-26; whoever sends them later does no harm.
    for (const each of Array.isArray(message) ? message : [message]) this.receive(each, refusal);
  }

  turn(): void {}

  tooLong(limit: number): void {
    const error = new McpError(
      "message-too-long",
      `a message of the server's was longer than ${limit} bytes`,
    );
    // It may have been any answer: nobody is left waiting for one that was dropped.
    this.pending.rejectAll(() => error);
  }

  closed(reason?: Error): void {
    const why =
      reason instanceof McpError
        ? reason
        : new McpError("connection-closed", reason?.message ?? "the connection is closed", { cause: reason });
    this.pending.rejectAll(() => why);
    this.retired(why);
  }

  retired(why: McpError): void {
    if (this.end) return;
    this.end = why;
    this.answering.cancelAll(why);
    for (const tell of this.watchers) tell(why);
    this.watchers.clear();
    this.listener?.closed(why);
  }

  private receive(message: unknown, refusal: Error | undefined): void {
    if (!isObject(message)) return;
    const { method, id } = message;
    if (typeof method === "string") {
      const plain = withoutNullParams(message);
      if (isRequestId(id)) this.asked(plain as unknown as RequestMessage);
      else if (id === undefined && isObject(plain["params"] ?? {}))
        this.notified(plain as unknown as NotificationMessage);
      return;
    }
    if (!isRequestId(id)) return;
    this.answered = true;
    const answer = message as unknown as ServerResponse;
    this.pending.take(id)?.resolve(refusal ? { ...answer, refusal } : answer);
  }

  private asked(request: RequestMessage): void {
    const answer = this.listener?.answer;
    if (answer) this.answering.begin(request, answer);
  }

  private notified({ method, params = {} }: NotificationMessage): void {
    if (method === "notifications/progress") return this.progressed(params);
    if (method === "notifications/cancelled") return this.cancelled(params);
    try {
      this.listener?.notified(method, params);
    } catch {
      // Nested too deeply for the stack, for one: a notification that cannot be read is dropped.
    }
  }

  private progressed(params: Params): void {
    const request = this.pending.get(params["progressToken"] as RequestId);
    const { progress, total, message } = params;
    if (!request || typeof progress !== "number") return;
    request.progressed();
    request.onProgress?.({
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    });
  }

  /** The server gives up a request of its own, or ends a subscription. */
  private cancelled({ requestId, reason }: Params): void {
    const why = new McpError(
      "cancelled",
      typeof reason === "string" ? reason : "the server cancelled the request",
    );
    const id = requestId as RequestId;
    if (this.answering.cancel(id, why)) return;
    if (this.pending.get(id)?.method === "subscriptions/listen") this.pending.take(id)!.reject(why);
  }
}

/** Parameters that JSON cannot say (a BigInt, a cycle, a member that throws): nothing was sent. */
function unsayable(method: string, cause: unknown): McpError {
  return new McpError("invalid-params", `${method}: the parameters are no JSON: ${messageOf(cause)}`, {
    cause,
  });
}

/** Some languages write members that are absent as null. */
function withoutNullParams(message: Record<string, unknown>): Record<string, unknown> {
  if (message["params"] !== null) return message;
  const { params: _, ...others } = message;
  return others;
}

/** What makes the result of a request of the server's, as JSON. */
export type AnswerRequest = (request: RequestMessage, context: AnswerContext) => Promise<string>;

/** What the answer to one request is made with. The signal is made when it is wanted: it costs more than a ping. */
class Context implements AnswerContext {
  private controller: AbortController | undefined;
  private ended: { readonly why: McpError } | undefined;

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.ended) this.controller.abort(this.ended.why);
    }
    return this.controller.signal;
  }

  abort(why: McpError): void {
    this.ended = { why };
    this.controller?.abort(why);
  }
}

/** The requests of a server's that are being answered. */
export class ServerRequestRunner {
  private readonly contexts = new Map<RequestId, Context>();
  private readonly send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.send = send;
  }

  /** Answers a request, unless it is cancelled before the answer is there. */
  begin(request: RequestMessage, answer: AnswerRequest): void {
    const { id } = request;
    const { contexts } = this;
    const context = new Context();
    contexts.set(id, context);
    const settle = (text: string): void => {
      if (contexts.get(id) !== context) return;
      contexts.delete(id);
      this.send(text);
    };
    answer(request, context).then(
      (result) => settle(resultText(id, result)),
      (error: unknown) => settle(failureText(id, error)),
    );
  }

  /** The server wants no answer any more. Says whether one was being made. */
  cancel(id: RequestId, why: McpError): boolean {
    const context = this.contexts.get(id);
    this.contexts.delete(id);
    context?.abort(why);
    return context !== undefined;
  }

  /** No answer can be given any more. */
  cancelAll(why: McpError): void {
    for (const id of [...this.contexts.keys()]) this.cancel(id, why);
  }
}

/** An error of the application's may carry what no JSON can say: the server is answered all the same. */
function failureText(id: RequestId, error: unknown): string {
  try {
    return errorText(id, errorBody(error));
  } catch {
    return errorText(id, { code: rpc.internalError, message: "the client failed to answer" });
  }
}
