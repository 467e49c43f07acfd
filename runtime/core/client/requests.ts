import type { Alternative as OpenAlternative, OutgoingRequest, RequestOptions } from "@mcpgen/protocol/model";
import {
  attempts,
  isObject,
  McpError,
  messageOf,
  type Names,
  type Params,
  type platform,
  requestHeaders,
  requireKnown,
  withProgressToken,
} from "@mcpgen/base";
import {
  type RevisionView,
  askedAlternative,
  declares,
  exactParams,
  hasMark,
  noSuchMethod,
  requestParams,
  requireCapability,
  runsTools,
} from "../protocol/revision-view.js";
import {
  type Bounded,
  remainingOptions,
  whileAwaitingInput,
  whileConnecting,
  withinBounds,
} from "./bounds.js";
import { type ResultCache, cacheKey } from "./cache.js";
import { type ClientProfile, declarations, eraOf, requestMeta, senderOf } from "./client-profile.js";
import { type BatchPlace, type Connection, type Sending, mirrorHeaders } from "./connection.js";
import type { Connections } from "./connections.js";
import {
  type Decoded,
  type ServerResponse,
  decode,
  decodeAlternative,
  typedResult,
  invalidResult,
  isAccepted,
  remoteError,
} from "./decode.js";
import type { ListedTools } from "./listed-tools.js";
import { type ListBounds, type ListPart, readPart } from "./lists.js";
import { type Alternative, type Called, type Numbered, originOf, sendThrough } from "./middleware.js";
import type { Pins } from "./pins.js";
import { type Questions, isComplete, throughRounds } from "./questions.js";
import { type Resend, type RetryReason, isRepeatable, retries, retryReason } from "./retry-policy.js";
import type { Notifications } from "./subscriptions.js";
import type { VendorRequestOptions } from "./vendor-methods.js";

const known: Names<ListBounds & VendorRequestOptions> = {
  result: 0,
  signal: 0,
  timeout: 0,
  totalTimeout: 0,
  onProgress: 0,
  resend: 0,
  onDisconnect: 0,
  headers: 0,
  onBehalfOf: 0,
  maxPages: 0,
  maxItems: 0,
  maxCharacters: 0,
  params: 0,
  inputRequired: 0,
};

/** The dependencies of `Requests`. */
interface RequestSetup {
  readonly connections: Connections;
  readonly cache: ResultCache;
  readonly tools: ListedTools;
  readonly resend: Resend;
  readonly notifications: Notifications;
  readonly questions: Questions;
  readonly profile: ClientProfile;
  /** Lists the tools again, because the known header declarations of the tool are out of date. */
  readonly relist: (tool: string, options: RequestOptions) => Promise<unknown>;
  readonly pins: Pins | undefined;
}

/** Options that distinguish a request from other requests of its method. */
interface Special {
  /** Its place in a batch. */
  readonly place?: BatchPlace | undefined;
  /** The part of a list in its result; `page`: a page, if the list may leave entries out. */
  readonly part?: ListPart | "page";
  /** The start of the total timeout, if the request is part of a longer operation. */
  readonly started?: number;
}

/** A request of the application. */
interface Call extends Bounded, Called, Omit<Special, "started"> {
  readonly method: string;
  /**
   * The caller's options. For a method that is answered at the end of its stream, the client's timeouts do not apply.
   */
  options: RequestOptions;
  /** Whether the server may run it twice; decided before it is first sent. */
  repeatable: boolean;
  /** Number of its rounds of input. */
  rounds: number;
  /** Receives the authorization each time the request is sent. */
  readonly authorized?: Sending["authorized"];
  readonly numbered?: Numbered;
  /** Follows work that goes on after the answer. */
  readonly alternative?: Alternative | undefined;
}

/** A request, translated to its revision. */
interface Prepared {
  readonly connection: Connection;
  readonly view: RevisionView<"client">;
  readonly entry: OutgoingRequest;
  readonly call: Call;
  readonly params: Params;
  /** The result that the parameters ask for in place of the plain one. */
  readonly asked: OpenAlternative | undefined;
  readonly options: RequestOptions;
}

/** Sends the client's requests with the revision's `_meta` and headers, and decodes the results. */
export class Requests {
  readonly #setup: RequestSetup;
  #cachedMeta: { view: RevisionView; logLevel: string | undefined; meta: Params } | undefined;

