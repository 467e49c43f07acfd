import { mostReserved, weightOf } from "../jsonrpc/json-limits.js";
import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { OpenDefinition, RequestOptions } from "@mcpgen/protocol/model";
import { McpError } from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import { type Params, type RequestId, notificationText } from "../jsonrpc/message.js";
import type { ServerChannel } from "../jsonrpc/channel.js";
import type { Clock } from "../time/clock.js";
import { type LogLevel, logMessage, metaKeys } from "../protocol/meta.js";
import type { Ask, AskOptions, HandlerContext } from "./context.js";
import { askWith, missingCapability, withElicitationId, answerOf, lowered } from "./ask.js";
import { ServerConnection } from "./connection.js";
import { RequestContext, errorOf, handlerOf, jsonOnly } from "./request.js";
import { declares, mayGet, requestParams } from "../protocol/revision-view.js";
import { sendError } from "../protocol/send-check.js";
import { vendorMessage, type RequestProtocol, SerialisedResult } from "./server-definition.js";
import { beforeHandshake, modernServer } from "./request-protocol.js";
import { type Asked, type Rounds, newRounds } from "./rounds.js";
import type { Server } from "./server.js";

// Handlers that run on after the answer to their request, and requests that a server makes again for a client.

/** What a handler has asked, and what it has done once: with it, the handler runs again from its first line. JSON. */
export interface Journal {
  /** Answers of the client, by the key of the ask. */
  readonly answers: { readonly [key: string]: Params };
  /** Results of `context.once`, in the order of their ends. */
  readonly once: readonly Done[];
}

/** The result of one `context.once`; without a value if it is `undefined`. */
export interface Done {
  readonly key: string;
  readonly value?: unknown;
}

/** What happens in a handler that may be detached. */
export interface DetachedHooks {
  /** An effect of `context.once` has ended, here or in an earlier round. `once` resolves after this function. */
  readonly done: (effect: Done) => void | Promise<void>;
  /** An effect of `context.once` is to begin: it does not if this function throws or rejects. */
  readonly begins: () => void | Promise<void>;
  /** The handler reports progress. */
  readonly progressed: (progress: number, total?: number, message?: string) => void;
  /** The detached handler sends a notification or a log message. Without the function, it reaches no client. */
  readonly sent: ((method: string, params: object | undefined) => void) | undefined;
  /** Further members of the context. */
  readonly added: object;
}

/** A handler that may run on after the answer to its request. */
export interface Detachable {
  /** The context for the handler. */
  readonly context: HandlerContext;
  /** Answers of the client, by the key of the ask. */
  readonly answers: ReadonlyMap<string, Params>;
  /** The asks that have no answer, as the revision sends them. If there are any, what the handler gave is void. */
  readonly wanted: ReadonlyMap<string, Asked>;
  /**
   * Separates the handler from its request: from now on the end of the request does not abort the signal; what the handler
   * reports goes to the hooks; asks without an answer reject, and stand in `wanted`.
   */
  detach(): void;
  /** Aborts the signal of the handler. */
  abort(reason: Error): void;
}

/**
 * Makes the context of a handler that may run on after the answer to its request.
 *
 * @param given the context of the request
 * @param journal of an earlier run of the handler
 */
