import {
  type Asked,
  internalError,
  invalid,
  invalidParams,
  invalidRequest,
  isMcpError,
  isObject,
  isPromise,
  type Judged,
  lost,
  McpError,
  messageOf,
  mostReserved,
  type NotificationMessage,
  type Outcome,
  type Params,
  type ParkedCall,
  type platform,
  progressOf,
  type RequestId,
  type RequestMessage,
  resultText,
  type Round,
  type Waiting,
  weightOf,
} from "@mcpgen/base";
import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { BatchAnswers, Era, IncomingRequest } from "@mcpgen/protocol/model";
import * as rpc from "@mcpgen/base/rpc-codes";
import { type LogLevel, isLogLevel, logMessage, metaKeys } from "../protocol/meta.js";
import { codeAt, errorAt, refusal } from "../protocol/error-table.js";
import {
  type RevisionView,
  declaredIn,
  isNewer,
  requestParams,
  sendError,
} from "../protocol/revision-view.js";
import {
  askInResult,
  asksForPages,
  askWith,
  judgedAnswer,
  requireCapability,
  sealedAnswer,
  toSend,
} from "./ask.js";
import type { HttpRequest, ServerConnection } from "./connection.js";
import type { Ask, HandlerContext, ServerSession } from "./context.js";
import {
  type Rounds,
  answersIn,
  markUsed,
  newRounds,
  openRounds,
  openState,
  type Replayed,
  sealReturned,
  sealRounds,
  sealState,
} from "./rounds.js";
import {
  type CacheHints,
  type MethodHandler,
  type RequestProtocol,
  type SendAsk,
  type ServerDefinition,
  type ServerEra,
  type Session,
  uncached,
  placeOf,
  SerialisedResult,
  vendorMessage,
} from "./server-definition.js";

type Result = Params | SerialisedResult;

/** Bytes up to which a notification is weighed: it may contain itself. */
const mostHeld = 16 * mostReserved;

/** Rounds of a handler that returns results that ask, where it is called again for each. Clients stop after as many. */
const mostRounds = 10;

/**
 * A request of a client, from its dispatch to its response; that of a handler that waits for its client goes on in each later
 * request that answers it. Its signal, its asks and its rounds are created on first use.
 */
export class RequestContext implements HandlerContext, Waiting {
  connection: ServerConnection;
  /** Without members that are null instead of absent, once it is accepted. */
  request: RequestMessage;
  protocol: RequestProtocol;
  /** What the revision says of its method. */
  entry: IncomingRequest;
  /** Of its method, or of all other methods. */
  readonly handler: MethodHandler | undefined;
  auth: unknown;
  http: HttpRequest | undefined;
  /** The JSON-RPC batch that contained the request. */
  batch: BatchAnswers | undefined;
  /** The params in the authoring vocabulary, once the handler was called. */
  params: Params | undefined;
  /** Cache hints of the result, if the method is cacheable. */
  hints: CacheHints = uncached;
  /** The rounds of a multi round-trip request; created on first use. */
  rounds: Rounds | undefined;
  /** Sends its asks in another way than its era does. */
  sendAsk: SendAsk | undefined;
  /** Whether its handler may run again for each answer of the client, by its definition. */
  replay: boolean | undefined;
  /** Its handler waits for answers of the client, in this round or a later one. */
  parked: ParkedCall<RequestContext> | undefined;
  /** Time of the last progress notification, by `performance.now()`. */
  reported: number | undefined;
  lastProgress = -Infinity;
  /** The object in `session` where there is no session; made when it is first used. */
  client: ServerSession | undefined;
  /** Called when the request is aborted; it costs less than the signal. */
  onAbort: ((reason: Error) => void) | undefined;
  #isOver = false;
  /** Its handler has ended. */
  #isDone = false;
  #controller: AbortController | undefined;
  #asking: Ask | undefined;

