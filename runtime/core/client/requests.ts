import type { OutgoingRequest, RequestOptions } from "@mcpgen/protocol/model";
import {
  exactParams,
  type RevisionView,
  noSuchMethod,
  requireCapability,
  runsTools,
  requestParams,
} from "../protocol/revision-view.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import { type Names, requireKnown } from "../options/option-check.js";
import { type Params, isObject, replaceMeta } from "../jsonrpc/message.js";
import { attempts } from "../time/retry.js";
import {
  type Bounded,
  remainingOptions,
  whileAwaitingInput,
  whileConnecting,
  withinBounds,
} from "./bounds.js";
import { type ResultCache, cacheKey } from "./cache.js";
import type { Connection, Connections } from "./connections.js";
import {
  type Decoded,
  type ServerResponse,
  alternativeOf,
  decode,
  invalidResult,
  isAccepted,
  remoteError,
} from "./decode.js";
import type { Alternative } from "./middleware.js";
import { type ClientProfile, declarations, requestMeta, eraOf } from "./client-profile.js";
import type { BatchPlace, Link, Sending } from "./link.js";
import type { Listeners } from "./server-messages.js";
import type { ListBounds } from "./lists.js";
import type { VendorRequestOptions } from "./vendor-methods.js";
import { type Numbered, sendThrough } from "./middleware.js";
import { type ListPart, readPart } from "./partial-lists.js";
import { type ToolHeaders, mirrorHeaders } from "./mirrored-headers.js";
import { type RoundSetup, isComplete, throughRounds } from "./rounds.js";
import { type Failure, type RetryPolicy, type RetryReason, retries, retryReason } from "./retry-policy.js";

const known: Names<ListBounds & VendorRequestOptions> = {
  result: 0,
  signal: 0,
  timeout: 0,
  totalTimeout: 0,
  onProgress: 0,
  resend: 0,
  maxPages: 0,
  maxItems: 0,
  maxCharacters: 0,
  params: 0,
};

/** The dependencies of `Requests`. */
interface RequestSetup {
  readonly connections: Connections;
  readonly cache: ResultCache;
  readonly headers: ToolHeaders;
  readonly retryPolicy: RetryPolicy;
  readonly listeners: Listeners;
  readonly profile: ClientProfile;
  readonly rounds: RoundSetup;
  /** Lists the tools again, because the headers that the tool of this name declares are out of date. */
  readonly relist: (tool: string, options: RequestOptions) => Promise<unknown>;
}

/** What distinguishes one request from others of its method. */
interface Special {
  /** Its place in a batch. */
  readonly place?: BatchPlace | undefined;
  /** What its result holds of a list; `page`: a page, if the list may leave entries out. */
  readonly part?: ListPart | "page";
  /** When the total timeout began, if the request is part of a longer operation. */
  readonly started?: number;
}

/** A request of the application. */
interface Call extends Bounded, Omit<Special, "started"> {
  readonly params: Params;
  /** Those of the caller; of a method that is answered when its stream ends, without the timeouts of the client. */
  options: RequestOptions;
  /** Whether the server may run it twice; decided before it is first sent. */
  repeatable: boolean;
  /** Receives the authorization each time the request is sent. */
  readonly authorized?: (authorization: string | undefined) => void;
  /** Receives the id of the request. */
  readonly sent?: Numbered;
  /** The member that marks a result in place of the plain one. */
  readonly alternative?: Alternative | undefined;
}

/** A request in the words of its revision. */
interface PreparedRequest {
  readonly link: Link;
  readonly view: RevisionView<"client">;
  readonly call: Call;
  readonly params: Params;
  readonly sending: Sending;
  readonly options: RequestOptions;
}