export function detachable(
  given: HandlerContext,
  hooks: DetachedHooks,
  journal: Journal = { answers: {}, once: [] },
): Detachable {
  const request = given as RequestContext;
  for (const [key, running] of request.rounds?.once ?? [])
    void running.then((value) => hooks.done(doneOf(key, value)));
  const rounds = (request.rounds ??= roundsOf(journal));
  const controller = new AbortController();
  let isDetached = false;
  const follow = (): void => {
    if (!isDetached) controller.abort(request.signal.reason);
  };
  if (request.signal.aborted) follow();
  else request.signal.addEventListener("abort", follow);
  const { progress, log, disconnect, headers, url } = request;
  const own = {
    rounds,
    signal: controller.signal,
    headers,
    url,
    // A detached handler has no request that could be over. What an aborted one throws is not reported.
    get over() {
      return isDetached ? controller.signal.aborted : request.over;
    },
    entry: { ...request.entry, multiRoundTrip: true },
    progress: (...args: Parameters<HandlerContext["progress"]>) => {
      if (!isDetached) progress(...args);
      hooks.progressed(...args);
    },
    log: (level: LogLevel, data: unknown, logger?: string) => {
      if (isDetached) hooks.sent?.(logMessage, { level, data: data ?? null, logger });
      else log(level, data, logger);
    },
    send: (method: string, params: Params | undefined) => {
      if (isDetached) hooks.sent?.(method, params);
      else request.send(method, params);
    },
    disconnect: (retryMs?: number) => {
      if (!isDetached) disconnect(retryMs);
    },
    ...hooks.added,
  };
  const context = Object.create(request, Object.getOwnPropertyDescriptors(own)) as RequestContext;
  const { once } = context;
  const ask = askIn(context, rounds, () => isDetached);
  Object.defineProperties(context, {
    ask: { value: ask },
    once: {
      value: ((key, effect) =>
        once(key, async () => {
          const held = hooks.begins();
          if (held) await held;
          const value = jsonOnly(key, await effect());
          await hooks.done(doneOf(key, value));
          return value;
        })) satisfies HandlerContext["once"],
    },
  });
  return {
    context,
    answers: rounds.answers,
    wanted: rounds.wanted,
    detach: () => {
      isDetached = true;
      request.signal.removeEventListener("abort", follow);
      request.rounds = undefined;
    },
    abort: (reason) => controller.abort(reason),
  };
}

function doneOf(key: string, value: unknown): Done {
  return value === undefined ? { key } : { key, value };
}

function roundsOf({ answers, once }: Journal): Rounds {
  return {
    ...newRounds(),
    answers: new Map(Object.entries(answers)),
    once: new Map(once.map(({ key, value }) => [key, Promise.resolve(value)])),
  };
}

/** Asks as the era does, until the handler is detached. */
function askIn(context: RequestContext, rounds: Rounds, isDetached: () => boolean): Ask {
  const { connection, protocol, request, signal } = context;
  return askWith(context, (key, asked, options) =>
    isDetached() || protocol.revision.era === "modern"
      ? answerOf(context, rounds, key, asked)
      : connection.ask({ revision: protocol.revision, ...asked }, { ...options, signal }, request.id),
  );
}

/** A request of a client, as it can be made again: JSON. */
export interface StoredRequest {
  readonly method: string;
  /** In the authoring vocabulary, without what belongs to one round. */
  readonly params: object;
  readonly revision: string;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo?: Implementation;
  /** Name of the authenticated client, or an empty string. */
  readonly principal: string;
  /** Whether the client does not get what handlers throw. */
  readonly hidesErrors: boolean;
}

const ofProtocol: ReadonlySet<string> = new Set(Object.values(metaKeys));

/** @param params in the authoring vocabulary */
export function storedRequest(context: HandlerContext, params: object): StoredRequest {
  const { connection, protocol, method } = context as RequestContext;
  const { inputResponses: _, requestState: __, _meta = {}, ...rest } = params as Params;
  const meta = Object.entries(_meta).filter(([key]) => !ofProtocol.has(key));
  const { clientCapabilities, clientInfo, revision } = protocol;
  return {
    method,
    params: { ...rest, ...(meta.length > 0 && { _meta: Object.fromEntries(meta) }) },
    revision: revision.id,
    clientCapabilities,
    ...(clientInfo && { clientInfo }),
    principal: connection.principal,
    hidesErrors: connection.thrownErrors === "hide",
  };
}

/**
 * Whether the client of a request may read what an earlier request began: another token of the same user may have fewer rights.
 * Over HTTP, the option `permit` is asked again; elsewhere all of a client's requests have the same rights.
 *
 * @param name of the tool that was called
 * @param scopes that the call needed
 * @param answers whether a denial answers the request, with its status and headers: the caller then throws
 */