  constructor(
    connection: ServerConnection,
    request: RequestMessage,
    protocol: RequestProtocol,
    batch?: BatchAnswers,
  ) {
    const { method } = request;
    const { handlers, defines } = connection.definition;
    this.connection = connection;
    this.request = request;
    this.protocol = protocol;
    this.batch = batch;
    this.auth = connection.auth;
    this.http = connection.http;
    const entry = protocol.revision.table.incomingRequests.get(method);
    this.entry = entry && !entry.payload ? entry : vendorMessage;
    // A request that only other revisions have is never handled, for no table checks it.
    const isOther = this.entry === vendorMessage && defines("incomingRequests", method);
    this.handler = isOther ? undefined : (handlers.get(method) ?? handlers.get("*"));
  }

  /** The request has ended: nothing more is sent for it. */
  get over(): boolean {
    return this.#isOver;
  }

  /** Its handler runs again for each answer of the client, and does not wait for one. */
  get runsAgain(): boolean {
    const { sharesState, parking } = this.connection.definition;
    return this.replay === true && this.protocol.era.stated !== undefined && (sharesState || !parking);
  }

  get signal(): platform.AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#isOver) this.#controller.abort();
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

  get logLevel(): LogLevel | undefined {
    return this.protocol.logLevel;
  }

  // Getters return functions that do not depend on `this`: handlers may destructure the context.

  get progress(): HandlerContext["progress"] {
    const report = (progress: number, total?: number, message?: string): void => {
      if (this.over) return;
      if (this.parked?.isAway)
        return void this.parked.hold(weightOf(message, mostHeld), () => report(progress, total, message));
      const token = this.request.params?._meta?.["progressToken"];
      const params = progressOf(this, token, progress, total, message);
      if (!params) return;
      this.reported = performance.now();
      this.send("notifications/progress", params);
    };
    return report;
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
    if (this.parked?.isAway)
      return void this.parked.hold(weightOf(params, mostHeld), () => this.send(method, params));
    const { connection, entry, protocol, request } = this;
    const { id } = request;
    // What comes on the stream of a request names that request (2026-07-28, subscriptions, receiving notifications).
    const sent = entry.listening
      ? { ...params, _meta: { ...params?._meta, [metaKeys.subscriptionId]: id } }
      : params;
    connection.notify(protocol, method, sent, id);
  }

