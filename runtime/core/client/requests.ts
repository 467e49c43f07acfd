import type { OutgoingRequest, RequestOptions } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";
import { isInterrupted } from "../jsonrpc/interrupted.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import { type Names, requireKnown } from "../options/option-names.js";
import type { Params, ResponseMessage } from "../jsonrpc/message.js";
import { type Bounded, meanwhile, whileAsking, whileConnecting, withinBounds } from "./bounds.js";
import { type ResultCache, cacheKey } from "./cache.js";
import type { Connection, Connections } from "./connections.js";
import { type Decoded, decode, invalidResult, isAccepted } from "./decode.js";
import { type Introduction, requestMeta } from "./introduction.js";
import type { Link, Sending } from "./link.js";
import type { Listeners } from "./listeners.js";
import type { ListBounds } from "./lists.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { noSuchMethod, requireCapability } from "../protocol/capabilities.js";
import { isOfAnotherEra } from "./refused.js";
import { remoteError } from "./remote-error.js";
import { type RoundSetup, isComplete, throughRounds } from "./rounds.js";
import type { Resending } from "./resending.js";
import type { ToolHeaders } from "./tool-headers.js";

const known: Names<ListBounds> = {
  signal: 0,
  timeout: 0,
  totalTimeout: 0,
  onProgress: 0,
  resend: 0,
  maxPages: 0,
  maxItems: 0,
  maxCharacters: 0,
};

/** What requests are sent with. */
export interface RequestSetup {
  readonly connections: Connections;
  readonly cache: ResultCache;
  readonly headers: ToolHeaders;
  readonly resending: Resending;
  readonly listeners: Listeners;
  readonly introduction: Introduction;
  readonly rounds: RoundSetup;
  /** Lists the tools anew: what they declare is out of date. */
  readonly relist: (options: RequestOptions) => Promise<unknown>;
}

/** A request that the client was asked to send. */
interface Call extends Bounded {
  readonly params: Params;
  /** Whether it may be done twice. */
  readonly repeatable: boolean;
}

/** What a request was answered with, and in how many rounds of input. */
interface Answered extends Decoded {
  readonly rounds: number;
}

/** Sends a client's requests, with what the revision wants said beside them, and makes results of what is answered. */
export class Requests {
  private readonly setup: RequestSetup;
  private saying: { spoken: RevisionView; logLevel: string | undefined; meta: Params } | undefined;

  constructor(setup: RequestSetup) {
    this.setup = setup;
  }

  /**
   * One request, through all that it takes: another session, headers that are up to date, rounds of input. For
   * each reason it is sent once more.
   *
   * @param started when what it belongs to began, which its total timeout is of
   * @throws {McpError} among others `invalid-definition`: there is no option of a name
   */
  async exchange(
    method: string,
    params: Params,
    options: RequestOptions,
    started = this.setup.introduction.clock.now(),
  ): Promise<Decoded> {
    for (const name in options) if (!Object.hasOwn(known, name)) requireKnown(options, known);
    const { connections, resending } = this.setup;
    // Decided before the connection may be replaced, and with it what is known of the tools.
    const repeatable = resending.allows(method, params, options.resend);
    const call: Call = { method, params, options, repeatable, started };
    let reasons: Set<string> | undefined;
    for (;;) {
      let connection: Connection | undefined;
      try {
        // No promise for a connection that stands.
        connection = connections.standing ?? (await this.connected(call));
        return await this.attempt(connection, call);
      } catch (error) {
        const reason = this.reasonToRetry(call, error, connection?.link);
        if (reason === undefined || reasons?.has(reason)) throw error;
        (reasons ??= new Set()).add(reason);
        if (reason === "headers") await this.relist(call);
        if (reason === "era" && !(await this.isReplaced(connection!, call))) throw error;
      }
    }
  }

  /**
   * The connection a request goes over, awaited within the bounds of the request.
   *
   * @throws {McpError}
   */
  connected(request: Bounded): Promise<Connection> {
    const { connections, introduction } = this.setup;
    const { clock, timeouts } = introduction;
    if (connections.standing) return Promise.resolve(connections.standing);
    return withinBounds(whileConnecting(clock, timeouts, request), () => connections.open());
  }

