import { type Channel, McpError, type Params, type Receiver, type RequestId } from "@mcpgen/runtime";
import {
  asRemote,
  errorObjectOf,
  errorText,
  harmless,
  isMcpError,
  isObject,
  JsonRpcPeer,
  messageOf,
  type MessageTaker,
  type NotificationMessage,
  notificationOf,
  printError,
  progressOf,
  type RequestMessage,
  requestOf,
  type ResponseMessage,
  resultText,
  takeMessage,
} from "@mcpgen/base";
import { readOpenly, wrongPlace } from "@mcpgen/runtime/extending";
import * as rpc from "@mcpgen/base/rpc-codes";
import type {
  ChannelTable,
  OpenDefinition,
  OutgoingRequest,
  RequestOptions,
  SendTable,
  UndefinedMessage,
} from "@mcpgen/protocol/model";
import type { PeerContext, PeerOptions } from "./peer.js";

type Handler = (params: object, context: PeerContext) => unknown;

const cancelled = "notifications/cancelled";
const progressed = "notifications/progress";

/** A request for a sign of life, answered without a handler. */
const ping = "ping";

/** Maximum number of requests being answered. */
const maxRequests = 1000;

/** One side of an open channel: matches responses with requests, calls handlers, and checks messages by the table. */
export class PeerConnection implements Receiver, MessageTaker {
  readonly ready: Promise<void>;
  readonly over: Promise<Error | undefined>;
  readonly #table: ChannelTable;
  readonly #channel: Channel;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #onError: NonNullable<PeerOptions["onError"]>;
  readonly #peer: JsonRpcPeer<ResponseMessage, AbortController>;
  /** Aborts at the end of the channel. */
  readonly #end = new AbortController();
  #becomeReady!: () => void;
  #failReady!: (reason: McpError) => void;
  #becomeOver!: (reason: Error | undefined) => void;
  #hasConfirmed = false;