  get ask(): Ask {
    this.rounds ??= newRounds();
    return (this.#asking ??= askWith(this));
  }

  get once(): HandlerContext["once"] {
    return <T>(key: string, effect: () => T | Promise<T>): Promise<T> => {
      const results = (this.rounds ??= newRounds()).once;
      const known = results.get(key);
      if (known) return known as Promise<T>;
      // The next run of the handler runs it: this round is over.
      if (this.rounds.isSealed) return new Promise(() => {});
      // The promise is stored, so that overlapping calls share one run.
      const running = Promise.resolve().then(() => {
        // It rejects, for a handler that never ends stays counted as work of the client that has left.
        if (this.#isOver && this.runsAgain) throw new McpError("cancelled", "the request is over");
        return this.runOnce(key, effect);
      });
      results.set(key, running);
      // Handles the rejection, even if the handler does not await it.
      running.catch(() => results.delete(key));
      return running;
    };
  }

  /** Runs an effect of `once`. @throws {McpError} `invalid-definition`: its result is not JSON */
  async runOnce<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    return jsonOnly(`the result of once(${JSON.stringify(key)})`, await effect());
  }

  /** Reports what a handler threw, unless the error is meant for the client. */
  report(thrown: unknown): void {
    if (isMeantForClient(thrown)) return;
    const { method, params, id } = this.request;
    this.connection.reportError(thrown, placeOf(method, params), id);
  }

  /** The error that answers what a handler threw. It is reported, unless it is meant for the client. */
  errorOf(thrown: unknown): McpError {
    this.report(thrown);
    const error = errorOf(thrown, this.connection.definition.thrown === "message");
    const { revision } = this.protocol;
    return errorAt(revision, revision.refusals?.thrown(error, this.method) ?? error);
  }

  /**
   * Aborts the signal; the request still gets a response.
   *
   * @returns `false` if it is aborted already
   */
  stop(reason: Error): boolean {
    if (this.signal.aborted) return false;
    this.#controller!.abort(reason);
    this.onAbort?.(reason);
    return true;
  }

  /** Ends the request without a response, and aborts its signal. */
  abort(reason: McpError): void {
    if (this.#isOver) return;
    this.#stop(reason);
    this.parked?.cancelled(reason);
    this.connection.aborted(this, reason);
  }

  #stop(reason: McpError): void {
    this.#isOver = true;
    this.#controller?.abort(reason);
    this.onAbort?.(reason);
  }

  /** Ends a handler that waited, while its client has no request open. */
  lapse(reason: McpError): void {
    this.#stop(reason);
    if (!this.#isDone) this.connection.countAborted(1);
  }

  /** Answers another request of the client, which has the answers that the handler waited for. */
  continueIn(next: RequestContext): void {
    const { connection, request, protocol, entry, auth, http, batch } = next;
    const { _meta = {} } = next.#lifted();
    this.params = { ...this.params, _meta };
    const isFresh = { client: undefined, reported: undefined, lastProgress: -Infinity };
    Object.assign(this, { connection, request, protocol, entry, auth, http, batch, ...isFresh });
    connection.track(this);
  }

  /** Checks the request, calls the handler of its method and sends the response. */
  run(): void {
    if (!this.entry.accepts(this.request) || this.#isRetry()) return this.#settle(this.#prepared());
    let result: Result | Promise<Result>;
    try {
      // A handler that returns a plain result costs no promise.
      result = this.#call();
      // A thenable may call back twice, or throw: Promise.resolve guards against both.
      if (isPromise(result)) return this.#settle(Promise.resolve(result));
    } catch (error) {
      return this.#fail(error);
    }
    this.#succeed(result);
  }

  #call(): Result | Promise<Result> {
    this.params = this.#lifted();
    return this.handler!(this.params as never, this);
  }

  #lifted(): Params {
    const { connection, request, protocol } = this;
    const { revision } = protocol;
    const { method, params = {} } = request;
    try {
      return revision.translates ? revision.lift("incomingRequests", method, params) : params;
    } catch (error) {
      throw connection.refused("params", request, invalidParams(messageOf(error)));
    }
  }

  /** Responds when the result settles. Until then the client can cancel the request. */
  #settle(result: Promise<Result>): void {
    this.connection.track(this);
    result.then(
      (value) => this.#succeed(value),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Whether it carries the state or the answers of an earlier round. */
  #isRetry(): boolean {
    const { params } = this.request;
    return (
      this.entry.multiRoundTrip === true &&
      (params?.["requestState"] !== undefined || params?.["inputResponses"] !== undefined)
    );
  }

  /**
   * Calls the handler of a request that its definition refuses, without the members that are null instead of absent, or of one that
   * continues earlier rounds.
   *
   * @throws {McpError} `invalid-params`: what is wrong with it even so; `state-rejected`
   */
  async #prepared(): Promise<Result> {
    const { connection, protocol, entry, method, request } = this;
    this.request = await connection.read(protocol.revision, entry, request, method, (problem) =>
      connection.refused("params", request, invalidParams(problem)),
    );
    // It states what the client has declared, too.
    this.protocol = protocol.era.stated?.(connection.definition, this.request) ?? protocol;
    if (this.#isRetry()) {
      const { parking } = connection.definition;
      const { params } = this.request;
      const state = params!["requestState"] === undefined ? undefined : await openState(this);
      if (state?.returned) {
        const { requestState } = state.returned;
        this.request = { ...this.request, params: { ...params, requestState } };
      } else if (state) {
        const use = state.replay ? undefined : () => markUsed(state, this);
        const text = await parking?.resume(this, state.chain, use);
        if (text !== undefined) return SerialisedResult.of(text, protocol.revision);
        if (!state.replay) throw lost("not-here");
        connection.definition.replayed(placeOf(method, request.params));
      }
      this.rounds = state?.replay
        ? await openRounds(state as Replayed, this, (...answer) => sealedAnswer(this, ...answer))
        : // No state of the runtime names the answers: a client is free to choose them.
          { ...newRounds(), answers: new Map(Object.entries(answersIn(this.request)) as [string, Params][]) };
    }
    return this.#call();
  }

