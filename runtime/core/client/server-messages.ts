import type { NullReader } from "../protocol/events.js";
import type { ClientCapabilities, CreateMessageResult, ElicitResult, Root } from "@mcpgen/protocol/authoring";
import type { IncomingNotification, IncomingRequest, RequestOptions } from "@mcpgen/protocol/model";
import type { Open } from "@mcpgen/protocol/open";
import { type WithBytes, encodeBytes } from "../protocol/binary-content.js";
import { contentProblem, formProblem, messagesProblem } from "../protocol/input-requests.js";
import { type RevisionView, issuesText, requestParams, sendError } from "../protocol/revision-view.js";
import {
  harmless,
  invalidParams,
  isMcpError,
  McpError,
  messageOf,
  internalError,
} from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import { type Params, type RequestId, type RequestMessage, isObject } from "../jsonrpc/message.js";
import { fileUriProblem, pageProblem } from "../protocol/safe-urls.js";
import {
  type AnswerContext,
  type ClientHooks,
  type Hooked,
  type NotificationListener,
  answerThrough,
} from "./middleware.js";
import type { ResultCache } from "./cache.js";
import type { VendorHandlers } from "./vendor-methods.js";
import type { Questions } from "./questions.js";

/** The client capabilities that follow from the handlers. */
export function capabilitiesOf(handlers: ClientHandlers): ClientCapabilities {
  const { elicit, elicitUrl, sample, sampleWithTools, sampleWithContext, roots } = handlers;
  return {
    ...(elicit || elicitUrl
      ? { elicitation: { ...(elicit ? { form: {} } : {}), ...(elicitUrl ? { url: {} } : {}) } }
      : {}),
    ...(sample
      ? {
          sampling: {
            ...(sampleWithTools ? { tools: {} } : {}),
            ...(sampleWithContext ? { context: {} } : {}),
          },
        }
      : {}),
    ...(roots ? { roots: {} } : {}),
  };
}

/** The dependencies of `answerServer`. */
export interface AnswerSetup {
  readonly handlers: ClientHandlers;
  /** Handlers of methods that have none in `handlers`. */
  readonly vendor: VendorHandlers;
  readonly questions: Questions;
  readonly hooked: Hooked;
  readonly report: ErrorReport;
  /** Whether the server gets the text of a thrown value. */
  readonly thrownErrors: "hide" | "message";
}

/**
 * Answers a request of the server: a JSON-RPC request, or one inside an `input_required` result.
 *
 * @param message the request as it was received
 * @returns the result, as JSON
 * @throws {McpError} with the code of JSON-RPC to answer with
 */
export async function answerServer(
  setup: AnswerSetup,
  view: RevisionView<"client">,
  request: ServerRequest,
  context: AnswerContext,
): Promise<string> {
  const { hooks } = setup.hooked;
  const isSeen = hooks.middleware.length > 0;
  if (request.method === "ping" && !isSeen && view.table.incomingRequests.has("ping")) return "{}";
  try {
    return await answerOf(setup, view, request, context);
  } catch (error) {
    if (!context.signal.aborted && !ready.has(error as object)) reportFailure(setup, request, error);
    throw error;
  }
}

/** Results in the words of their revision, and errors that have been reported. */
const ready = new WeakSet<object>();

/** Marks a result or an error of middleware that is sent as it is. */
export function asReady<Value extends object>(value: Value): Value {
  ready.add(value);
  return value;
}

/** A request of the server; one inside a result has no id. */
interface ServerRequest {
  readonly method: string;
  readonly params?: Params;
  readonly id?: RequestId;
}