  constructor(setup: RequestSetup) {
    this.#setup = setup;
  }

  /**
   * Sends one request until it has a result: with rounds of input, and with the retries of `retry-policy.ts`.
   *
   * @throws {McpError} among others `invalid-definition`: an option is unknown
   */
  exchange(method: string, params: Params, options: RequestOptions, special?: Special): Promise<Decoded> {
    const { clock, hooks } = this.#setup.profile;
    const started = clock.now();
    const given = options;
    const call: Call = { method, params, options, given, repeatable: false, rounds: 0, started, ...special };
    return hooks.middleware.length > 0 ? this.#exchangeThrough(call) : this.#exchange(call);
  }

  /** Runs the middleware around all attempts, and around the cache. */
  async #exchangeThrough(call: Call): Promise<Decoded> {
    const { method, params, options } = call;
    const { profile, connections } = this.#setup;
    let decoded: Decoded = { result: {}, rejected: [] };
    const sent = { method, params, signal: options.signal };
    const { view } = connections.negotiated;
    const result = await sendThrough(profile, view, sent, async (given, alternative, numbered) => {
      decoded = await this.#exchange({ numbered, ...call, params: given, alternative });
      return decoded.result;
    });
    return result === decoded.result ? decoded : { ...decoded, result };
  }

  #exchange(call: Call): Promise<Decoded> {
    const { pins } = this.#setup;
    const answer = this.#answered(call);
    return pins ? pins.judged(call, answer) : answer;
  }

  async #answered(call: Call): Promise<Decoded> {
    const { method, params, options } = call;
    for (const name in options) if (!Object.hasOwn(known, name)) requireKnown(options, known);
    const { connections, tools, resend } = this.#setup;
    // Another connection clears the known tools, so this is decided first. Before one is open, any method may run tools.
    const { view } = connections;
    const runs = !view || runsTools(view.table.outgoingRequests.get(method));
    const isHinted = (): boolean => tools.isRepeatable(params["name"] as string);
    call.repeatable = isRepeatable(resend, options.resend, runs, isHinted);
    let used: RetryReason[] | undefined;
    for (;;) {
      let connection: Connection | undefined;
      try {
        // Avoids a promise if a connection is open.
        connection = connections.standing ?? (await this.connected(call));
        const entry = this.#entryFor(connection, call);
        const isOneEntry = call.part !== undefined && call.part !== "page";
        const isOwn = !options.headers && !options.onBehalfOf && options.inputRequired !== "return";
        if (entry.cacheable && !isOneEntry && isOwn) return await this.#cached(connection, entry, call);
        const prepared = this.#prepared(connection, entry, call);
        const decoded = this.#finish(prepared, await this.#send(prepared));
        return decoded instanceof Promise ? await decoded : decoded;
      } catch (error) {
        const reason = this.#reasonFor(error, call, connection);
        // For `exchange`, the request was already sent again on the open connection.
        if (reason === undefined || reason === "exchange" || used?.includes(reason)) {
          this.#reportTimeout(method, error);
          throw error;
        }
        this.#reportRetry(method, reason, error, 0);
        (used ??= []).push(reason);
        if (reason === "headers") await this.#relist(call);
        if (reason === "era" && !(await this.#isReplaced(connection!, call))) throw error;
      }
    }
  }

  #reportTimeout(method: string, error: unknown): void {
    if (!(error instanceof McpError) || error.code !== "timeout") return;
    this.#setup.profile.hooks.emit({ type: "request-timed-out", direction: "outgoing", method, error });
  }

  #reportRetry(method: string, reason: RetryReason, error: unknown, pauseMs: number): void {
    this.#setup.profile.hooks.emit({ type: "request-retried", method, reason, error, pauseMs });
  }

  /**
   * The connection for a request. Waits for it within the timeouts of the request.
   *
   * @throws {McpError}
   */
  connected(request: Bounded): Promise<Connection> {
    const { connections } = this.#setup;
    if (connections.standing) return Promise.resolve(connections.standing);
    return this.#whileConnecting(request, () => connections.open());
  }

  /** Adds the `_meta` of each request. */
  withMeta(params: Params, view: RevisionView<"client">): Params {
    return { ...params, _meta: { ...this.#metaOf(params, view) } };
  }

  #whileConnecting<T>(request: Bounded, work: (signal: platform.AbortSignal) => Promise<T>): Promise<T> {
    const { clock, timeouts } = this.#setup.profile;
    return withinBounds(whileConnecting(clock, timeouts, request), work);
  }

  /** The row of the retry table for a request that failed. */
  #reasonFor(error: unknown, call: Call, connection: Connection | undefined): RetryReason | undefined {
    if (!(error instanceof McpError)) return undefined;
    const { method, repeatable } = call;
    const { renewable, negotiated } = this.#setup.connections;
    const open = connection && !connection.over;
    return retryReason({ error, method, repeatable, open, renewable, view: negotiated.view });
  }

  /** Whether another negotiation results in another revision. */
  #isReplaced(connection: Connection, call: Call): Promise<boolean> {
    return this.#whileConnecting(call, () => this.#setup.connections.isReplaced(connection));
  }

  async #relist(call: Call): Promise<void> {
    const { cache, profile, relist } = this.#setup;
    cache.clear();
    await relist(call.params["name"] as string, remainingOptions(profile.clock, profile.timeouts, call));
  }

  /** The facts of the method. @throws {McpError} it may not be sent */
  #entryFor(connection: Connection, call: Call): OutgoingRequest {
    const { method, options } = call;
    const { view, capabilities } = connection.negotiated;
    const isVendor = (options as Partial<VendorRequestOptions>).result !== undefined;
    const entry = view.table.outgoingRequests.get(method) ?? (isVendor ? vendorEntry : undefined);
    if (!entry) throw notInTable(method, view);
    if (entry.payload) throw noSuchMethod(method, view);
    const { headers, onBehalfOf } = options;
    if (onBehalfOf !== undefined && !isObject(onBehalfOf?.clientCapabilities ?? onBehalfOf))
      throw new McpError("invalid-definition", `${method}: onBehalfOf: expected an object`);
    const sender = senderOf(this.#setup.profile, options);
    requireCapability(method, entry, declarations(view, capabilities, sender));
    const lost =
      onBehalfOf && !eraOf(view).requestMeta
        ? `onBehalfOf: ${view.id} states the client once for a connection`
        : headers && !connection.channel.carriesHeaders && "headers: the transport has none";
    if (lost) throw new McpError("not-expressible", `${method}: ${lost}`);
    if (entry.listening) {
      // The answer comes at the end of its stream, so the client's timeouts do not apply.
      const { timeout = Infinity, totalTimeout = Infinity } = options;
      call.options = { ...options, timeout, totalTimeout };
    }
    return entry;
  }

  /** The result from the cache, or else from the server. Caches the result for its `ttlMs` (2026-07-28, caching). */
  async #cached(connection: Connection, entry: OutgoingRequest, call: Call): Promise<Decoded> {
    const { cache } = this.#setup;
    const { method, params } = call;
    const key = cacheKey(method, params, partOf(entry, call) !== undefined);
    if (key === undefined) return this.#ask(connection, entry, call);
    const cached =
      cache.shared(key) ?? (cache.isOwned(key) ? await this.#owned(connection, key, call) : undefined);
    if (cached) return cached;
    const { generation } = cache;
    let authorization: string | undefined = "";
    const authorized = (used: string | undefined): void => void (authorization = used);
    const asked = Object.assign({}, call, { authorized });
    const answer = await this.#ask(connection, entry, asked);
    const { result, listed } = answer;
    if (asked.rounds === 0 && answer.rejected.length === 0)
      cache.put({ key, method, result, listed, authorization }, generation);
    return answer;
  }

  /** The cached result for the current authorization. */
  async #owned({ channel }: Connection, key: string, call: Call): Promise<Decoded | undefined> {
    const used = await this.#whileConnecting(call, async (signal) => channel.authorization(signal));
    return this.#setup.cache.owned(key, used);
  }

  async #ask(connection: Connection, entry: OutgoingRequest, call: Call): Promise<Decoded> {
    const prepared = this.#prepared(connection, entry, call);
    return this.#finish(prepared, await this.#send(prepared));
  }

  #prepared(connection: Connection, entry: OutgoingRequest, call: Call): Prepared {
    const { view, capabilities } = connection.negotiated;
    const params = view.lower("outgoingRequests", call.method, call.params);
    const asked = askedAlternative(entry, params);
    // A request cancels the task, never a notification (2025-11-25, cancellation, behavior requirements).
    const isLasting = asked?.capability && declares(capabilities, asked.capability);
    const given = isLasting ? { ...call.options, signal: undefined } : call.options;
    return { connection, view, entry, call, params, asked, options: this.#setup.notifications.guard(given) };
  }

  /** Goes through rounds of input, if the response asks for some, and reads the result. */
  #finish(prepared: Prepared, response: ServerResponse): Decoded | Promise<Decoded> {
    const { view, entry, call } = prepared;
    const result = resultOf(response, prepared);
    return !eraOf(view).resultTypes || isComplete(result, entry) || call.options.inputRequired === "return"
      ? this.#decoded(prepared, result)
      : this.#throughRounds(prepared, result).then((last) => this.#decoded(prepared, last));
  }

  #decoded(prepared: Prepared, result: unknown): Decoded | Promise<Decoded> {
    const failed = (error: unknown): never => {
      const failure = error instanceof McpError ? error : unreadable(prepared.call.method, error);
      throw runsTools(prepared.entry) ? carriedOut(failure, result) : failure;
    };
    try {
      const read = this.#read(prepared, result);
      return read instanceof Promise ? read.catch(failed) : read;
    } catch (error) {
      return failed(error);
    }
  }

  /** The result after the last round of input. */
  async #throughRounds(prepared: Prepared, first: unknown): Promise<Params> {
    const { connection, view, entry, call } = prepared;
    const { profile, questions } = this.#setup;
    const { method } = call;
    // Those of a round before the first, if the caller gave them: a retry has only the ones of its round.
    const { inputResponses: _, requestState: __, ...params } = prepared.params;
    const bounds = whileAwaitingInput(connection, profile, call);
    const { result, rounds } = await withinBounds(bounds, (signal) => {
      const send = async (added: Params): Promise<unknown> => {
        // The first member is an own one, so that all rounds share a hidden class (`withProgressToken`).
        const sent = { _meta: {}, ...params, ...added };
        const options = { ...prepared.options, signal };
        return resultOf(await this.#send({ ...prepared, options }, sent), prepared);
      };
      return throughRounds(questions, { view, request: originOf(call), entry, signal, send, first });
    }).catch((error: unknown) => {
      throw error instanceof McpError ? error : unreadable(method, error);
    });
    call.rounds = rounds;
    return result;
  }

  /** Translates a result to the authoring vocabulary. Valid results, which are the most, do not need a promise. */
  #read({ view, entry, call, params, asked: other }: Prepared, result: unknown): Decoded | Promise<Decoded> {
    const { method, options } = call;
    const { profile } = this.#setup;
    const { readNulls } = profile;
    const asks = options.inputRequired === "return" && eraOf(view).resultTypes && !isComplete(result, entry);
    const marked = other && hasMark(other, result) ? other : undefined;
    const mayExtend = (): boolean => senderOf(profile, options).capabilities.extensions !== undefined;
    const alternative = asks ? typedResult(method, entry, result, mayExtend()) : marked;
    if (asks && !alternative) return { result: result as Params, rejected: [] };
    if (alternative) return decodeAlternative({ view, method, readNulls }, alternative, result);
    const asked = requestParams(params, call.params);
    const part = partOf(entry, call, asked);
    const lifted = (decoded: Decoded): Decoded | Promise<Decoded> =>
      part
        ? readPart(view, part, decoded, readNulls)
        : { ...decoded, result: view.lift("incomingResults", method, decoded.result, asked) };
    if (isAccepted(entry, result)) return lifted({ result, rejected: [] });
    return decode(view, method, { entry, result }, profile).then(lifted);
  }

  /**
   * Sends a request. A repeatable one is sent again while its exchange breaks on an open connection. Not an async
   * function: for most requests the connection's promise suffices.
   */
  #send(prepared: Prepared, params = prepared.params): Promise<ServerResponse> {
    const { connection, view, call, options } = prepared;
    const { method, alternative, authorized, place, numbered, started } = call;
    const added = options.headers && requestHeaders(options.headers);
    // The messages of a batch have the same headers.
    if (added) place?.leave();
    const write = (id: number): Params => {
      if (options.onProgress) alternative?.sent(connection.later, id, options.onProgress);
      // With or without a listener: progress also shows that the server is alive.
      const sent = withProgressToken(params, this.#metaOf(params, view, options), id);
      return exactParams(view, id, method, sent);
    };
    const headers = (written: Params): Record<string, string> => {
      const { table } = view;
      const declared =
        runsTools(table.outgoingRequests.get(method)) && this.#setup.tools.headersOf(call.params);
      const mirrored = mirrorHeaders(view, method, written, declared || undefined);
      return added ? { ...added, ...mirrored } : mirrored;
    };
    const sending = { method, options, write, headers, added, authorized, place, numbered, started, call };
    const sender = this.#setup.pins?.guarding(connection, call, prepared.entry) ?? connection;
    return call.repeatable ? this.#repeated(sending, prepared, sender) : sender.request(sending);
  }

  /** Sends a repeatable request, again after each pause while its exchange breaks on an open connection. */
  async #repeated(
    sending: Sending,
    { connection, call }: Prepared,
    sender: Pick<Connection, "request">,
  ): Promise<ServerResponse> {
    const { pauses } = retries.exchange;
    // The first attempt is sent synchronously, so that requests are sent in the order of the calls.
    let sent = sender.request(sending);
    let failure: unknown;
    for await (const attempt of attempts({ pauses, clock: this.#setup.profile.clock })) {
      try {
        if (attempt > 0) sent = sender.request(sending);
        return await sent;
      } catch (error) {
        failure = error;
        const pause = pauses[attempt];
        if (pause === undefined || this.#reasonFor(error, call, connection) !== "exchange") break;
        this.#reportRetry(call.method, "exchange", error, pause);
      }
    }
    throw failure;
  }

  /** The `_meta` of a request without its progress token. Merges objects only if there are two. */
  #metaOf({ _meta }: Params, view: RevisionView<"client">, options?: RequestOptions): Params | undefined {
    const general = this.#metaFor(view, options);
    return _meta && general ? { ..._meta, ...general } : (_meta ?? general);
  }

  /** The `_meta` of all requests, until the revision or the log level changes; `undefined` in eras without it. */
  #metaFor(view: RevisionView<"client">, options?: RequestOptions): Params | undefined {
    if (!eraOf(view).requestMeta) return undefined;
    if (options?.onBehalfOf) return requestMeta(view, senderOf(this.#setup.profile, options));
    const { logLevel } = this.#setup.connections;
    if (this.#cachedMeta?.view !== view || this.#cachedMeta.logLevel !== logLevel)
      this.#cachedMeta = { view, logLevel, meta: requestMeta(view, this.#setup.profile, logLevel) };
    return this.#cachedMeta.meta;
  }
}

/** The part of a list in the result of a request, if the list may leave entries out. */
function partOf(
  { page }: OutgoingRequest,
  { method, part, params }: Call,
  asked = params,
): ListPart | undefined {
  return part === "page" ? page?.partial && { list: method, page, params: asked } : part;
}

/** @throws {McpError} the error of the response */
function resultOf(response: ServerResponse, { call, params, view }: Prepared): unknown {
  if (response.error) throw remoteError(call.method, response, params, view);
  return response.result;
}

/** The error for a result that cannot be decoded, such as one nested too deeply for the stack. */
function unreadable(method: string, cause: unknown): McpError {
  return invalidResult(method, `it cannot be read: ${messageOf(cause)}`, cause);
}

/**
 * The error for an unreadable result of a tool: it states that the tool has run, and contains the result as received.
 */
function carriedOut(error: McpError, result: unknown): McpError {
  const { code, message, data } = error;
  if (code !== "invalid-result" && code !== "not-expressible") return error;
  const text = message.endsWith(wasCarriedOut) ? message : message + wasCarriedOut;
  return new McpError(code, text, { data: { ...(isObject(data) ? data : {}), result }, cause: error });
}

/** Errors of steps for results end with the same text. */
const wasCarriedOut = "; the request was carried out";

/** The facts of a method that the revision does not have. */
const vendorEntry: OutgoingRequest = {};

function notInTable(method: string, view: RevisionView): McpError {
  const { code, message } = noSuchMethod(method, view);
  return new McpError(
    code,
    `${message}, and no extension of the client adds it there. Give connect its extension. To send it all the same, give the option result: a schema, or {}.`,
  );
}