export function mayRead(
  context: HandlerContext,
  name: string,
  scopes: readonly string[],
  answers: boolean,
): boolean | Promise<boolean> {
  const { http, method, request } = context as RequestContext;
  return http?.permits?.({ method, name, params: request.params ?? {}, scopes }, answers) ?? true;
}

/** Whether requests of one client may have different rights: then `mayRead` decides. */
export function judgesRights(context: HandlerContext): boolean {
  return (context as RequestContext).http?.permits !== undefined;
}

/** Whether the server may keep a request while its stream is open; `subscriptions/listen` refuses any other. */
export function mayKeep(context: HandlerContext): boolean {
  return weightOf((context as RequestContext).request, mostReserved) <= mostReserved;
}

/** A request that the server makes for a client. */
export interface RequestAgain {
  readonly context: HandlerContext;
  /** Calls the handler of the method, inside the middleware. */
  call(): Promise<object>;
}

/**
 * Makes a request again, without a connection to its client.
 *
 * @param auth for `context.auth`
 * @throws {McpError} `unsupported-version`, `method-not-found`: the server is another one than that of the first request
 */
export function requestAgain(server: Server, stored: StoredRequest, auth: unknown): RequestAgain {
  const { definition } = server;
  const { method, principal, hidesErrors } = stored;
  const revision = definition.revisions.find(({ id }) => id === stored.revision);
  if (!revision)
    throw new McpError("unsupported-version", `protocol version ${stored.revision} is not served`);
  const connection = new ServerConnection(definition, new NoChannel(hidesErrors), { auth, principal });
  const { clientCapabilities, clientInfo } = stored;
  const { era } = revision.era === "modern" ? { era: modernServer } : beforeHandshake(definition, revision);
  const protocol: RequestProtocol = { era, revision, clientCapabilities, clientInfo };
  return requestOn(connection, protocol, crypto.randomUUID(), method, stored.params as Params);
}

/**
 * Makes another request for the client of a request, with the id of that one.
 *
 * @param params in the authoring vocabulary; they are not checked
 * @throws {McpError} `method-not-found`
 */
export function requestWithin(context: HandlerContext, method: string, params: object): RequestAgain {
  const { connection, protocol, request, auth, http } = context as RequestContext;
  const made = requestOn(connection, protocol, request.id, method, params as Params);
  // The connection has those of the last request that came: another token of the client may have sent it.
  Object.assign(made.context, { auth, http });
  return made;
}

function requestOn(
  connection: ServerConnection,
  protocol: RequestProtocol,
  id: RequestId,
  method: string,
  params: Params,
): RequestAgain {
  const { definition } = connection;
  const entry = protocol.revision.table.incomingRequests.get(method) ?? vendorMessage;
  const handler = handlerOf(definition, entry, method);
  if (!handler) throw new McpError("method-not-found", `there is no method ${JSON.stringify(method)}`);
  const request = { jsonrpc: "2.0", id, method, params } as const;
  const context = new RequestContext(connection, request, protocol, entry, handler);
  return { context, call: async () => handler(params as never, context) };
}

/** A channel to no client. */
class NoChannel implements ServerChannel {
  readonly isBrief = true;
  readonly hidesErrors: boolean;

  constructor(hidesErrors: boolean) {
    this.hidesErrors = hidesErrors;
  }

  send(): boolean {
    return false;
  }

  answer(): void {}
  flush(): void {}

  async close(): Promise<void> {}
}

/** The JSON-RPC error for what a handler threw, as its client would get it. Reports it as the server does. */
export function errorOfHandler(
  context: HandlerContext,
  thrown: unknown,
): { readonly code: number; readonly message: string; readonly data?: unknown } {
  const request = context as RequestContext;
  request.report(thrown);
  const { connection, protocol, method } = request;
  const error = errorOf(thrown, connection.definition.thrownErrors === "message");
  const { refusals } = protocol.revision;
  const { rpcCode: code = rpc.internalError, message, data } = refusals?.thrown(error, method) ?? error;
  return { code, message, ...(data !== undefined && { data }) };
}