/** Reports why a request of the server gets an error, unless its handler chose the error. */
export function reportFailure(
  { report, hooked: { hooks } }: AnswerSetup,
  { method, id: requestId }: ServerRequest,
  error: unknown,
): void {
  const {
    code = undefined,
    rpcCode = rpc.internalError,
    message = "",
    data,
  } = isMcpError(error) ? error : {};
  if (code === "limit-exceeded" && isObject(data))
    return hooks.emit({ type: "limit-hit", limit: limitName(String(data["limit"])), method });
  if (rpcCode === rpc.methodNotFound || rpcCode === rpc.invalidParams) {
    const reason = rpcCode === rpc.invalidParams ? "params" : "method";
    return hooks.emit({
      type: "request-refused",
      reason,
      method,
      message,
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
  if (rpcCode === rpc.internalError) report(error, method, requestId);
}

/** Limits of extensions have a path, those of the client the name of a member. */
function limitName(limit: string): string {
  return limit.includes(".") ? limit : `limits.${limit}`;
}

async function answerOf(
  { handlers, vendor, questions, hooked }: AnswerSetup,
  view: RevisionView<"client">,
  { method, params = {}, id }: ServerRequest,
  context: AnswerContext,
): Promise<string> {
  const { table } = view;
  const entry = table.incomingRequests.get(method);
  const answer = entry && (method === "ping" ? pong : isAnswered(method) ? answerers[method] : undefined);
  const other = answer ? undefined : vendor.of(method);
  if (!answer && !other) throw notFound(method);
  const whole = { jsonrpc: "2.0", id: 0, method, params };
  const given = !entry || entry.accepts(whole) ? params : await mended(view, entry, whole, hooked.readNulls);
  const lifted = view.lift("incomingRequests", method, given);
  const result: unknown = await answerThrough(
    hooked,
    view,
    { method, params: lifted, ...(id === undefined ? {} : { id }) },
    context,
    async (wanted, own) => {
      const ask: Ask = (work) => questions.ask(wanted, own, work);
      return answer
        ? answer(handlers, wanted, own, ask)
        : (ask(() => other!(wanted, own)) as Promise<Params>);
    },
  );
  return resultText(view, method, result, requestParams(given, lifted));
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

/**
 * The parameters of a refused request without members that are null instead of absent.
 *
 * @throws {McpError} `invalid-params`: they are wrong even so
 */
async function mended(
  view: RevisionView<"client">,
  entry: IncomingRequest,
  request: { readonly method: string; readonly params: Params },
  read: NullReader,
): Promise<Params> {
  const envelope = await read(entry, request, request.method);
  if (entry.accepts(envelope)) return envelope.params ?? {};
  const issues = await view.issues(envelope, entry).catch(() => []);
  throw invalidParams(`${request.method}: ${issuesText(issues, "the parameters are wrong")}`);
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

/** Calls the application when the turn of the question comes. */
type Ask = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

type Answerer = (
  handlers: ClientHandlers,
  params: Params,
  context: AnswerContext,
  ask: Ask,
) => Promise<Params>;

const elicit: Answerer = async (handlers, params, context, ask) => {
  const { elicit: fillIn, elicitUrl } = handlers;
  if (!fillIn && !elicitUrl) throw notDeclared("elicitation");
  if (params["mode"] === "url") {
    if (!elicitUrl) throw invalidParams("the client has not declared elicitation.url");
    const unsafe = pageProblem(params["url"]);
    if (unsafe !== undefined) throw invalidParams(`the URL of the page is refused: ${unsafe}`);
    const { action } = answered("elicitUrl", await ask(() => elicitUrl(params as never, context)));
    return { action };
  }
  if (!fillIn) throw invalidParams("the client has not declared elicitation.form");
  const problem = formProblem(params["requestedSchema"]);
  if (problem !== undefined) throw invalidParams(problem);
  const result = answered("elicit", await ask(() => fillIn(params as never, context)));
  if (result.action !== "accept") return { action: result.action };
  const content = result.content ?? {};
  const bad = await contentProblem(params["requestedSchema"], content);
  if (bad !== undefined) throw internalError(`the user's answer does not fit the form: ${bad}`);
  return { action: "accept", content };
};

const sample: Answerer = async ({ sample: handler, sampleWithTools }, params, context, ask) => {
  if (!handler) throw notDeclared("sampling");
  if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampleWithTools)
    throw invalidParams("the client has not declared sampling.tools");
  const problem = messagesProblem(params["messages"]);
  if (problem !== undefined) throw invalidParams(problem);
  const message = await ask(() => handler(params as never, context));
  return ((await encodeBytes(message)) ?? message) as unknown as Params;
};

const listRoots: Answerer = async ({ roots }, _params, context, ask) => {
  if (!roots) throw notDeclared("roots");
  const list = typeof roots === "function" ? await ask(() => roots(context)) : roots;
  const problem = rootsProblem(list);
  if (problem !== undefined) throw internalError(problem);
  return { roots: list };
};

const pong: Answerer = async () => ({});

const answerers: { readonly [method: string]: Answerer } = {
  "elicitation/create": elicit,
  "sampling/createMessage": sample,
  "roots/list": listRoots,
};

/** Whether the client answers a method by a function that `connect` gets. */
export function isAnswered(method: string): boolean {
  return Object.hasOwn(answerers, method);
}

/** Checks the result of a handler, which may be untyped. */
function answered<Result extends object>(handler: string, result: Result): Result {
  if (!isObject(result)) throw internalError(`${handler} gave ${JSON.stringify(result)}, not an object`);
  return result;
}

/** The problem of the roots of a client, if there is one (client/roots, root). */
export function rootsProblem(roots: readonly Root[]): string | undefined {
  if (!Array.isArray(roots)) return `roots must be a list, not ${JSON.stringify(roots)}`;
  for (const root of roots as readonly Root[]) {
    const problem =
      fileUriProblem(root?.uri) ?? (root.uri.startsWith("file://") ? undefined : "file is in lower case");
    if (problem !== undefined)
      return `roots are file:// URIs of this machine; ${root?.uri ?? JSON.stringify(root)} is not: ${problem}`;
  }
  return undefined;
}

/** The error to throw from `sample` when the user rejects the request (sampling, error handling). */
export function userRejected(message = "the user rejected the request"): McpError {
  return new McpError("cancelled", message, { rpcCode: -1 });
}

function notFound(method: string): McpError {
  return new McpError("method-not-found", `there is no method ${JSON.stringify(method)}`, {
    rpcCode: rpc.methodNotFound,
  });
}

/** Revisions differ in the code; an undeclared capability counts as a missing method. */
function notDeclared(capability: string): McpError {
  return new McpError("missing-capability", `the client has not declared ${capability}`, {
    rpcCode: rpc.methodNotFound,
  });
}

/** The JSON-RPC error for a thrown value. */
export function errorBody(thrown: unknown): { code: number; message: string; data?: unknown } {
  const error = isMcpError(thrown) ? thrown : undefined;
  const data = error?.data;
  return {
    code: error?.rpcCode ?? rpc.internalError,
    message: error?.message ?? "the client failed to answer",
    ...(isObject(data) ? { data } : {}),
  };
}

/** What a handler of sampling requests returns. */
export type SamplingAnswer = CreateMessageResult | WithBytes<CreateMessageResult>;

/** Handlers for requests of the server. The client declares a capability for each handler given. */
export interface ClientHandlers {
  /** Shows a form to the user and returns the content. */
  readonly elicit?: (
    form: Open<"ElicitRequestFormParams">,
    context: AnswerContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Asks the user whether to visit a page, and opens it if they agree. Do not fetch the URL before (2026-07-28,
   * elicitation, safe URL handling). The URL is `https:`, or `http:` on this machine, in printable ASCII and without
   * credentials; the server gets −32602 for any other.
   */
  readonly elicitUrl?: (
    page: Open<"ElicitRequestURLParams">,
    context: AnswerContext,
  ) => Pick<ElicitResult, "action"> | Promise<Pick<ElicitResult, "action">>;
  /** Lets a model write a message; `data` of images and audio may be bytes. Throw `userRejected()` if the user rejects the request. */
  readonly sample?: (
    params: Open<"CreateMessageRequestParams">,
    context: AnswerContext,
  ) => SamplingAnswer | Promise<SamplingAnswer>;
  /** Whether `sample` accepts requests with tools. */
  readonly sampleWithTools?: boolean;
  /** Whether `sample` accepts requests for the context of other servers. */
  readonly sampleWithContext?: boolean;
  /** The folders and files that the server should stay in; `file://` URIs. */
  readonly roots?: readonly Root[] | ((context: AnswerContext) => readonly Root[] | Promise<readonly Root[]>);
}

/** What the server gets to know of a thrown value. */
export function shown({ thrownErrors }: AnswerSetup, thrown: unknown): unknown {
  return thrownErrors !== "message" || isMcpError(thrown) ? thrown : internalError(messageOf(thrown), thrown);
}

/** Handles the messages that the server starts: requests and notifications. */
export class Incoming {
  readonly #answers: AnswerSetup;
  readonly #cache: ResultCache;
  readonly #listeners: Listeners;

  constructor(answers: AnswerSetup, cache: ResultCache, listeners: Listeners) {
    this.#answers = answers;
    this.#cache = cache;
    this.#listeners = listeners;
  }

  /** Answers a request (legacy era). Resolves with the result as JSON. */
  async answer(
    view: RevisionView<"client">,
    request: RequestMessage,
    context: AnswerContext,
  ): Promise<string> {
    try {
      return await answerServer(this.#answers, view, request, context);
    } catch (error) {
      throw shown(this.#answers, error);
    }
  }

  readonly report: ErrorReport = (error, method) => this.#answers.report(error, method);

  /** Whether servers ask by a method: one of the revision, or of a vendor. */
  isRequest({ table }: RevisionView<"client">, method: string): boolean {
    return table.incomingRequests.has(method) || this.#answers.vendor.has(method);
  }

  /** Passes a notification to its listeners. Drops a malformed one. */
  notified(view: RevisionView<"client">, method: string, params: Params): void {
    const entry = view.table.incomingNotifications.get(method);
    const message = { jsonrpc: "2.0", method, params };
    if (!entry || entry.accepts(message)) return this.#deliver(view, entry, message);
    void this.#answers.hooked
      .readNulls(entry, message, method)
      .then((mended) => entry.accepts(mended) && this.#deliver(view, entry, mended))
      .catch(() => undefined);
  }

  #deliver(
    view: RevisionView<"client">,
    entry: IncomingNotification | undefined,
    { method, params }: { readonly method: string; readonly params: Params },
  ): void {
    let lifted = params;
    try {
      if (entry) lifted = view.lift("incomingNotifications", method, params);
    } catch (error) {
      return this.report(error, method);
    }
    if (entry) this.#cache.invalidate(entry, lifted, view.table.outgoingRequests);
    this.#listeners.dispatch(method, lifted);
  }
}

/**
 * Gets what handlers and listeners of the application throw, and errors for wrong results of handlers. `method` is that of the
 * request or notification; `onClose` for that option.
 */
export type ClientErrorListener = (error: unknown, place: { readonly method: string }) => unknown;

/** Reports an error of the application. Never throws. */
type ErrorReport = (error: unknown, method: string, requestId?: RequestId) => void;

/** Reports errors to the listener of the option `onError`, and as events `handler-error`. */
export function errorReport(onError: ClientErrorListener, { emit }: ClientHooks): ErrorReport {
  const listener = harmless(onError);
  return (error, method, requestId) => {
    listener(error, { method });
    emit({ type: "handler-error", method, error, requestId });
  };
}

/** The listeners of notifications. A listener that throws does not stop the messages after it. */
export class Listeners {
  readonly #byMethod = new Map<string, Set<NotificationListener>>();
  readonly #report: ErrorReport;

  constructor(report: ErrorReport) {
    this.#report = report;
  }

  /** @param method `*` for all methods */
  add(method: string, listener: NotificationListener): () => void {
    const listeners = this.#byMethod.get(method) ?? new Set();
    this.#byMethod.set(method, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  dispatch(method: string, params: Params): void {
    for (const key of [method, "*"])
      for (const listener of this.#byMethod.get(key) ?? [])
        this.attempt(method, () => listener(params, method));
  }

  /** The same options with an `onProgress` that never throws. */
  guard(options: RequestOptions): RequestOptions {
    const { onProgress } = options;
    if (!onProgress) return options;
    return {
      ...options,
      onProgress: (progress) => this.attempt("notifications/progress", () => onProgress(progress)),
    };
  }

  /** Calls a listener, and reports what it throws or, if it is asynchronous, rejects with. */
  attempt(method: string, call: () => unknown): void {
    const failed = (error: unknown): void => this.#report(error, method);
    try {
      const returned = call();
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