  constructor(
    table: ChannelTable,
    channel: Channel,
    handlers: ReadonlyMap<string, Handler>,
    { timeouts, clock, onError = print }: PeerOptions,
  ) {
    this.#table = table;
    this.#channel = channel;
    this.#handlers = handlers;
    this.#onError = harmless(onError);
    this.#peer = new JsonRpcPeer({ timeouts, clock });
    this.over = new Promise((resolve) => (this.#becomeOver = resolve));
    this.ready = new Promise((resolve, reject) => {
      this.#becomeReady = resolve;
      this.#failReady = reject;
    });
    // A program need not wait for `ready`: its rejection must not count as unhandled.
    this.ready.catch(() => {});
    if (!table.handshake) this.#becomeReady();
  }

  async request(method: string, params?: Params, options: RequestOptions = {}): Promise<Params> {
    const { outgoingRequests, outgoingNotifications, incomingNotifications, handshake } = this.#table;
    const entry = outgoingRequests.get(method);
    if (!entry) throw this.#unsendable(method);
    const { pending } = this.#peer;
    const id = pending.nextId();
    const reports = options.onProgress && incomingNotifications.has(progressed);
    const sent = reports ? { ...params, _meta: { ...params?._meta, progressToken: id } } : params;
    const message = requestOf(id, method, sent);
    const wrong = this.#wrong("requests", method, message);
    if (wrong) throw wrong;
    const text = jsonOf(method, message);
    if (this.#end.signal.aborted) throw this.#end.signal.reason as McpError;
    if (options.signal?.aborted)
      throw new McpError("cancelled", `${method} was cancelled`, { cause: options.signal.reason });
    const answer = pending.wait(id, method, options, ({ message: reason }) => {
      if (outgoingNotifications.has(cancelled)) void this.notify(cancelled, { requestId: id, reason });
    });
    this.#channel.send(text);
    const result = await resultOf(method, entry, await answer);
    if (handshake?.opens && method === handshake.request) {
      if (handshake.confirmation !== undefined) await this.notify(handshake.confirmation, {});
      this.#becomeReady();
    }
    return result;
  }

  async notify(method: string, params?: Params): Promise<void> {
    const { outgoingNotifications, handshake } = this.#table;
    if (!outgoingNotifications.has(method)) throw this.#unsendable(method);
    const message = notificationOf(method, params);
    const wrong = this.#wrong("notifications", method, message);
    if (wrong) throw wrong;
    const text = jsonOf(method, message);
    const confirms = method === handshake?.confirmation;
    if (this.#end.signal.aborted || (confirms && this.#hasConfirmed)) return;
    if (confirms) this.#hasConfirmed = true;
    this.#channel.send(text);
  }

  close(): Promise<void> {
    this.closed();
    return this.#channel.close();
  }

  message(text: string): void {
    if (!this.#end.signal.aborted) takeMessage(text, this);
  }

  isRequest(method: string): boolean {
    return this.#table.incomingRequests.has(method);
  }

  turn(): void {}

  tooLong(limit: number): void {
    this.#onError(new McpError("message-too-long", `a message of more than ${limit} was dropped`));
  }

  closed(reason?: Error): void {
    if (this.#end.signal.aborted) return;
    const error = isMcpError(reason)
      ? reason
      : new McpError("connection-closed", "the channel has ended", { cause: reason });
    this.#end.abort(error);
    this.#peer.end(error);
    this.#failReady(error);
    this.#becomeOver(reason);
  }

  requested(request: RequestMessage): void {
    const { id } = request;
    const { running } = this.#peer;
    if (running.has(id))
      return this.refuse(id, refusal("invalid-request", "a request of this id is being answered"));
    if (running.size === maxRequests) return this.refuse(id, tooMany);
    const controller = new AbortController();
    running.start(id, controller);
    void this.#answerOf(request, controller.signal).then((text) => {
      if (!running.finish(id, controller)) return;
      this.#channel.send(text);
      const { handshake } = this.#table;
      if (request.method === handshake?.request && handshake.confirmation === undefined) this.#becomeReady();
    });
  }

  /** Returns the text of the response. */
  async #answerOf(request: RequestMessage, signal: AbortSignal): Promise<string> {
    const { id, method } = request;
    try {
      const entry = this.#table.incomingRequests.get(method);
      const handler = this.#handlers.get(method) ?? (method === ping ? () => ({}) : undefined);
      if (!entry || !handler) throw refusal("method-not-found", `no such method: ${method}`);
      const { params = {} } = entry.accepts(request) ? request : await withoutNulls(entry, request);
      const result = await handler(params, this.#contextOf(method, params, signal, id));
      if (!isObject(result)) throw new McpError("internal-error", `${method}: the result is no object`);
      const wrong = this.#wrong("results", method, result);
      if (wrong) throw wrong;
      return resultText(id, jsonOf(method, result));
    } catch (error) {
      // Report only errors of which the other side does not get the text, and not those of a cancelled request.
      if (!signal.aborted && !isMeantForPeer(error)) this.#onError(error, method);
      return errorTextOf(id, error);
    }
  }

  notified(message: NotificationMessage): void {
    const { method } = message;
    const entry = this.#table.incomingNotifications.get(method);
    if (!entry) return;
    const hear = async (): Promise<void> => {
      const { params = {} } = entry.accepts(message) ? message : await withoutNulls(entry, message);
      const { handshake } = this.#table;
      if (!handshake?.opens && method === handshake?.confirmation) this.#becomeReady();
      if (method === cancelled) this.#peer.cancelled(params, "the request was cancelled");
      if (method === progressed) this.#peer.progressed(params);
      await this.#handlers.get(method)?.(params, this.#contextOf(method, params, this.#end.signal));
    };
    hear().catch((error: unknown) => this.#onError(error, method));
  }

  answered(response: ResponseMessage): void {
    this.#peer.settle(response);
  }

  #contextOf(method: string, params: Params, signal: AbortSignal, requestId?: RequestId): PeerContext {
    const meta = isObject(params._meta) ? params._meta : {};
    const work = { lastProgress: -Infinity };
    const reports = this.#table.outgoingNotifications.has(progressed);
    return {
      method,
      meta,
      signal,
      ...(requestId !== undefined && { requestId }),
      progress: (...given) => {
        if (!reports || (requestId !== undefined && !this.#peer.running.has(requestId))) return;
        const report = progressOf(work, meta["progressToken"], ...given);
        if (report) this.notify(progressed, report).catch((error: unknown) => this.#onError(error, method));
      },
    };
  }

  batched(): void {
    this.refuse(undefined, refusal("invalid-request", "a channel has no batches"));
  }

  refuse(id: RequestId | undefined, error: McpError): void {
    this.#channel.send(errorTextOf(id, error));
  }

  #unsendable(method: string): McpError {
    const { role, extension } = this.#table;
    return new McpError("invalid-message", `${method}: the role ${role} of ${extension} does not send it`);
  }

  /** Returns the error of a message that does not match its definition, where `developmentSends` checks messages. */
  #wrong(...[kind, method, value]: Parameters<SendTable["find"]>): McpError | undefined {
    const wrong = this.#table.developmentSends?.find(kind, method, value);
    return wrong && notSent(`${kind === "results" ? "the result of " : ""}${method}`, wrong);
  }
}

function notSent(what: string, wrong: UndefinedMessage): McpError {
  const { message, pointer } = wrongPlace(wrong);
  return new McpError("invalid-message", `${what} is not a ${wrong.definition.name}: ${message}`, {
    rpcCode: rpc.internalError,
    data: { pointer },
  });
}

/**
 * Returns a refused message without the members that are null instead of absent.
 *
 * @throws {McpError} `invalid-params`: the message is still invalid
 */
async function withoutNulls<M extends RequestMessage | NotificationMessage>(
  entry: OpenDefinition,
  message: M,
): Promise<M> {
  const { method } = message;
  const { value, problem } = await readOpenly(entry, message);
  if (problem === undefined) return value;
  throw refusal("invalid-params", `${method}: ${problem}`);
}

/**
 * @throws {McpError} `invalid-message`: the value has a cycle or a value that JSON cannot represent, or does not
 *   serialise to an object
 */
function jsonOf(method: string, value: object): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (cause) {
    throw new McpError("invalid-message", `${method}: it is not JSON: ${messageOf(cause)}`, { cause });
  }
  // `toJSON` may return any value.
  if (text?.startsWith("{")) return text;
  throw new McpError("invalid-message", `${method}: expected an object, got ${String(text)}`);
}

/** Returns the result of a response. @throws {McpError} if it is an error or invalid */
async function resultOf(
  method: string,
  { result: definition }: OutgoingRequest,
  { result: given, error }: ResponseMessage,
): Promise<Params> {
  if (error !== undefined && (error as unknown) !== null) throw remoteError(method, error);
  const read = definition ? await readOpenly(definition, given) : { value: given };
  const problem = isObject(read.value) ? read.problem : "expected an object";
  if (problem === undefined) return read.value!;
  throw new McpError("invalid-result", `${method}: the result of the other side is invalid: ${problem}`);
}

/** Makes the error of a response. Members of the received error may be missing. */
function remoteError(method: string, error: unknown): McpError {
  const { code, message, data } = isObject(error) ? error : {};
  const text =
    typeof message === "string" ? message : "the other side answered with an error without a message";
  const name = code === rpc.methodNotFound ? "method-not-found" : "remote-error";
  const rpcCode = typeof code === "number" ? code : undefined;
  const details = { rpcCode, data, remote: asRemote(error) };
  return new McpError(name, text.startsWith(`${method}: `) ? text : `${method}: ${text}`, details);
}

/** Makes the error for a wrong request. */
function refusal(code: keyof typeof codes, message: string): McpError {
  return new McpError(code, message, { rpcCode: codes[code] });
}

const codes = {
  "invalid-request": rpc.invalidRequest,
  "method-not-found": rpc.methodNotFound,
  "invalid-params": rpc.invalidParams,
} as const;

const tooMany = new McpError("limit-exceeded", `more than ${maxRequests} requests are being answered`, {
  rpcCode: rpc.invalidRequest,
  data: { limit: "maxRequests" },
});

/**
 * Whether the other side gets the text of an error. It does if the error has a JSON-RPC code other than "internal
 * error".
 */
function isMeantForPeer(thrown: unknown): thrown is McpError {
  return isMcpError(thrown) && Number.isSafeInteger(thrown.rpcCode) && thrown.rpcCode !== rpc.internalError;
}

function errorTextOf(id: RequestId | undefined, thrown: unknown): string {
  if (!isMeantForPeer(thrown))
    return errorText(id, { code: rpc.internalError, message: "the request failed" });
  const error = errorObjectOf(thrown);
  try {
    return errorText(id, error);
  } catch {
    return errorText(id, { ...error, data: undefined });
  }
}

function print(error: unknown, method?: string): void {
  printError(method ?? "channel", error);
}