/** Reports an error of work that belongs to no request, as the server reports what handlers throw. */
export function reportTo({ definition }: Server, error: unknown, method: string): void {
  definition.report(error, { method });
}

/** The clock of a server. */
export function clockOf({ definition }: Server): Clock {
  return definition.clock;
}

/**
 * Reads a result of a request to the client that came in another way.
 *
 * @returns the result, without members that are null instead of absent; `undefined` if it is not a result of the method
 */
export async function readAnswer(
  context: HandlerContext,
  { method }: Asked,
  answer: unknown,
): Promise<object | undefined> {
  const { connection, protocol } = context as RequestContext;
  const definition = protocol.revision.table.outgoingRequests.get(method)?.result;
  if (!definition) return undefined;
  const read = await connection.readNulls(definition, answer, method);
  return definition.accepts(read) ? (read as object) : undefined;
}

/** Whether the revision of a request has a request of the client. */
export function hasRequest(context: HandlerContext, method: string): boolean {
  return (context as RequestContext).protocol.revision.table.incomingRequests.has(method);
}

/**
 * A result in the words of the request's revision, which is sent as it is.
 *
 * @throws {McpError} `invalid-message`: it is checked as all that is sent, and is none of the revision
 */
export function asSent(context: HandlerContext, result: object): object {
  const { method, protocol } = context as RequestContext;
  const { revision } = protocol;
  const wrong = sendError(revision, "results", method, result as Params);
  if (wrong) throw wrong;
  const sent = new SerialisedResult(result as Params);
  sent.text(revision, () => JSON.stringify(result));
  return sent;
}

/** A result of the application, in the words of the request's revision. */
export function loweredResult(context: HandlerContext, method: string, result: object): object {
  const { params, protocol, request } = context as RequestContext;
  // The result of another request, which came before, has params that are not known here.
  const asked = method === request.method ? requestParams(request.params, params) : undefined;
  return protocol.revision.lower("outgoingResults", method, result as Params, asked);
}

/**
 * Sends a request to the client of a request, on the stream of that request (legacy era).
 *
 * @param asked as the revision sends it
 * @throws {McpError} as `context.ask`
 */
export function askDirectly(context: HandlerContext, asked: Asked): Promise<object> {
  return requestOfClient(context, asked, { signal: context.signal });
}

/**
 * As `askDirectly`, whether or not the request is over: on a stream of no request.
 *
 * @param waitMs milliseconds for the answer
 */
export function askApart(
  context: HandlerContext,
  asked: Asked,
  waitMs: number,
  signal?: HandlerContext["signal"],
): Promise<object> {
  const options = { timeout: waitMs, totalTimeout: waitMs, ...(signal && { signal }) };
  return requestOfClient(context, asked, options, true);
}

/**
 * Sends the asks of a handler in another way than the era does, within the checks of `context.ask`.
 *
 * @param send gets each ask that passed them; resolves with the result in the authoring vocabulary
 */
export function askThroughOther(
  context: HandlerContext,
  send: (asked: Asked, options: AskOptions) => Promise<object>,
): void {
  const ask = askWith(
    context as RequestContext,
    (_key, asked, options = {}) => send(asked, options) as Promise<Params>,
  );
  Object.defineProperty(context, "ask", { value: ask });
}

/** Another result that a client may answer a request with, by the mark of that result; `undefined` if it declares none. */
export function alternativeOf(
  context: HandlerContext,
  method: string,
  mark: string,
): OpenDefinition | undefined {
  const { revision, clientCapabilities } = (context as RequestContext).protocol;
  return revision.table.outgoingRequests
    .get(method)
    ?.alternatives?.find(
      ({ key, capability }) =>
        key === mark && capability !== undefined && declares(clientCapabilities, capability),
    );
}

