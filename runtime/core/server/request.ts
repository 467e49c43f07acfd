import { requestParams } from "../protocol/revision-view.js";
import type * as platform from "../platform/platform.js";
import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { BatchAnswers, IncomingRequest } from "@mcpgen/protocol/model";
import { type McpError, isMcpError, messageOf, invalidParams, internalError } from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import {
  type Params,
  type RequestId,
  type RequestMessage,
  isObject,
  isPromise,
  resultText,
} from "../jsonrpc/message.js";
import { invalid } from "../options/option-check.js";
import type { HttpRequest, ServerConnection } from "./connection.js";
import type { Ask, HandlerContext, ServerSession } from "./context.js";
import {
  type CacheHints,
  type MethodHandler,
  type RequestProtocol,
  type ServerDefinition,
  uncached,
  placeOf,
  SerialisedResult,
  unusableResult,
  vendorMessage,
} from "./server-definition.js";
import { type Rounds, newRounds, openRounds, sealRounds } from "./rounds.js";
import { logMessage, metaKeys } from "../protocol/meta.js";
import { sendError } from "../protocol/send-check.js";

/** An open request. Its signal, its asks and its rounds are created on first use. */
export class RequestContext implements HandlerContext {
  readonly connection: ServerConnection;
  /** Without members that are null instead of absent, once it is accepted. */
  request: RequestMessage;
  protocol: RequestProtocol;
  readonly entry: IncomingRequest;
  /** Absent where only the visibility of a tool is looked up. */
  readonly handler: MethodHandler | undefined;
  readonly auth: unknown;
  /** Contexts that are made of this one share it, so that it is no private member. */
  readonly http: HttpRequest | undefined;
  /** The params in the authoring vocabulary, once the handler was called. */
  params: Params | undefined;
  /** Cache hints of the result, if the method is cacheable. */
  hints: CacheHints = uncached;
  /** The rounds of a multi round-trip request; created on first use. */
  rounds: Rounds | undefined;
  /** The JSON-RPC batch that contained the request. */
  batch: BatchAnswers | undefined;
  /** Time of the last progress notification, by `performance.now()`. */
  reported: number | undefined;
  /** The object in `session` where there is no session; made when it is first used. */
  client: ServerSession | undefined;
  /** The request has ended: nothing more is sent for it. */
  over = false;
  #controller: AbortController | undefined;
  #asking: Ask | undefined;
  #lastProgress = -Infinity;

  constructor(
    connection: ServerConnection,
    request: RequestMessage,
    protocol: RequestProtocol,
    entry: IncomingRequest,
    handler?: MethodHandler,
  ) {
    this.connection = connection;
    this.request = request;
    this.protocol = protocol;
    this.entry = entry;
    this.handler = handler;
    this.auth = connection.auth;
    this.http = connection.http;
  }

