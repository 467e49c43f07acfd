import type { IncomingRequest, OutgoingRequest } from "@mcpgen/protocol/model";
import {
  Aborts,
  Admission,
  type ErrorObject,
  errorObjectOf,
  internalError,
  invalidParams,
  isMcpError,
  isObject,
  McpError,
  messageOf,
  type Params,
  type platform,
  progressOf,
  type RequestId,
  weightOf,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { type InternalContext, type Peer, through } from "../protocol/hooks.js";
import { errorAt } from "../protocol/error-table.js";
import { type RevisionView, issuesText, requestParams, sendError } from "../protocol/revision-view.js";
import { type ClientLimits, limitExceeded } from "./client-profile.js";
import { invalidResult } from "./decode.js";
import { type Answering, type Ask, answererOf } from "./handlers.js";
import {
  type AnswerContext,
  type Hooked,
  type IncomingContext,
  type OriginatingRequest,
  peerOf,
} from "./middleware.js";
import type { VendorHandlers } from "./vendor-methods.js";

/** A request of the server; one inside a result has no id. */
export interface Question {
  readonly method: string;
  readonly params?: Params;
  readonly id?: RequestId;
}

/** Gets the progress of a handler. Returns whether it is sent. */
export type Progressed = (...report: Parameters<AnswerContext["progress"]>) => boolean;

const aborts = new Aborts();

/** What a question comes with, beside itself. */
interface QuestionParts extends Partial<Pick<AnswerContext, "key" | "request">> {
  /** Aborts with the request whose result asks. */
  readonly signal?: platform.AbortSignal;
  /** Sends a notification of progress. */
  readonly notify?: (params: Params) => void;
}

/** The context of one question. Creates the signal on first use: it costs more than a ping. */
export class QuestionContext implements IncomingContext, InternalContext {
  readonly protocol: { readonly revision: RevisionView<"client"> };
  readonly connection: Peer;
  readonly key: string | undefined;
  readonly request: OriginatingRequest | undefined;
  lastProgress = -Infinity;
  readonly #question: Question;
  readonly #parts: QuestionParts;
  #controller: AbortController | undefined;
  /** Removes the listener from the signal of the request whose result asks. */
  #ignore: (() => void) | undefined;
  #cancelled: McpError | undefined;
  /** It was answered or cancelled. */
  #isOver = false;
  /** Of progress that goes on after the answer. */
  #lastingMeta: Params | undefined;
  #progressed: Progressed | undefined;
  #onAnswered: (() => void) | undefined;

  constructor(hooked: Hooked, view: RevisionView<"client">, question: Question, parts: QuestionParts) {
    this.protocol = { revision: view };
    this.connection = peerOf(hooked);
    this.#question = question;
    this.#parts = parts;
    this.key = parts.key;
    this.request = parts.request;
  }

  get revision(): string {
    return this.protocol.revision.id;
  }

  get method(): string {
    return this.#question.method;
  }

  get requestId(): RequestId | undefined {
    return this.#question.id;
  }

  get signal(): platform.AbortSignal {
    return this.#abortController().signal;
  }

  /** Whether the server no longer waits for the answer. Its signal may have aborted for another reason: see `stop`. */
  get isCancelled(): boolean {
    return this.#cancelled !== undefined || this.#parts.signal?.aborted === true;
  }

  // Does not depend on `this`: handlers may destructure the context.
  get progress(): AnswerContext["progress"] {
    return (...report) => {
      if (this.#isOver || this.#progressed?.(...report) === false) return;
      const token = this.#question.params?._meta?.["progressToken"];
      const params = progressOf(this, token, ...report);
      const _meta = this.#lastingMeta;
      if (params) this.#parts.notify?.(_meta ? { ...params, _meta } : params);
    };
  }

  /** See `outlast` of the entry for extensions. */
  outlast(meta: Params, progressed: Progressed): Promise<void> {
    this.#lastingMeta = meta;
    this.#progressed = progressed;
    return new Promise((resolve) => (this.#onAnswered = resolve));
  }

  /** The answer was sent. */
  answered(): void {
    this.#isOver = this.#lastingMeta === undefined;
    this.#onAnswered?.();
  }

  /** The handler has ended. */
  ended(): void {
    this.#ignore?.();
  }

  /** The server has cancelled the request, or the connection has closed. */
  abort(why: McpError): void {
    this.#isOver = true;
    this.#cancelled = why;
    this.#controller?.abort(why);
    this.#onAnswered?.();
  }

  /** Aborts the signal; the request still gets an answer. @returns `false` if it is aborted already */
  stop(reason: Error): boolean {
    const controller = this.#abortController();
    if (controller.signal.aborted) return false;
    controller.abort(reason);
    return true;
  }

  #abortController(): AbortController {
    if (this.#controller) return this.#controller;
    const controller = (this.#controller = new AbortController());
    const { signal } = this.#parts;
    const abort = (): void => controller.abort(signal!.reason);
    if (this.#cancelled) controller.abort(this.#cancelled);
    else if (signal?.aborted) abort();
    else if (signal) this.#ignore = aborts.on(signal, abort);
    return controller;
  }
}

/** Results in the words of their revision, and errors that have been reported. */
const ready = new WeakSet<object>();

/** Marks a result or an error of middleware that is sent as it is. */
export function asReady<Value extends object>(value: Value): Value {
  ready.add(value);
  return value;
}

type Received = "incomingRequests" | "incomingNotifications";

/** The dependencies of `Questions`. */
interface QuestionSetup {
  readonly handlers: Answering;
  /** Handlers of methods that have none in `handlers`. */
  readonly vendor: VendorHandlers;
  readonly hooked: Hooked;
  /** All revisions that the client knows. */
  readonly known: readonly RevisionView<"client">[];
  readonly limits: ClientLimits;
  /** Whether the server gets the text of a thrown value. */
  readonly thrownErrors: "hide" | "message";
}

/** Answers the requests of the server by the functions of the application: JSON-RPC requests, and those inside results. */
export class Questions {
  readonly handlers: Answering;
  readonly hooked: Hooked;
  readonly #vendor: VendorHandlers;
  readonly #known: QuestionSetup["known"];
  readonly #maxRoundQuestions: number;
  readonly #turns: QuestionTurns;
  readonly #thrownErrors: QuestionSetup["thrownErrors"];

  constructor({ handlers, vendor, hooked, known, limits, thrownErrors }: QuestionSetup) {
    this.handlers = handlers;
    this.hooked = hooked;
    this.#vendor = vendor;
    this.#known = known;
    this.#maxRoundQuestions = limits.maxRoundQuestions;
    this.#turns = new QuestionTurns(limits);
    this.#thrownErrors = thrownErrors;
  }

  /** Reports an error of the application as event `handler-error`. Never throws. */
  report(error: unknown, method: string, requestId?: RequestId): void {
    this.hooked.hooks.emit({ type: "handler-error", method, error, requestId });
  }

  /** Whether servers ask by a method: one of the revision, or of a vendor. */
  isRequest({ table }: RevisionView<"client">, method: string): boolean {
    return table.incomingRequests.has(method) || this.#vendor.has(method);
  }

  /** Whether other revisions have a message, and this one does not: no table checks it, so no handler gets it. */
  isOfOther({ table }: RevisionView<"client">, direction: Received, method: string): boolean {
    return !table[direction].has(method) && this.#known.some((each) => each.table[direction].has(method));
  }

  /**
   * Answers one question.
   *
   * @param question as it was received
   * @returns the result, as JSON
   * @throws {McpError} with the code of JSON-RPC to answer with
   */
  async answer(view: RevisionView<"client">, question: Question, context: QuestionContext): Promise<string> {
    const isSeen = this.hooked.hooks.middleware.length > 0;
    if (question.method === "ping" && !isSeen && view.table.incomingRequests.has("ping")) return "{}";
    try {
      return await this.#answer(view, question, context);
    } catch (error) {
      if (!context.isCancelled && !ready.has(error as object)) this.reportFailure(question, error);
      throw error;
    }
  }

  /**
   * Answers the questions in a result.
   *
   * @param asked by key
   * @param request the request that has the result; without it, the result is that of an extension
   * @returns the answers by key
   * @throws {McpError} `limit-exceeded`: there are more than 32; or the error of a handler
   */
  async answerAll(
    view: RevisionView<"client">,
    asked: Params,
    signal: platform.AbortSignal,
    request?: OriginatingRequest,
  ): Promise<{ readonly [key: string]: Params }> {
    const method = request?.method;
    const questions = Object.entries(asked);
    const most = this.#maxRoundQuestions;
    if (questions.length > most) {
      this.hooked.hooks.emit({
        type: "limit-hit",
        limit: "limits.maxRoundQuestions",
        ...(method !== undefined && { method }),
      });
      const [where, when] = method === undefined ? ["", "at once"] : [`${method}: `, "in one round"];
      const text = `${where}the server asks ${questions.length} questions ${when}; at most ${most} are answered`;
      throw limitExceeded(text, "maxRoundQuestions", most);
    }
    const answers = questions.map(async ([key, question]) => {
      if (!isQuestion(question)) throw invalidResult(method ?? key, `inputRequests.${key} is not a request`);
      const context = new QuestionContext(this.hooked, view, question, { signal, key, request });
      try {
        return [key, JSON.parse(await this.answer(view, question, context)) as Params] as const;
      } catch (error) {
        if (method === undefined || isMcpError(error)) throw error;
        const text = `${method}: ${question.method} was not answered: ${messageOf(error)}`;
        throw new McpError("internal-error", text, { cause: error });
      }
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  /** The JSON-RPC error for a thrown value: the text of what is no `McpError` is sent only if the application says so. */
  errorBody(view: RevisionView<"client">, thrown: unknown): ErrorObject {
    if (isMcpError(thrown)) return errorObjectOf(errorAt(view, thrown));
    const message = this.#thrownErrors === "message" ? messageOf(thrown) : "the client failed to answer";
    return { code: rpc.internalError, message };
  }

  /** Reports why a question gets an error, unless its handler chose the error. */
  reportFailure({ method, id: requestId }: Question, error: unknown): void {
    const { emit } = this.hooked.hooks;
    const {
      code,
      rpcCode = rpc.internalError,
      message = "",
      data,
    }: Partial<McpError> = isMcpError(error) ? error : {};
    if (code === "limit-exceeded" && isObject(data))
      return emit({ type: "limit-hit", limit: limitName(String(data["limit"])), method });
    if (rpcCode === rpc.internalError) return this.report(error, method, requestId);
    if (rpcCode !== rpc.methodNotFound && rpcCode !== rpc.invalidParams) return;
    emit({
      type: "request-refused",
      reason: rpcCode === rpc.invalidParams ? "params" : "method",
      method,
      message,
      ...(requestId === undefined ? {} : { requestId }),
    });
  }

  async #answer(view: RevisionView<"client">, question: Question, context: QuestionContext): Promise<string> {
    const { method, params = {} } = question;
    const entry = view.table.incomingRequests.get(method);
    const own = entry && answererOf(method);
    const isOther = this.isOfOther(view, "incomingRequests", method);
    const vendor = own || isOther ? undefined : this.#vendor.of(method);
    if (!own && !vendor)
      throw new McpError("method-not-found", `there is no method ${JSON.stringify(method)}`, {
        rpcCode: rpc.methodNotFound,
      });
    const whole = { jsonrpc: "2.0", id: 0, method, params };
    // Most are right as they are: their handlers are called in this turn.
    const given = !entry || entry.accepts(whole) ? params : await this.#mended(view, entry, whole);
    const lifted = view.lift("incomingRequests", method, given);
    const run = async (wanted: Params): Promise<Params> => {
      const ask: Ask = (work) => this.#turns.ask(wanted, context, work);
      try {
        if (own) return await own(this.handlers, wanted, context, ask);
        return (await ask(() => vendor!(wanted, context))) as Params;
      } finally {
        context.ended();
      }
    };
    const request = { direction: "incoming", method, params: lifted, context };
    const result: unknown = await through(this.hooked.hooks.middleware, request, run);
    return resultText(view, method, result, requestParams(given, lifted));
  }

  /**
   * The parameters of a refused request without members that are null instead of absent.
   *
   * @throws {McpError} `invalid-params`: they are wrong even so
   */
  async #mended(
    view: RevisionView<"client">,
    entry: IncomingRequest,
    request: { readonly method: string; readonly params: Params },
  ): Promise<Params> {
    const { method } = request;
    const read = await this.hooked.readNulls(entry, request, method);
    if (entry.accepts(read)) return read.params ?? {};
    throw invalidParams(`${method}: ${issuesText(await view.issues(read, entry))}`);
  }
}

function isQuestion(value: unknown): value is Question {
  return isObject(value) && typeof value["method"] === "string";
}

/** Limits of extensions have a path, those of the client the name of a member. */
function limitName(limit: string): string {
  return limit.includes(".") ? limit : `limits.${limit}`;
}

/**
 * What a handler returned, as it is sent.
 *
 * @param request params of the request, in the authoring vocabulary
 * @throws {McpError} `internal-error`, `invalid-message`, `not-expressible`
 */
export function resultText(
  view: RevisionView<"client">,
  method: string,
  result: unknown,
  request?: Params,
): string {
  if (!isObject(result)) throw internalError(`${method}: the handler returned a value that is not an object`);
  const lowered = ready.has(result) ? result : view.lower("outgoingResults", method, result, request);
  const text = jsonOf(method, lowered);
  const wrong = sendError(view, "results", method, lowered);
  if (wrong) throw wrong;
  return text;
}

/** The result as JSON. A handler may return what JSON cannot hold: a BigInt, a cycle, an object whose `toJSON` gives none. */
function jsonOf(method: string, result: Params): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    throw internalError(`${method}: the answer to it is no JSON: ${messageOf(error)}`, error);
  }
  if (text?.startsWith("{")) return text;
  throw internalError(`${method}: the answer to it is no object in JSON`);
}

/** Bytes of all waiting questions, about. */
const maxWaitingBytes = 32 * 1_048_576;

/** Limits how many questions of the server the application gets at a time; the others wait in order. */
class QuestionTurns {
  readonly #limits: ClientLimits;
  /** Begin what waits; the first one has waited longest. */
  readonly #waiting = new Set<() => void>();
  /** Of what waits. */
  readonly #room: Admission;
  #running = 0;

  constructor(limits: ClientLimits) {
    this.#limits = limits;
    this.#room = new Admission({ count: limits.maxWaitingQuestions, bytes: maxWaitingBytes });
  }

  /**
   * Calls the application when the turn of the question comes. The turn lasts until the application has answered, even if
   * the question is cancelled first.
   *
   * @param question the parameters, for their size
   * @param context its signal is read only if the question waits
   * @throws {McpError} `limit-exceeded`: too many questions wait. The reason of the signal, if it aborts before the turn
   */
  async ask<Result>(
    question: object,
    context: { readonly signal: platform.AbortSignal },
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (this.#running < this.#limits.maxQuestions) this.#running++;
    else await this.#turn(question, context.signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(question: object, signal: platform.AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason;
    const { maxWaitingQuestions } = this.#limits;
    const bytes = weightOf(question, maxWaitingBytes);
    if (this.#room.admit(undefined, bytes))
      throw limitExceeded(
        `the client has ${this.#waiting.size} questions waiting and takes no more`,
        "maxWaitingQuestions",
        maxWaitingQuestions,
      );
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        ignore();
        this.#waiting.delete(begin);
        this.#room.release(undefined, bytes);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const ignore = aborts.on(signal, () => {
        leave();
        reject(signal.reason as Error);
      });
      this.#waiting.add(begin);
    });
  }

  /** Passes the turn to the question that has waited longest. */
  #next(): void {
    const [first] = this.#waiting;
    if (first) first();
    else this.#running--;
  }
}

/** Most rounds of input for one request. */
const maxRounds = 10;

/**
 * Whether a result is a final one: its `resultType` is `complete`, absent, or that of an alternative which asks for nothing
 * (2026-07-28, `resultType`).
 */
export function isComplete(result: unknown, { resultTypes }: OutgoingRequest): boolean {
  if (!isObject(result)) return false;
  const { resultType } = result as Params;
  return (
    resultType === undefined ||
    resultType === "complete" ||
    resultTypes?.includes(resultType as string) === true
  );
}

/** A request that a server answers in rounds. */
interface RoundRequest {
  readonly view: RevisionView<"client">;
  readonly request: OriginatingRequest;
  readonly entry: OutgoingRequest;
  readonly signal: platform.AbortSignal;
  /** Sends the request again with added parameters. */
  readonly send: (added: Params) => Promise<unknown>;
  /** The first result. */
  readonly first: unknown;
}

/**
 * Answers the input requests of a server until the request is complete (2026-07-28, multi round-trip requests).
 *
 * @throws {McpError} `invalid-result`, `limit-exceeded`, or the error of a handler
 */
export async function throughRounds(
  questions: Questions,
  { view, request, entry, signal, send, first }: RoundRequest,
): Promise<{ result: Params; rounds: number }> {
  const { method } = request;
  let result = first;
  for (let rounds = 0; rounds <= maxRounds; rounds++) {
    if (!isObject(result)) throw invalidResult(method, "expected an object");
    if (isComplete(result, entry)) return { result, rounds };
    const { resultType, inputRequests } = result;
    const asks = entry.alternatives?.some(({ key, value }) => key === "resultType" && value === resultType);
    if (!asks || !entry.multiRoundTrip)
      throw invalidResult(method, `its resultType ${JSON.stringify(resultType)} is unknown`);
    // Some languages write absent members as null.
    const requestState = result["requestState"] ?? undefined;
    if ((inputRequests ?? requestState) === undefined)
      throw invalidResult(method, "it asks for input without inputRequests and without requestState");
    const asked = isObject(inputRequests) ? inputRequests : {};
    const inputResponses = await questions.answerAll(view, asked, signal, request);
    const added: Record<string, unknown> = {};
    if (Object.keys(inputResponses).length > 0) added["inputResponses"] = inputResponses;
    if (requestState !== undefined) added["requestState"] = requestState;
    result = await send(added);
  }
  throw new McpError(
    "invalid-result",
    `${method}: the server asked for input ${maxRounds} times and is not done`,
  );
}