/**
 * Sends a request to the client of a request (legacy era).
 *
 * @param isApart on a stream of no request, whether or not the request is over
 * @throws {McpError} as `context.ask`
 */
export function requestOfClient(
  context: HandlerContext,
  asked: Asked,
  options: RequestOptions,
  isApart = false,
): Promise<object> {
  const { connection, protocol, request } = context as RequestContext;
  const origin = isApart ? undefined : request.id;
  return connection.ask({ revision: protocol.revision, ...asked }, options, origin);
}

/**
 * As `requestOfClient`, for a request that may be answered by another result, which is returned as it came.
 *
 * @param alternative what `alternativeOf` gives
 * @throws {McpError} as `context.ask`
 */
export function requestEither(
  context: HandlerContext,
  { method, params }: Asked,
  alternative: OpenDefinition,
  options: RequestOptions,
  isApart = false,
): Promise<object> {
  const { connection, protocol, request } = context as RequestContext;
  const { revision } = protocol;
  const { id, sends, table } = revision;
  const entry = table.outgoingRequests.get(method)!;
  const result: OpenDefinition = {
    ...entry.result!,
    accepts: (value) => alternative.accepts(value) || entry.result!.accepts(value),
  };
  // The revision itself takes the result alone, as all others need it.
  const view = {
    id,
    sends,
    table: { ...table, outgoingRequests: new Map([[method, { ...entry, result }]]) },
    lower: revision.lower.bind(revision),
    lift: (...given: Parameters<typeof revision.lift>) =>
      alternative.accepts(given[2]) ? given[2] : revision.lift(...given),
    issues: revision.issues.bind(revision),
  };
  const origin = isApart ? undefined : request.id;
  return connection.ask({ revision: view as object as typeof revision, method, params }, options, origin);
}

/**
 * The result of another method, which the server has received, as that of a request to the client, in the authoring vocabulary.
 *
 * @throws {McpError} `invalid-result`
 */
export async function liftedAnswer(context: HandlerContext, asked: Asked, result: object): Promise<object> {
  const { method, params } = asked;
  const read = await readAnswer(context, asked, result);
  if (!read)
    throw new McpError("invalid-result", `${method}: the task's result is not a valid result of the method`);
  const { protocol } = context as RequestContext;
  const sent = lowered(
    context as RequestContext,
    params ? { method, params: withElicitationId(params) } : asked,
    false,
  );
  const request = requestParams(sent.params, params);
  return protocol.revision.lift("incomingResults", method, read as Params, request, false);
}

/** Sends a notification to the client of a request, whether or not the request is over. */
export function notifyClient(context: HandlerContext, method: string, params: object): void {
  const { connection, protocol } = context as RequestContext;
  connection.notify(protocol, method, params as Params);
}

/**
 * Sends a notification that the revision has to the client of a request, whether or not the request is over.
 *
 * @returns whether the client has a stream for it
 */
export function notifyNow(context: HandlerContext, method: string, params: object): boolean {
  const { connection, protocol } = context as RequestContext;
  if (!connection.definition.connections.has(connection)) return false;
  const { revision } = protocol;
  if (!mayGet(revision.table.outgoingNotifications.get(method) ?? {}, protocol)) return false;
  const lowered = revision.lower("outgoingNotifications", method, params as Params);
  return connection.send(notificationText(method, lowered), undefined);
}

/** The error for a client that has not declared what a request needs. @param path into its capabilities */
export function undeclared(context: HandlerContext, path: readonly string[]): McpError {
  return missingCapability((context as RequestContext).protocol, path);
}

/** Name of the authenticated client, or an empty string. */
export function principalOf(context: HandlerContext): string {
  return (context as RequestContext).connection.principal;
}

/** The members of extensions in the registration of a tool, if this client may use the tool. */
export function addedToTool(
  server: Server,
  name: string,
  context: HandlerContext,
): { readonly [member: string]: unknown } | undefined {
  return server.features.tools.find(name, context)?.added;
}