/** The result of a request and the number of rounds of input before it. */
interface Answered extends Decoded {
  readonly rounds: number;
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
    const started = this.#setup.profile.clock.now();
    const call: Call = { method, params, options, repeatable: false, started, ...special };
    return this.#setup.profile.hooks.middleware.length > 0
      ? this.#exchangeThrough(call)
      : this.#exchange(call);
  }

  /** Runs the middleware around all attempts, and around the cache. */
  async #exchangeThrough(call: Call): Promise<Decoded> {
    const { method, params, options } = call;
    const { profile, connections } = this.#setup;
    let decoded: Decoded = { result: {}, rejected: [] };
    const sent = { method, params, signal: options.signal };
    const { view } = connections.negotiated;
    const result = await sendThrough(profile, view, sent, async (given, alternative, numbered) => {
      const more =
        alternative === undefined ? {} : { alternative, options: { ...options, signal: undefined } };
      decoded = await this.#exchange({ ...call, params: given, ...more, sent: numbered });
      return decoded.result;
    });
    return result === decoded.result ? decoded : { ...decoded, result };
  }

  async #exchange(call: Call): Promise<Decoded> {
    const { method, params, options } = call;
    for (const name in options) if (!Object.hasOwn(known, name)) requireKnown(options, known);
    const { connections, retryPolicy } = this.#setup;
    // Another connection clears the known tools, so this is decided first. Before one is open, any method may run tools.
    const { view } = connections;
    const runs = !view || runsTools(view.table.outgoingRequests.get(method));
    call.repeatable = retryPolicy.isRepeatable(runs, params, options.resend);
    let used: RetryReason[] | undefined;
    for (;;) {
      let connection: Connection | undefined;
      try {
        // An open connection costs no promise.
        connection = connections.standing ?? (await this.connected(call));
        return await this.#attempt(connection, call);
      } catch (error) {
        const reason = error instanceof McpError ? this.#reasonFor(error, call, connection?.link) : undefined;
        if (reason === undefined || used?.includes(reason)) {
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
    const { connections, profile } = this.#setup;
    const { clock, timeouts } = profile;
    if (connections.standing) return Promise.resolve(connections.standing);
    return withinBounds(whileConnecting(clock, timeouts, request), () => connections.open());
  }

  /** Adds the `_meta` of each request. */
  withMeta(params: Params, view: RevisionView<"client">): Params {
    return { ...params, _meta: { ...this.#metaOf(params, view) } };
  }

  /** The row of the retry table for a request that failed outside `repeated`, which sends it again on an open connection. */
  #reasonFor(error: McpError, call: Call, link: Link | undefined): RetryReason | undefined {
    const reason = retryReason(this.#failure(error, call, link));
    return reason === "exchange" ? undefined : reason;
  }

  #failure(error: McpError, { method, repeatable }: Call, link: Link | undefined): Failure {
    const { renewable, negotiated } = this.#setup.connections;
    const open = link && !link.over;
    return { error, method, repeatable, open, renewable, view: negotiated.view };
  }

  /** Whether a second negotiation gives another revision. */
  #isReplaced(connection: Connection, call: Call): Promise<boolean> {
    const { connections, profile } = this.#setup;
    const { clock, timeouts } = profile;
    return withinBounds(whileConnecting(clock, timeouts, call), () => connections.isReplaced(connection));
  }

  async #relist(call: Call): Promise<void> {
    const { cache, profile, relist } = this.#setup;
    cache.clear();
    await relist(call.params["name"] as string, remainingOptions(profile.clock, profile.timeouts, call));
  }

  #attempt({ link, negotiated }: Connection, call: Call): Promise<Decoded> {
    const { method, options } = call;
    const { view, capabilities } = negotiated;
    const entry = view.table.outgoingRequests.get(method) ?? (isVendor(options) ? vendorEntry : undefined);
    if (!entry) throw notInTable(method, view);
    if (entry.payload) throw noSuchMethod(method, view);
    requireCapability(method, entry, declarations(view, capabilities, this.#setup.profile));
    if (entry.listening) {
      // It is answered when its stream ends, whenever that is.
      const { timeout = Infinity, totalTimeout = Infinity } = options;
      call.options = { ...options, timeout, totalTimeout };
    }
    return entry.cacheable && !isOneEntry(call)
      ? this.#cached(link, view, entry, call)
      : this.#ask(link, view, entry, call);
  }

  /** The result from the cache, or else from the server. Caches the result for its `ttlMs` (2026-07-28, caching). */
  async #cached(
    link: Link,
    view: RevisionView<"client">,
    entry: OutgoingRequest,
    call: Call,
  ): Promise<Decoded> {
    const { cache } = this.#setup;
    const { method, params } = call;
    const key = cacheKey(method, params, partOf(entry, call) !== undefined);
    const cached =
      key && (cache.shared(key) ?? (cache.isOwned(key) ? await this.#owned(link, key, call) : undefined));
    if (cached) return cached;
    const { generation } = cache;
    let authorization: string | undefined = "";
    const answer = await this.#ask(link, view, entry, {
      ...call,
      authorized: (used) => (authorization = used),
    });
    const { result, listed } = answer;
    if (key && answer.rounds === 0 && answer.rejected.length === 0)
      cache.put({ key, method, result, listed, authorization }, generation);
    return answer;
  }

  /** The cached result for the current authorization. */
  async #owned(link: Link, key: string, call: Call): Promise<Decoded | undefined> {
    const { cache, profile } = this.#setup;
    const { clock, timeouts } = profile;
    const bounds = whileConnecting(clock, timeouts, call);
    return cache.owned(key, await withinBounds(bounds, async (signal) => link.authorization(signal)));
  }

  async #ask(
    link: Link,
    view: RevisionView<"client">,
    entry: OutgoingRequest,
    call: Call,
  ): Promise<Answered> {
    const { method } = call;
    const sent = this.#prepared(link, view, call);
    let result: unknown = resultOf(await this.#send(sent, noParams), sent);
    let rounds = 0;
    let isFinal = false;
    try {
      if (eraOf(view).resultTypes && !isComplete(result, entry))
        ({ result, rounds } = await withinBounds(whileAwaitingInput(link, call), (signal) =>
          this.#furtherRounds(sent, entry, signal, result),
        ));
      isFinal = true;
      const { alternative } = call;
      if (alternative && isObject(result) && alternative.key in result) {
        const { readNulls } = this.#setup.profile;
        return {
          result: await alternativeOf({ view, method, readNulls }, entry, alternative.key, result),
          rejected: [],
          rounds,
        };
      }
      const decoded = isAccepted(entry, result)
        ? { result, rejected: [] }
        : await decode(view, method, { entry, result }, this.#setup.profile);
      const asked = requestParams(sent.params, call.params);
      const part = partOf(entry, call, asked);
      if (part) return { ...(await readPart(view, part, decoded, this.#setup.profile.readNulls)), rounds };
      const lifted = view.lift("incomingResults", method, decoded.result, asked);
      return { result: lifted, rejected: decoded.rejected, rounds };
    } catch (error) {
      const failure = error instanceof McpError ? error : unreadable(method, error);
      throw isFinal && runsTools(entry) ? carriedOut(failure, result) : failure;
    }
  }

  /** The parts of a request that are the same in all its rounds. */
  #prepared(link: Link, view: RevisionView<"client">, call: Call): PreparedRequest {
    const { method } = call;
    const { headers, listeners } = this.#setup;
    const params = view.lower("outgoingRequests", method, call.params);
    let sending = noHeaders;
    if (link.mirrors) {
      const declared = runsTools(view.table.outgoingRequests.get(method))
        ? headers.of(call.params)
        : undefined;
      sending = {
        headers: (_, sent) => mirrorHeaders(view, method, sent, declared),
        authorized: call.authorized,
      };
    }
    const placed = call.place || call.sent ? { ...sending, place: call.place, sent: call.sent } : sending;
    return { link, view, call, params, sending: placed, options: listeners.guard(call.options) };
  }

  /**
   * Sends a request once. Not an async function: most requests need no promise but that of the link.
   *
   * @param added more parameters
   * @param signal replaces the signal of the options
   */
  #send(
    { link, view, call, params, sending, options }: PreparedRequest,
    added: Params,
    signal?: AbortSignal,
  ): Promise<ServerResponse> {
    const whole = added === noParams ? params : { ...params, ...added };
    const make = (id: number): Params => {
      if (options.onProgress) call.alternative?.sent(link.later, id, options.onProgress);
      return exactParams(view, id, call.method, this.#withToken(whole, view, id));
    };
    const wanted = signal ? { ...options, signal } : options;
    const ask = (): Promise<ServerResponse> => link.request(call.method, make, wanted, sending, call.started);
    return call.repeatable ? this.#repeated(ask, call, link) : ask();
  }

  /** Sends a repeatable request, again after each pause while its exchange breaks on an open connection. */
  async #repeated(ask: () => Promise<ServerResponse>, call: Call, link: Link): Promise<ServerResponse> {
    const { when, pauses } = retries.exchange;
    // The first attempt waits for nothing: requests leave in the order of the calls.
    let sent = ask();
    let failure: unknown;
    for await (const attempt of attempts({ pauses, clock: link.clock })) {
      try {
        if (attempt > 0) sent = ask();
        return await sent;
      } catch (error) {
        failure = error;
        const pause = pauses[attempt];
        if (pause === undefined || !(error instanceof McpError) || !when(this.#failure(error, call, link)))
          break;
        this.#reportRetry(call.method, "exchange", error, pause);
      }
    }
    throw failure;
  }

  #furtherRounds(
    sent: PreparedRequest,
    entry: OutgoingRequest,
    signal: AbortSignal,
    first: unknown,
  ): Promise<{ result: Params; rounds: number }> {
    const send = async (added: Params, within: AbortSignal): Promise<unknown> =>
      resultOf(await this.#send(sent, added, within), sent);
    const { view, call } = sent;
    return throughRounds(this.#setup.rounds, { view, method: call.method, entry, signal, send, first });
  }

  /**
   * Adds `_meta` with a progress token, with or without a listener: progress also shows that the server is alive.
   */
  #withToken(params: Params, view: RevisionView<"client">, progressToken: number): Params {
    const _meta = { progressToken, ...this.#metaOf(params, view) };
    _meta.progressToken = progressToken;
    return replaceMeta(params, _meta);
  }

  /** The `_meta` of a request without its progress token. Makes no object of two unless it needs both. */
  #metaOf({ _meta }: Params, view: RevisionView<"client">): Params | undefined {
    const general = this.#metaFor(view);
    return _meta && general ? { ..._meta, ...general } : (_meta ?? general);
  }

  /** The `_meta` of all requests, until the revision or the log level changes; `undefined` in eras without it. */
  #metaFor(view: RevisionView<"client">): Params | undefined {
    if (!eraOf(view).requestMeta) return undefined;
    const { logLevel } = this.#setup.connections;
    if (this.#cachedMeta?.view !== view || this.#cachedMeta.logLevel !== logLevel)
      this.#cachedMeta = { view, logLevel, meta: requestMeta(view, this.#setup.profile, logLevel) };
    return this.#cachedMeta.meta;
  }
}

/** What the result of a request holds of a list, if the list may leave entries out. */
function partOf(
  { page }: OutgoingRequest,
  { method, part, params }: Call,
  asked = params,
): ListPart | undefined {
  return part === "page" ? page?.partial && { list: method, page, params: asked } : part;
}

function isOneEntry({ part }: Call): boolean {
  return part !== undefined && part !== "page";
}

/** @throws {McpError} the error of the response */
function resultOf(response: ServerResponse, { call, params }: PreparedRequest): unknown {
  if (response.error) throw remoteError(call.method, response, params);
  return response.result;
}

/** The error for a result that cannot be decoded, such as one nested too deeply for the stack. */
function unreadable(method: string, cause: unknown): McpError {
  return invalidResult(method, `it cannot be read: ${messageOf(cause)}`, cause);
}

/** The error for a result of a tool that cannot be read: it says that the tool has run, and holds the result as it came. */
function carriedOut(error: McpError, result: unknown): McpError {
  const { code, message, data } = error;
  if (code !== "invalid-result" && code !== "not-expressible") return error;
  const text = message.endsWith(wasCarriedOut) ? message : message + wasCarriedOut;
  return new McpError(code, text, { data: { ...(isObject(data) ? data : {}), result }, cause: error });
}

/** The end of what steps of results say, too. */
const wasCarriedOut = "; the request was carried out";

/** The facts of a method that the revision does not have. */
const vendorEntry: OutgoingRequest = {};

function isVendor({ result }: Partial<VendorRequestOptions>): boolean {
  return result !== undefined;
}

function notInTable(method: string, view: RevisionView): McpError {
  const { code, message } = noSuchMethod(method, view);
  return new McpError(
    code,
    `${message}, and no extension of the client adds it there. Give connect its extension. To send it all the same, give the option result: a schema, or {}.`,
  );
}

const noHeaders: Sending = {};

const noParams: Params = {};