  #succeed(result: Result): void {
    const { connection, method, rounds } = this;
    if (this.#isOver) return connection.countAborted(-1);
    if (rounds?.wanted.size) {
      connection.definition.warn(
        `${method}: the handler went on before an ask was answered; its result is dropped`,
      );
      return this.#suspend(rounds);
    }
    let text: string;
    try {
      if (this.#asks(result)) return this.#askReturned(result);
      text = this.#textOf(result);
    } catch (error) {
      return this.#fail(error);
    }
    if (this.#holds(2 * text.length, () => this.#succeed(result))) return;
    this.#answer(text);
  }

  /** Whether a result of the handler or middleware asks the client for input. */
  #asks(result: Result): result is Params {
    const { entry, protocol } = this;
    const resultType = (result as Params | undefined)?.["resultType"];
    if (resultType !== (entry.asks ?? "input_required")) return false;
    // Legacy revisions have no such results: the runtime asks the client, and calls the handler with the answers.
    return protocol.era.stated ? entry.multiRoundTrip === true : entry !== vendorMessage;
  }

  /** Asks the client for the input that a result of the handler or middleware asks for. */
  #askReturned(result: Params): void {
    if (!this.protocol.era.stated) return this.#settle(this.#throughRounds(result));
    if (this.#holds(weightOf(result, mostHeld), () => this.#succeed(result))) return;
    this.connection.track(this);
    this.#answerLater(this.#returnedText(result));
  }

  /** Asks a client of the legacy era by requests, and calls the handler as a client of the modern era would by its retry. */
  async #throughRounds(first: Result): Promise<Result> {
    let result = first;
    for (let round = 0; round < mostRounds; round++) {
      if (!this.#asks(result)) return result;
      const { inputRequests = {}, requestState } = result;
      const inputResponses = await askWith(this).all(inputRequests as {}, { checkAnswers: false });
      this.params = { ...this.params, inputResponses, requestState };
      result = await this.handler!(this.params as never, this);
    }
    throw internalError(`${this.method}: the handler asked for input ${mostRounds} times and is not done`);
  }

  async #returnedText(result: Params): Promise<string> {
    const { inputRequests, requestState } = result;
    if ((inputRequests ?? requestState) === undefined)
      throw internalError(`${this.method}: a result that asks has inputRequests, requestState or both`);
    for (const asked of Object.values((inputRequests ?? {}) as Params))
      requireCapability(this.protocol, asked as Asked);
    if (requestState === undefined) return this.#roundText(result);
    return this.#roundText({ ...result, requestState: await sealReturned(requestState as string, this) });
  }