  get signal(): platform.AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.over) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  get revision(): string {
    return this.protocol.revision.id;
  }

  get method(): string {
    return this.request.method;
  }

  get session(): ServerSession {
    return this.connection.clientOf(this.protocol, this);
  }

  get sessionId(): string | undefined {
    return this.connection.sessionId;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.http?.passed ?? {};
  }

  get url(): string | undefined {
    return this.http?.url;
  }

  get requestId(): RequestId {
    return this.request.id;
  }

  get meta(): Params {
    return (this.params ?? this.request.params)?._meta ?? {};
  }

  get clientInfo(): Implementation | undefined {
    return this.protocol.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.protocol.clientCapabilities;
  }

  // Getters return functions that do not depend on `this`: handlers may destructure the context.

  get progress(): HandlerContext["progress"] {
    return (progress, total, message) => {
      const progressToken = this.request.params?._meta?.["progressToken"];
      if (this.over || progressToken === undefined) return;
      // JSON has only finite numbers, and callers in JavaScript may pass other values.
      if (!Number.isFinite(progress) || progress <= this.#lastProgress) return;
      this.#lastProgress = progress;
      this.reported = performance.now();
      this.send("notifications/progress", {
        progressToken,
        progress,
        total: Number.isFinite(total) ? total : undefined,
        message,
      });
    };
  }

  get log(): HandlerContext["log"] {
    return (level, data, logger) => this.send(logMessage, { level, data: data ?? null, logger });
  }

  get disconnect(): HandlerContext["disconnect"] {
    return (retryMs = 1000) => {
      if (!this.over) this.connection.disconnect(this.request.id, retryMs);
    };
  }

  get notify(): HandlerContext["notify"] {
    return (method, params) => this.send(method, params as Params | undefined);
  }

  /** Sends a notification that belongs to this request. A failure to send is a warning: it never fails the handler. */
  send(method: string, params: Params | undefined): void {
    if (this.over) return;
    const { connection, entry, protocol, request } = this;
    const { id } = request;
    // What comes on the stream of a request names that request (2026-07-28, subscriptions, receiving notifications).
    const sent = entry.listening
      ? { ...params, _meta: { ...params?._meta, [metaKeys.subscriptionId]: id } }
      : params;
    connection.notify(protocol, method, sent, id);
  }

  get ask(): Ask {
    return (this.#asking ??= this.protocol.era.ask(this));
  }

  get once(): HandlerContext["once"] {
    return <T>(key: string, effect: () => T | Promise<T>): Promise<T> => {
      const results = (this.rounds ??= newRounds()).once;
      const known = results.get(key);
      if (known) return known as Promise<T>;
      // The promise is stored, so that overlapping calls share one run.
      const running = Promise.resolve()
        .then(effect)
        .then((value) => jsonOnly(key, value));
      results.set(key, running);
      // Handles the rejection, even if the handler does not await it.
      running.catch(() => results.delete(key));
      return running;
    };
  }

  /** Reports what a handler threw to `onError`, unless the error is meant for the client. */
  report(thrown: unknown): void {
    if (isMeantForClient(thrown)) return;
    const { method, params, id } = this.request;
    this.connection.reportError(thrown, placeOf(method, params), id);
  }

  /**
   * Aborts the signal; the request still gets a response.
   *
   * @returns `false` if it is aborted already
   */
  stop(reason: Error): boolean {
    if (this.signal.aborted) return false;
    this.#controller!.abort(reason);
    return true;
  }

  /** Ends the request without a response, and aborts its signal. */
  abort(reason: McpError): void {
    if (this.over) return;
    this.over = true;
    this.#controller?.abort(reason);
  }
}

/**
 * Checks a result of `once`: the state between rounds carries it as JSON.
 *
 * @throws {McpError} `invalid-definition`
 */
export function jsonOnly<T>(key: string, value: T): T {
  try {
    if (value === undefined || isJson(value)) return value;
  } catch {
    // The value has a cycle, or a getter that throws.
  }
  throw invalid(`the result of once(${JSON.stringify(key)}) must be JSON or undefined`);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = prototype === Object.prototype || prototype === null;
  return plain && Object.values(value).every((member) => member === undefined || isJson(member));
}

/** Whether an error is meant for the client: it has a JSON-RPC code, or names a missing capability. */
function isMeantForClient(thrown: unknown): boolean {
  try {
    if (!isMcpError(thrown)) return false;
    const { code, rpcCode = rpc.internalError } = thrown;
    return code === "missing-capability" || rpcCode !== rpc.internalError;
  } catch {
    return false;
  }
}

/**
 * Converts what a handler threw to the error of the response.
 *
 * @param open whether the response has the text of an error that is not meant for clients
 */
export function errorOf(thrown: unknown, open = false): McpError {
  if (isMcpError(thrown)) return thrown;
  return internalError(open ? messageOf(thrown) : "the server failed to answer", thrown);
}

type Result = Params | SerialisedResult;

/** Checks a request, calls the handler of its method and sends the response. */
export function runRequest(context: RequestContext): void {
  const { entry, request } = context;
  if (!entry.accepts(request)) return settle(context, mended(context));
  if (isRetry(context)) return settle(context, resume(context));
  run(context);
}

/** Calls the handler. A handler that returns a plain result costs no promise. */
function run(context: RequestContext): void {
  let result: Result | Promise<Result>;
  try {
    result = call(context);
    // A thenable may call back twice, or throw: Promise.resolve guards against both.
    if (isPromise(result)) return settle(context, Promise.resolve(result));
  } catch (error) {
    return fail(context, error);
  }
  succeed(context, result);
}

/**
 * The handler of a request: of its method, or of all other methods. A request of the protocol that the revision does not
 * have is never given to its handler, for no table checks it.
 */
export function handlerOf(
  { handlers, defines }: ServerDefinition,
  entry: IncomingRequest,
  method: string,
): MethodHandler | undefined {
  const isOther = entry === vendorMessage && defines("incomingRequests", method);
  return (isOther ? undefined : handlers.get(method)) ?? handlers.get("*");
}

function call(context: RequestContext): Result | Promise<Result> {
  const { connection, request, protocol } = context;
  try {
    context.params = protocol.revision.lift("incomingRequests", request.method, request.params ?? {});
  } catch (error) {
    throw connection.refused("params", request, invalidParams(messageOf(error)));
  }
  return context.handler!(context.params as never, context);
}

/** Responds when the result settles. Until then the client can cancel the request. */
function settle(context: RequestContext, result: Promise<Result>): void {
  context.connection.track(context);
  result.then(
    (value) => succeed(context, value),
    (error: unknown) => fail(context, error),
  );
}

/** Continues a multi round-trip request with the state and the answers that the client sends. */
async function resume(context: RequestContext): Promise<Result> {
  context.rounds = await openRounds(context);
  return call(context);
}

function succeed(context: RequestContext, result: Result): void {
  const { connection, request, rounds } = context;
  if (context.over) return connection.countAborted(-1);
  if (rounds?.wanted.size) {
    connection.definition.warn(
      `${request.method}: the handler went on before an ask was answered; its result is dropped`,
    );
    return suspend(context, rounds);
  }
  let text: string;
  try {
    text = textOf(context, result);
  } catch (error) {
    return fail(context, error);
  }
  connection.answer(context, resultText(request.id, text));
}

function textOf(context: RequestContext, result: Result): string {
  if (!(result instanceof SerialisedResult)) return finishedText(context, result, context.hints);
  const { value, hints } = result;
  const { revision } = context.protocol;
  return result.text(
    revision,
    () => finishedText(context, value, hints),
    () => !revision.hasReadRequest,
  );
}

/** Lowers a result, adds the members that its era requires, and serialises it. */
function finishedText(context: RequestContext, value: Params, hints: CacheHints): string {
  const { protocol, request, entry } = context;
  if (!isObject(value))
    throw unusableResult(`the result of the handler or middleware of ${request.method} is not an object`);
  const asked = requestParams(request.params, context.params);
  const lowered = protocol.revision.lower("outgoingResults", request.method, value, asked);
  return sentText(context, protocol.era.finish(lowered, context, entry.cacheable ? hints : undefined));
}

/** Serialises a result, and checks it if the server checks what it sends. @throws {McpError} `invalid-message` */
function sentText({ protocol: { revision }, request: { method } }: RequestContext, result: Params): string {
  const text = jsonOf(result, method);
  const wrong = revision.sends && sendError(revision, "results", method, result);
  if (wrong) throw wrong;
  return text;
}

/** Serialises a result. A `toJSON` of the result may return anything, even nothing. */
function jsonOf(result: Params, method: string): string {
  const text = JSON.stringify(result) as string | undefined;
  if (text?.startsWith("{") !== true)
    throw unusableResult(`the result of the handler or middleware of ${method} is not an object in JSON`);
  return text;
}

function fail(context: RequestContext, thrown: unknown): void {
  const { connection, rounds } = context;
  if (context.over) return connection.countAborted(-1);
  if (rounds?.wanted.size) return suspend(context, rounds);
  context.report(thrown);
  const error = errorOf(thrown, connection.definition.thrownErrors === "message");
  const { refusals } = context.protocol.revision;
  connection.fail(context, refusals ? refusals.thrown(error, context.request.method) : error);
}

/** Responds with the input requests of the handler (`input_required`). The client retries with another request. */
function suspend(context: RequestContext, rounds: Rounds): void {
  const { connection, request, protocol } = context;
  const inputRequests = Object.fromEntries(rounds.wanted);
  const textOfRound = (requestState: string): string => {
    const asking = { resultType: context.entry.asks ?? "input_required", inputRequests, requestState };
    return sentText(context, protocol.era.finish(asking, context, undefined, asking.resultType));
  };
  void sealRounds(rounds, context)
    .then(textOfRound)
    .then(
      (text) => {
        if (context.over) return connection.countAborted(-1);
        connection.answer(context, resultText(request.id, text));
      },
      (error: unknown) => {
        rounds.wanted.clear();
        fail(context, error);
      },
    );
}

/**
 * Runs a request that was refused, without the members that are null instead of absent.
 *
 * @throws {McpError} `invalid-params`: what is wrong with it even so
 */
async function mended(context: RequestContext): Promise<Result> {
  const { connection, protocol, entry, method, request } = context;
  const { revision } = protocol;
  const read = await connection.read(revision, entry, request, method, (problem) =>
    connection.refused("params", request, invalidParams(problem)),
  );
  context.request = read;
  // It states what the client has declared, too.
  context.protocol = protocol.era.stated?.(connection.definition, read) ?? protocol;
  return isRetry(context) ? resume(context) : call(context);
}

/** Whether a request carries the state or the answers of an earlier round. */
function isRetry({ entry, request: { params } }: RequestContext): boolean {
  return (
    entry.multiRoundTrip === true &&
    (params?.["requestState"] !== undefined || params?.["inputResponses"] !== undefined)
  );
}