  /** Adds what the era wants to be said with each request. */
  decorated(params: Params, spoken: RevisionView<"client">): Params {
    return spoken.era === "legacy" ? params : { ...params, _meta: { ...params._meta, ...this.said(spoken) } };
  }

  /**
   * Why a request that failed is worth sending once more, if it is: its session is lost, and with it no request
   * was taken; the connection is, and it may be done twice; its headers were out of date; the server may be
   * another now, which speaks otherwise.
   */
  private reasonToRetry(
    { method, repeatable }: Call,
    error: unknown,
    link: Link | undefined,
  ): "session" | "connection" | "headers" | "era" | undefined {
    if (!(error instanceof McpError)) return undefined;
    const { connections } = this.setup;
    if (error.code === "session-lost") return connections.renewable ? "session" : undefined;
    if (isInterrupted(error)) {
      // Where the connection stands, it was sent again over that.
      return link?.over && connections.renewable && repeatable ? "connection" : undefined;
    }
    const { spoken } = connections.agreed;
    const mismatch = spoken.table.errors["HEADER_MISMATCH"]?.code;
    const outdated = method === "tools/call" && mismatch !== undefined && error.rpcCode === mismatch;
    if (outdated) return "headers";
    return link && connections.renewable && isOfAnotherEra(error, spoken) ? "era" : undefined;
  }

  /** Whether the server turns out to speak otherwise than was agreed on. */
  private isReplaced(connection: Connection, call: Call): Promise<boolean> {
    const { connections, introduction } = this.setup;
    const { clock, timeouts } = introduction;
    return withinBounds(whileConnecting(clock, timeouts, call), () => connections.isReplaced(connection));
  }

  private async relist(call: Call): Promise<void> {
    const { cache, introduction, relist } = this.setup;
    cache.clear();
    await relist(meanwhile(introduction.clock, introduction.timeouts, call));
  }

  private attempt({ link, agreement }: Connection, call: Call): Promise<Decoded> {
    const { method } = call;
    const { spoken, capabilities } = agreement;
    const entry = spoken.table.outgoingRequests.get(method);
    if (!entry || entry.payload) throw noSuchMethod(method, spoken);
    requireCapability(method, entry, "server", capabilities as Params);
    return entry.cacheable ? this.cached(link, spoken, entry, call) : this.ask(link, spoken, entry, call);
  }

  /** The result from the cache, or else from the server, to be kept as long as it says (2026-07-28, caching). */
  private async cached(
    link: Link,
    spoken: RevisionView<"client">,
    entry: OutgoingRequest,
    call: Call,
  ): Promise<Decoded> {
    const { cache } = this.setup;
    const { method, params } = call;
    const key = cacheKey(method, params);
    const kept =
      key && (cache.shared(key) ?? (cache.isOwned(key) ? await this.owned(link, key, call) : undefined));
    if (kept) return { result: kept, rejected: [] };
    const { age } = cache;
    let authorization = "";
    const answer = await this.ask(link, spoken, entry, call, (used) => (authorization = used));
    const { result } = answer;
    if (key && answer.rounds === 0 && answer.rejected.length === 0)
      cache.put({ key, method, params, result, authorization }, age);
    return answer;
  }

  /** What is cached for the authorization that the request would be sent with now. */
  private async owned(link: Link, key: string, call: Call): Promise<Params | undefined> {
    const { cache, introduction } = this.setup;
    const { clock, timeouts } = introduction;
    const bounds = whileConnecting(clock, timeouts, call);
    return cache.owned(key, await withinBounds(bounds, async (signal) => link.authorization(signal)));
  }