  #answer(text: string): void {
    this.#done({ text });
    this.connection.answer(this, resultText(this.request.id, text));
  }

  #done(outcome: Outcome): void {
    this.#isOver = true;
    if (this.parked ?? this.rounds) this.connection.definition.parking?.answered(this, outcome);
  }

  /** Whether what the handler ended with waits for the next request of its client. */
  #holds(bytes: number, later: () => void): boolean {
    this.#isDone = true;
    if (!this.parked?.isAway) return false;
    this.parked.holdEnd(bytes, later, (error) => this.#refuse(error));
    return true;
  }

  get owner(): string | undefined {
    const { principal, http } = this.connection;
    return principal || (http ? http.address : "");
  }

  takeEncoding(): readonly Promise<unknown>[] {
    return this.rounds!.encoding.splice(0);
  }

  questionOf(asked: Asked, isNew: boolean): Asked {
    return toSend(this, asked, isNew);
  }

  async roundText(asked: Readonly<Record<string, Asked>>, round: Round, lifetime: number): Promise<string> {
    return this.#roundText({ inputRequests: asked, requestState: await sealState(round, lifetime, this) });
  }

  answersGiven(): Readonly<Record<string, unknown>> {
    return answersIn(this.request);
  }

  judged(question: Judged, answer: unknown): Promise<Params> {
    return judgedAnswer(this, question, answer);
  }

  /** The result of a round that asks the client (`input_required`). */
  #roundText(asking: Params): string {
    const { entry, protocol } = this;
    const resultType = entry.asks ?? "input_required";
    return this.#sentText(protocol.era.finish({ resultType, ...asking }, this, undefined, resultType));
  }

  /** Answers the request of a round; the handler waits for the next one. */
  answerRound(text: string): void {
    this.connection.answer(this, resultText(this.request.id, text));
  }

  #textOf(result: Result): string {
    if (!(result instanceof SerialisedResult)) return this.#finishedText(result, this.hints);
    const { value, hints, texts } = result;
    const { revision } = this.protocol;
    let text = texts.get(revision);
    if (text !== undefined) return text;
    text = this.#finishedText(value, hints);
    if (!revision.hasReadRequest) texts.set(revision, text);
    return text;
  }

  /** Lowers a result, adds the members that its era requires, and serialises it. */
  #finishedText(value: Params, hints: CacheHints): string {
    if (!isObject(value))
      throw internalError(`the result of the handler or middleware of ${this.method} is not an object`);
    const { entry, params, protocol, request } = this;
    const { revision, era } = protocol;
    let lowered = value;
    if (revision.translates && !era.isAlternative?.(value, this))
      lowered = revision.lower(
        "outgoingResults",
        request.method,
        value,
        requestParams(request.params, params),
      );
    return this.#sentText(era.finish(lowered, this, entry.cacheable ? hints : undefined));
  }

  /** Serialises a result, and checks it if the server checks what it sends. @throws {McpError} `invalid-message` */
  #sentText(result: Params): string {
    const { method, protocol } = this;
    // A `toJSON` of the result may return anything, even nothing.
    const text = JSON.stringify(result) as string | undefined;
    if (text?.startsWith("{") !== true)
      throw internalError(`the result of the handler or middleware of ${method} is not an object in JSON`);
    if (protocol.revision.sends?.find("results", method, result))
      throw sendError(protocol.revision, "results", method, result)!;
    return text;
  }

  #fail(thrown: unknown): void {
    const { connection, rounds } = this;
    if (this.#isOver) return connection.countAborted(-1);
    if (rounds?.wanted.size) return this.#suspend(rounds);
    if (isMcpError(thrown) && this.#asksForPages(thrown)) return;
    this.#refuse(this.errorOf(thrown));
  }

  /** Answers with the pages that the client must open first, if the handler has thrown an error that requires them. */
  #asksForPages(thrown: McpError): boolean {
    try {
      if (!asksForPages(this, thrown)) return false;
    } catch (error) {
      this.#refuse(this.errorOf(error));
      return true;
    }
    if (!this.#holds(0, () => this.#suspend(this.rounds!))) this.#suspend(this.rounds!);
    return true;
  }

  #refuse(error: McpError): void {
    if (this.#holds(0, () => this.#refuse(error))) return;
    this.#done({ error });
    this.connection.fail(this, error);
  }

  /** Responds with the input requests of a handler that runs again. The client retries with another request. */
  #suspend(rounds: Rounds): void {
    const inputRequests = Object.fromEntries(rounds.wanted);
    this.#answerLater(
      sealRounds(rounds, this).then((requestState) => this.#roundText({ inputRequests, requestState })),
    );
  }

  #answerLater(made: Promise<string>): void {
    made.then(
      (text) => {
        if (this.#isOver) return this.connection.countAborted(-1);
        this.#answer(text);
      },
      (error: unknown) => {
        this.rounds?.wanted.clear();
        this.#fail(error);
      },
    );
  }
}

/**
 * Checks a value of the application that is kept as JSON.
 *
 * @throws {McpError} `invalid-definition`
 */
export function jsonOnly<T>(place: string, value: T): T {
  try {
    if (value === undefined || isJson(value)) return value;
  } catch {
    // The value has a cycle, or a getter that throws.
  }
  throw invalid(`${place} must be JSON or undefined`);
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

/** Whether an error is meant for the client: it has a JSON-RPC code or a name, or is that of a missing capability. */
function isMeantForClient(thrown: unknown): boolean {
  if (!isMcpError(thrown)) return false;
  const { code, protocolName, rpcCode = rpc.internalError } = thrown;
  return code === "missing-capability" || protocolName !== undefined || rpcCode !== rpc.internalError;
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

/** The protocol of a request that needs no handshake, or opens it. */
export function beforeHandshake(
  { legacyEra }: ServerDefinition,
  revision: RevisionView<"server">,
): Pick<Session, "era" | "revision" | "clientCapabilities"> {
  return { era: legacyEra!, revision, clientCapabilities: {} };
}

/** What decides the protocol of a message, beside the message. */
interface Conversation {
  readonly definition: ServerDefinition;
  readonly session: Session | undefined;
  readonly era: Era | undefined;
}

/**
 * Finds the protocol of a request: stated in the request (modern era), or negotiated for the session (legacy era).
 *
 * @throws {McpError} if the request must follow a handshake, or names a revision that the server does not serve
 */
export function resolveProtocol(
  { definition, session, era }: Conversation,
  request: RequestMessage,
): RequestProtocol {
  const { modern, legacy } = definition;
  const servesModern = modern.length > 0;
  if (servesModern && era !== "legacy" && statesRevision(request)) return modernProtocol(definition, request);
  if (request.method === "initialize") {
    const version = request.params?.["protocolVersion"];
    // That revision, or the newest one with a handshake.
    const revision = legacy.find(({ id }) => id === version) ?? legacy[0];
    if (!revision) throw unsupportedVersion(definition, version);
    return beforeHandshake(definition, revision);
  }
  if (session) return session;
  const oldest = legacy.at(-1);
  if (request.method === "ping" && oldest) return beforeHandshake(definition, oldest);
  if (servesModern) return modernProtocol(definition, request);
  throw invalidRequest("the session has not been opened: send initialize first");
}

/**
 * The revision of a notification: that of the session, or in the modern era the stated one, or else the newest.
 * `undefined` if it is not served, or must follow a handshake.
 */
export function revisionOfNotification(
  { definition: { modern }, session, era }: Conversation,
  { params }: NotificationMessage,
): RevisionView<"server"> | undefined {
  if (session || era === "legacy") return session?.revision;
  const version = params?._meta?.[metaKeys.protocolVersion];
  return version === undefined ? modern[0] : revisionOf(modern, version);
}

/** The revision that a request states in its `_meta`, if the server serves it. The request is not checked yet. */
export function statedRevision(
  { modern }: ServerDefinition,
  params: Params | undefined,
): RevisionView<"server"> | undefined {
  return revisionOf(modern, params?._meta?.[metaKeys.protocolVersion]);
}

/** A loop: every request asks, and one of the first is the one. */
function revisionOf(
  revisions: readonly RevisionView<"server">[],
  version: unknown,
): RevisionView<"server"> | undefined {
  for (const each of revisions) if (each.id === version) return each;
  return undefined;
}

/** The error for a method that the revision does not have, or that has no handler. */
export function methodNotFound({ revision }: RequestProtocol, method: string): McpError {
  const message = `there is no method ${JSON.stringify(method)} at ${revision.id}`;
  const error = new McpError("method-not-found", message, { rpcCode: rpc.methodNotFound });
  return refusal(revision, "METHOD_NOT_FOUND", error, method);
}

/** Whether a parsed message states its revision in `_meta` (2026-07-28, versioning). It may be any value. */
export function statesRevision(message: unknown): boolean {
  const meta = (message as RequestMessage | null | undefined)?.params?._meta;
  return meta?.[metaKeys.protocolVersion] !== undefined || meta?.[metaKeys.clientCapabilities] !== undefined;
}

/**
 * Reads the protocol of a request from its `_meta`.
 *
 * @throws {McpError} `unsupported-version`, `invalid-params`
 */
export function modernProtocol(definition: ServerDefinition, request: RequestMessage): RequestProtocol {
  const meta = request.params?._meta ?? {};
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== "string")
    throw missing(metaKeys.protocolVersion, definition.legacy[0] ? ": send initialize first, or add it" : "");
  const revision = revisionOf(definition.modern, version);
  if (!revision) throw unsupportedVersion(definition, version);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) throw missing(metaKeys.clientCapabilities);
  const given = revision.translates ? revision.lift("incomingRequests", "*", meta, undefined, false) : meta;
  const lifted = given[metaKeys.clientCapabilities];
  const level = given[metaKeys.logLevel] ?? undefined;
  return {
    era: modernServer,
    revision,
    clientCapabilities: lifted === capabilities ? capabilities : declaredIn(capabilities, lifted),
    clientInfo: (given[metaKeys.clientInfo] ?? undefined) as Implementation | undefined,
    logLevel: level === undefined ? level : logLevelOf(level),
  };
}