  /** @param authorized is given what authorizes the request, each time it is sent */
  private async ask(
    link: Link,
    spoken: RevisionView<"client">,
    entry: OutgoingRequest,
    call: Call,
    authorized?: (authorization: string) => void,
  ): Promise<Answered> {
    const { method } = call;
    const send = this.sender(link, spoken, call, authorized);
    let result: unknown = await send(nothing);
    let rounds = 0;
    try {
      if (spoken.era === "modern" && !isComplete(result))
        ({ result, rounds } = await withinBounds(whileAsking(link, call), (signal) =>
          this.furtherRounds(spoken, method, entry, signal, send, result),
        ));
      const decoded = isAccepted(entry, result)
        ? { result, rejected: [] }
        : await decode(spoken, method, entry, result, this.setup.introduction.nulls);
      const lifted = spoken.lift("incomingResults", method, decoded.result);
      return { result: lifted, rejected: decoded.rejected, rounds };
    } catch (error) {
      throw error instanceof McpError ? error : unreadable(method, error);
    }
  }

  /** Sends the request, with what is added to its parameters. */
  private sender(
    link: Link,
    spoken: RevisionView<"client">,
    call: Call,
    authorized: ((authorization: string) => void) | undefined,
  ): Send {
    const { method, options, repeatable, started } = call;
    const { headers, listeners } = this.setup;
    const params = spoken.lower("outgoingRequests", method, call.params);
    const declared = method === "tools/call" ? headers.of(params["name"] as string) : undefined;
    const sending: Sending = link.mirrors
      ? { headers: (_, sent) => mirrorHeaders(spoken, method, sent, declared), authorized }
      : plainly;
    const heard = listeners.guard(options);
    return async (added, signal) => {
      const whole = added === nothing ? params : { ...params, ...added };
      const make = (id: number): Params => this.marked(whole, spoken, id);
      const wanted = signal ? { ...heard, signal } : heard;
      const ask = (): Promise<ResponseMessage> => link.request(method, make, wanted, sending, started);
      const response = await (repeatable ? repeated(ask, link) : ask());
      if (response.error) throw remoteError(method, response, params);
      return response.result;
    };
  }

  private furtherRounds(
    spoken: RevisionView<"client">,
    method: string,
    entry: OutgoingRequest,
    signal: AbortSignal,
    send: Send,
    first: unknown,
  ): Promise<{ result: Params; rounds: number }> {
    return throughRounds(spoken, method, entry, this.setup.rounds, { signal }, send, first);
  }

  /**
   * Adds what is said with each request. A token is sent whether anybody listens or not: progress also says
   * that the server is alive.
   */
  private marked(params: Params, spoken: RevisionView<"client">, progressToken: number): Params {
    if (spoken.era === "legacy") return { ...params, _meta: { ...params._meta, progressToken } };
    return { ...params, _meta: { ...params._meta, ...this.said(spoken), progressToken } };
  }

  /** The same for all requests, until another revision is spoken or another log level wanted. */
  private said(spoken: RevisionView<"client">): Params {
    const { logLevel } = this.setup.connections;
    if (this.saying?.spoken !== spoken || this.saying.logLevel !== logLevel)
      this.saying = { spoken, logLevel, meta: requestMeta(spoken, this.setup.introduction, logLevel) };
    return this.saying.meta;
  }
}

/** What a reader of results fails at: an answer that is nested too deeply for the stack, for one. */
function unreadable(method: string, cause: unknown): McpError {
  return invalidResult(method, `it cannot be read: ${messageOf(cause)}`, cause);
}

/** Milliseconds to wait before a request is sent again; all connections that broke are known as such by then. */
const pauses = [50, 100, 200];

/** Sends a request that may be done twice, once more after each pause while its connection breaks. */
async function repeated(ask: () => Promise<ResponseMessage>, link: Link): Promise<ResponseMessage> {
  for (const pause of pauses) {
    try {
      return await ask();
    } catch (error) {
      if (link.over || !isInterrupted(error)) throw error;
      await new Promise<void>((resolve) => link.clock.schedule(resolve, pause));
    }
  }
  return ask();
}

const plainly: Sending = {};

const nothing: Params = {};

/** Sends a request, once more with each call; a signal takes the place of the one in its options. */
type Send = (added: Params, signal?: AbortSignal) => Promise<unknown>;