/** @throws {McpError} `invalid-params`: a client sent something else as a log level */
export function logLevelOf(level: unknown): LogLevel {
  if (!isLogLevel(level)) throw invalidParams(`there is no log level ${JSON.stringify(level)}`);
  return level;
}

/** Characters of an unsupported version that its error repeats. */
const versionLimit = 64;

/** The error for a revision that the server does not serve (2026-07-28, versioning, negotiation). */
export function unsupportedVersion(definition: ServerDefinition, version: unknown): McpError {
  const requested = typeof version === "string" ? version.slice(0, versionLimit) : undefined;
  const { modern, revisions } = definition;
  const supported = revisions.map(({ id }) => id);
  // Another revision may have another code for it: the client knows the one of its time.
  const nearest = modern.find(({ id }) => isNewer(requested ?? "", id)) ?? revisions[0]!;
  return new McpError(
    "unsupported-version",
    `protocol version ${JSON.stringify(requested)} is not supported; supported: ${supported.join(", ")}`,
    {
      rpcCode: codeAt(nearest, "UNSUPPORTED_PROTOCOL_VERSION"),
      data: { supported, requested },
    },
  );
}

function missing(key: string, more = ""): McpError {
  return invalidParams(`params._meta: ${key} is missing or malformed${more}`);
}

/** Each request states its protocol (2026-07-28). */
export const modernServer: ServerEra = {
  finish(
    result,
    { entry, connection, protocol: { revision, clientCapabilities } },
    hints,
    resultType = "complete",
  ) {
    // Other result types need members that a handler cannot supply, or are of an extension that only the client has.
    const given = result["resultType"] as string | undefined;
    const isKnown = given === undefined || given === resultType || entry.resultTypes?.includes(given);
    if (!isKnown && !clientCapabilities.extensions)
      throw internalError(
        "the server failed to answer",
        `a handler's result has the resultType ${JSON.stringify(given)}; use context.ask`,
      );
    const meta = { [metaKeys.serverInfo]: connection.definition.info };
    return {
      resultType,
      ...(hints && revision.lower("outgoingResults", "*", hints as unknown as Params)),
      ...result,
      _meta: {
        ...(revision.translates ? revision.lower("outgoingResults", "*", meta) : meta),
        ...result._meta,
      },
    };
  },
  noRequests: "a server sends no requests at this revision",
  stated: modernProtocol,
  sendAsk: askInResult,
};
