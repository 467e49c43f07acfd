import {
  type Admission,
  classify,
  idOf,
  invalid,
  isMcpError,
  isPromise,
  isRequest,
  type McpError,
  type MessageKind,
  messageOf,
  mostLevels,
  parseError,
  type Problem,
  type RequestMessage,
  withoutNullId,
  withTimeout,
} from "@mcpgen/base";
import { requireModern } from "../../protocol/revision-view.js";
import { errorOf, type RequestContext, statesRevision } from "../../server/request.js";
import { placeOf } from "../../server/server-definition.js";
import type { Server } from "../../server/server.js";
import {
  type Posted,
  acceptedBy,
  AuthenticateRequest,
  authenticated,
  corsHeaders,
  guard,
  type KnownHost,
  isJson,
  denied,
  replyDenial,
  replyError,
  replyBusy,
  replyClosing,
  replyInvalid,
  replyForbidden,
  anyName,
  preflight,
} from "./access.js";
import { Streams } from "./event-streams.js";
import {
  type Denial,
  type Principal,
  type PermitCall,
  type Exchange,
  headersNamed,
  unslashed,
} from "./exchange.js";
import {
  type ClusterEndpoint,
  type EndpointCluster,
  type EndpointOptions,
  type HttpRoute,
  checkEndpointOptions,
  endpointRules,
  routesByPath,
} from "./endpoint-options.js";
import {
  Backlog,
  CountedWarnings,
  type EndpointQuotas,
  countWork,
  maxSessionRequests,
  quotasOf,
} from "./limits.js";
import { ModernRequests, type ResponseForm } from "./posts.js";
import { HttpCounts, type HttpSessions, type HttpStats, noSessions } from "./http-stats.js";
import { permitCallOf } from "./permit.js";
import { type EarlierCall, ServerConnection } from "../../server/connection.js";

const randomKey =
  "HTTP: the state of a request in several rounds was sealed with a key of this process alone; give state.keys, or it is lost with the process";

const anonymous: Principal = {};

/** Whether the client of a call that waits is one of HTTP. */
const isOverHttp = ({ connection }: RequestContext): boolean => connection.http !== undefined;

/** A request that a denial may answer. */
type Denied = Pick<Exchange, "denial">;

/** The error where several processes may get the answers of a client, and nothing says how its calls wait. */
function unsaidParking(): McpError {
  return invalid(
    'state.parking: processes that share state.keys may get the answers to each other\'s calls. Write "routed" if each client always reaches the same process, or false if only handlers with replay: true ask; or use cluster.',
  );
}

/** Default maximum bytes of one body. */
const defaultBodyLimit = 4 * 1_048_576;
/** Default milliseconds between comments on quiet streams. */
const defaultKeepAliveMs = 15_000;
/** Default milliseconds that running requests have after `close()`. */
export const defaultGraceMs = 5000;

/** The parts of an endpoint that the requests of legacy revisions use. */
export interface EndpointParts extends ClusterEndpoint {
  readonly form: ResponseForm;
  readonly streams: Streams;
  readonly counts: HttpCounts;
  /** Replies with the error of a request that failed. */
  readonly fail: (exchange: Exchange, message: unknown, error: unknown) => void;
}

/** The requests of legacy revisions at one endpoint: with sessions or without them, and over HTTP+SSE. */
export interface LegacyRequests {
  /** Number of sessions, including sessions without a complete handshake. */
  readonly size: number;
  /** The sessions after their handshakes. */
  readonly sessions: HttpSessions;
  readonly connections: readonly ServerConnection[];
  /**
   * The HTTP+SSE session that the URL of a POST names; absent if HTTP+SSE is not served. Its responses go on the stream
   * of the session.
   */
  readonly olderSession: ((exchange: Exchange) => string | undefined) | undefined;
  post(posted: Posted): void;
  /**
   * Receives a message of an HTTP+SSE session.
   *
   * @param stated whether the message states a modern revision
   */
  postOlder(posted: Posted, session: string, stated: boolean): void;
  /**
   * Answers a GET or DELETE; otherwise returns the allowed methods.
   *
   * @param isModern whether the request states a modern revision, which has no sessions
   */
  take(exchange: Exchange, principal: Principal, isModern: boolean): string | undefined;
  /** Ends all sessions. */
  close(): Promise<void>;
  /** The endpoint in its cluster, if the sessions have joined it. */
  readonly node: ReturnType<EndpointCluster["join"]> | undefined;
}

/** Streamable HTTP for one server. One endpoint serves both eras. */
export class Endpoint {
  readonly #server: Server;
  readonly #options: EndpointOptions;
  readonly #knownHost: KnownHost = {};
  readonly #routes: ReadonlyMap<string, HttpRoute> | undefined;
  readonly #streams: Streams;
  readonly #warnings: CountedWarnings;
  /** Counts response bytes that wait for their readers. */
  readonly backlog: Backlog;
  readonly #quotas: EndpointQuotas;
  /** Limit of requests in one body. */
  readonly #mostInBatch: number;
  /** Limit of bytes of one body. */
  readonly #bodyLimit: number;
  readonly #counts: HttpCounts;
  readonly #modernIds: ReadonlySet<string>;
  readonly #modern: ModernRequests | undefined;
  readonly #legacy: LegacyRequests | undefined;
  readonly #node: LegacyRequests["node"];
  /** New requests are rejected; running ones may finish. */
  #draining = false;
  #closed = false;

  /**
   * @param serveLegacy serves the legacy revisions; `runtime/core/legacy/http` implements it
   * @throws {McpError} `invalid-definition`: the server has legacy revisions but `serveLegacy` is missing; or an
   *   error of `serveLegacy`
   */
  constructor(
    server: Server,
    options: EndpointOptions,
    serveLegacy?: (endpoint: EndpointParts) => LegacyRequests,
  ) {
    this.#server = server;
    this.#options = withPublicHost(options);
    this.#routes = routesByPath(options.routes);
    const { definition } = server;
    const { modern, legacy, clock, seal, warn, parking, sharesState } = definition;
    const { cluster } = options;
    if (sharesState && parking?.isGiven === false && modern.length > 0 && !cluster) throw unsaidParking();
    this.#warnings = new CountedWarnings(warn);
    this.#counts = new HttpCounts(definition.hooks);
    seal.onRandomKey = () => warn(randomKey);
    const { responses: form = "auto", keepAliveMs = defaultKeepAliveMs } = options;
    const isShared = options.authenticate !== undefined;
    const quotas = (this.#quotas = quotasOf(options.limits ?? {}, isShared));
    this.#streams = new Streams(clock, keepAliveMs, quotas.readers);
    this.backlog = new Backlog(clock, quotas.readers, this.#counts);
    this.#bodyLimit = Math.min(options.bodyLimit ?? defaultBodyLimit, quotas.bodies.share.bytes);
    this.#mostInBatch = Math.min(quotas.work.share.count, maxSessionRequests);
    this.#modernIds = new Set(modern.map(({ id }) => id));
    const posts = { form, streams: this.#streams, quotas };
    if (modern.length > 0) this.#modern = new ModernRequests(server, modern[0]!, posts);
    if (!serveLegacy) requireModern(legacy);
    const parts: EndpointParts = {
      ...{ server, ...posts, counts: this.#counts, backlog: this.backlog },
      warn: (error) => this.#warn(error),
      fail: (exchange, message, error) => this.#fail(exchange, message, error),
      relayed: (channel, caller, http) => {
        const connection = new ServerConnection(definition, channel, caller);
        const permits = this.#permitsOf({}, caller);
        connection.http = permits ? { ...http, permits } : http;
        return connection;
      },
    };
    if (serveLegacy && legacy.length > 0) this.#legacy = serveLegacy(parts);
    // The sessions of legacy revisions join it with what they share.
    this.#node = this.#legacy?.node ?? cluster?.join(parts);
  }

  /** Current amounts and totals. */
  get stats(): HttpStats {
    const { work, bodies, sessions, readers } = this.#quotas;
    const gauges = {
      sessions: this.#legacy?.size ?? 0,
      streams: this.#streams.size,
      requests: work.used.count,
      bodies: bodies.used.count,
      bodyBytes: bodies.used.bytes,
      keptBytes: sessions.used.bytes,
      waitingBytes: readers.used.bytes,
    };
    return { gauges, counters: this.#counts.counters };
  }

  /** Amounts in use. When all requests are answered, only `sessions` and `bytes` may be above 0. */
  get kept(): {
    readonly [what in "sessions" | "bytes" | "streams" | "requests" | "bodies" | "held" | "waiting"]: number;
  } {
    const { keptBytes: bytes, bodyBytes: held, waitingBytes: waiting, ...rest } = this.stats.gauges;
    return { ...rest, bytes, held, waiting };
  }

  /** The sessions of both transports, after their handshakes. */
  get sessions(): HttpSessions {
    return this.#legacy?.sessions ?? noSessions;
  }

  /** The paths of the routes. */
  get routes(): readonly string[] {
    return [...(this.#routes?.keys() ?? [])];
  }

  /** The route for a path. Clients append the endpoint's path, with its slash, to the paths of well-known documents. */
  routeOf(path: string): HttpRoute | undefined {
    const isWellKnown = path.startsWith("/.well-known/");
    return this.#routes?.get(path) ?? (isWellKnown ? this.#routes?.get(unslashed(path)) : undefined);
  }

  handle(exchange: Exchange): void {
    this.#counts.requests++;
    try {
      this.#admit(exchange);
    } catch (error) {
      this.#fail(exchange, undefined, error);
    }
  }

  #admit(exchange: Exchange): void {
    const route = this.#routes && this.routeOf(exchange.path);
    exchange.origin = exchange.header("origin");
    const origin = route ? undefined : exchange.origin;
    const refused = guard(exchange.header("host"), origin, this.#options, this.#knownHost);
    if (refused) {
      this.#server.definition.hooks.emit({ type: "request-refused", ...refused });
      return replyForbidden(exchange, refused);
    }
    if (route) return this.#answerRoute(exchange, route);
    if (exchange.method === "OPTIONS") return preflight(exchange, this.#server);
    const { authenticate, publicUrl } = this.#options;
    if (!authenticate) return this.#route(exchange, anonymous);
    const found = authenticate(new AuthenticateRequest(exchange, publicUrl));
    // A cached credential does not cost a turn of the event loop.
    if (!isPromise(found)) return this.#enter(exchange, authenticated(found));
    void Promise.resolve(found)
      .then((later) => this.#enter(exchange, authenticated(later)))
      .catch((error: unknown) => this.#fail(exchange, undefined, error));
  }

  /** Routes the request of a principal, or denies it. */
  #enter(exchange: Exchange, found: Principal | Denial): void {
    if ("status" in found) {
      const { status, text } = found;
      const { hooks } = this.#server.definition;
      hooks.emit({ type: "request-refused", reason: "credentials", status, message: text ?? "" });
      return replyDenial(exchange, found);
    }
    exchange.principal = found.principal ?? "";
    this.#route(exchange, found);
  }

  #answerRoute(exchange: Exchange, route: HttpRoute): void {
    if (this.#draining && !route.whileClosing) return replyClosing(exchange);
    const answer = (body?: string): void =>
      void answerRoute(exchange, route, body, this.#options.publicUrl).catch((error: unknown) =>
        this.#fail(exchange, undefined, error),
      );
    const { method } = exchange;
    if (routedWithBody.has(method)) this.#read(exchange, Math.min(this.#bodyLimit, routeBodyLimit), answer);
    else if (routedWithoutBody.has(method)) answer();
    else exchange.reply(405, {});
  }

  /**
   * Rejects new requests, lets running ones finish, then ends all sessions and streams. Other transports of the
   * server continue.
   */
  async close(): Promise<void> {
    this.#draining = true;
    await this.#drain(this.#options.graceMs ?? defaultGraceMs);
    this.#closed = true;
    const posts = [...this.#streams.connections].map((connection) => connection.close());
    await Promise.all([...posts, this.#legacy?.close()]);
    // The calls that are left wait: those with an open request ended with it.
    const lost = this.#server.definition.parking?.close("the server is closing", isOverHttp);
    if (lost)
      this.#server.definition.warn(`HTTP: ${lost} calls that waited for answers of their clients are lost`);
    this.#streams.close();
    await this.#node?.close();
    this.#server.rest();
  }

  /** @param graceMs milliseconds that running requests have to finish */
  async #drain(graceMs: number): Promise<void> {
    if (graceMs === 0) return;
    const { clock, parking } = this.#server.definition;
    const sessions = this.#legacy?.connections ?? [];
    const all = [...this.#streams.connections, ...sessions].map((connection) => connection.drain());
    await withTimeout(graceMs, Promise.all([...all, parking?.idle(isOverHttp)]), clock);
  }

  #route(exchange: Exchange, principal: Principal): void {
    const { contextHeaders } = this.#options;
    if (contextHeaders) exchange.passed = headersNamed(exchange, contextHeaders);
    const permits = this.#permitsOf(exchange, principal);
    if (permits) exchange.permits = permits;
    // A POST may contain a response that a running request awaits.
    if (this.#closed || (this.#draining && exchange.method !== "POST")) return replyClosing(exchange);
    if (exchange.method === "POST") return this.#post(exchange, principal);
    const legacy = this.#legacy;
    const allow = legacy ? legacy.take(exchange, principal, this.#isModern(exchange, false)) : "POST";
    if (allow !== undefined) exchange.reply(405, { ...corsHeaders(exchange), allow });
  }

  #post(exchange: Exchange, principal: Principal): void {
    if (!isJson(exchange.header("content-type")))
      return replyInvalid(exchange, 415, "the body must be application/json, in UTF-8");
    const accepted = acceptedBy(exchange.header("accept"));
    // Over HTTP+SSE, responses go on the stream of the session, so Accept does not matter.
    const older = this.#legacy?.olderSession?.(exchange);
    if (!accepted.json && !accepted.events && older === undefined)
      return replyInvalid(exchange, 406, "Accept must allow application/json or text/event-stream");
    const asked = { exchange, accepted, principal, older };
    this.#read(exchange, this.#bodyLimit, (text) => this.#body(text, asked));
  }

  /** Reads a body within the limits, or replies with an error. */
  #read(exchange: Exchange, bodyLimit: number, use: (text: string) => void): void {
    const { bodies } = this.#quotas;
    if (bodies.admit(exchange.principal, 0)) return replyBusy(exchange, undefined, "limits.work");
    const reading = new BodyReading(bodies, exchange.principal, bodyLimit);
    const take = (text: string | undefined | null): void => {
      reading.end();
      if (reading.limitReached) return replyBusy(exchange, undefined, "limits.memory");
      if (text === null) return replyError(exchange, 400, undefined, parseError("the bytes are no UTF-8"));
      if (text === undefined) {
        this.#counts.limitHit("bodyLimit", exchange.principal);
        return replyInvalid(exchange, 413, `the body is longer than ${bodyLimit} bytes`);
      }
      use(text);
    };
    try {
      exchange.readBody(reading, take, () => reading.end());
    } catch (error) {
      reading.end();
      throw error;
    }
  }

  #body(text: string, asked: Omit<Posted, "message" | "kind">): void {
    const { exchange } = asked;
    if (this.#closed) return replyClosing(exchange);
    exchange.size = text.length;
    if (nestsDeeper(text, mostLevels))
      return replyInvalid(exchange, 400, `the body nests deeper than ${mostLevels} levels`);
    let message: unknown;
    try {
      // A byte order mark may be ignored (RFC 8259, 8.1).
      message = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    } catch (error) {
      return replyError(exchange, 400, undefined, parseError(messageOf(error)));
    }
    let kind = classify(message);
    if (kind === "batch") message = (message as unknown[]).map((each) => this.#withoutNullId(exchange, each));
    else if (typeof kind === "object") kind = classify((message = this.#withoutNullId(exchange, message)));
    // Responses and notifications are still accepted: running requests may await them.
    const requests = requestsIn(message, kind);
    if (requests > 0 && this.#refusesNew(message)) return replyClosing(exchange);
    if (requests > this.#mostInBatch) {
      this.#counts.limitHit("limits.work", exchange.principal);
      return replyInvalid(exchange, 400, tooManyInBatch(requests, this.#mostInBatch));
    }
    if (requests > 0 && this.#quotas.work.refusal(exchange.principal, 0, requests))
      return replyBusy(exchange, idOf(message), "limits.work");
    const { accepted, principal, older } = asked;
    const posted = { exchange, message, kind, accepted, principal, older };
    if (!this.#options.permit || requests === 0) return this.#dispatch(posted);
    try {
      this.#permit(posted, requests);
    } catch (error) {
      this.#fail(exchange, message, error);
    }
  }

  /** While the endpoint closes, calls that wait here may go on. */
  #refusesNew(message: unknown): boolean {
    const { parking, seal } = this.#server.definition;
    const state = (message as RequestMessage).params?.["requestState"];
    return this.#draining && !parking?.awaits(state, (text) => seal.holderOf(text) !== undefined);
  }

  #withoutNullId({ principal }: Exchange, message: unknown): unknown {
    const { hooks, isRequest } = this.#server.definition;
    return withoutNullId(message, { isRequest, emit: (event) => hooks.emit({ ...event, principal }) });
  }

  /** Runs the requests of a POST if the application permits it. */
  #permit(posted: Posted, count: number): void {
    const { exchange, message, principal } = posted;
    const requests = (Array.isArray(message) ? message : [message]).filter(isRequest);
    const calls = requests.map((each) => permitCallOf(this.#server, each));
    exchange.calls = calls;
    const conclude = (found: unknown): void => {
      const denial = denied(found);
      if (!denial) return this.#dispatch(posted);
      this.#report(denial, count === 1 ? calls[0] : undefined);
      replyDenial(exchange, denial);
    };
    const found = this.#options.permit!(calls, principal);
    if (!isPromise(found)) return conclude(found);
    const { size } = exchange;
    countWork(this.#quotas, exchange.principal, count, size);
    void Promise.resolve(found)
      .finally(() => countWork(this.#quotas, exchange.principal, -count, -size))
      .then((later) => (this.#refusesNew(message) ? replyClosing(exchange) : conclude(later)))
      .catch((error: unknown) => this.#fail(exchange, message, error));
  }

  #permitsOf(exchange: Denied, principal: Principal): Exchange["permits"] {
    return this.#options.permit && ((call, answers) => this.#permits(exchange, principal, call, answers));
  }

  /** Asks the application about an earlier call whose result is read, with the rights of the reading request. */
  #permits(
    exchange: Denied,
    principal: Principal,
    call: EarlierCall,
    answers: boolean,
  ): boolean | Promise<boolean> {
    const conclude = (found: unknown): boolean => {
      const denial = denied(found);
      if (!denial) return true;
      if (answers) {
        this.#report(denial, call);
        exchange.denial = denial;
      }
      return false;
    };
    const found = this.#options.permit!([call], principal);
    return isPromise(found) ? Promise.resolve(found).then(conclude) : conclude(found);
  }

  #report({ status, text = "" }: Denial, call: EarlierCall | PermitCall | undefined): void {
    const place = call ? placeOf(call.method, call.params) : {};
    const refused = { type: "request-refused", reason: "permission", status, message: text } as const;
    this.#server.definition.hooks.emit({ ...refused, ...place });
  }

  #dispatch(posted: Posted): void {
    const { exchange, message, kind, older } = posted;
    const legacy = this.#legacy;
    const stated = kind === "batch" ? (message as unknown[]).some(statesRevision) : statesRevision(message);
    try {
      if (older !== undefined) legacy!.postOlder(posted, older, stated);
      else if (this.#modern && (!legacy || this.#isModern(exchange, stated)))
        this.#modern.post(posted, stated);
      else legacy!.post(posted);
    } catch (error) {
      this.#fail(exchange, message, error);
    }
  }

  /**
   * Decides the era of a request, once (2026-07-28, versioning).
   *
   * @param stated whether the message states its revision in `_meta`; otherwise the header decides
   */
  #isModern(exchange: Exchange, stated: boolean): boolean {
    return stated || this.#modernIds.has(exchange.header("mcp-protocol-version") ?? "");
  }

  #fail(exchange: Exchange, message: unknown, error: unknown): void {
    const code = isMcpError(error) ? error.code : undefined;
    if (code !== "limit-exceeded") this.#warn(error);
    if (code === "limit-exceeded" || code === "store-failed") return replyBusy(exchange, idOf(message));
    replyError(exchange, code === "invalid-params" ? 400 : 500, idOf(message), errorOf(error));
  }

  #warn(error: unknown): void {
    const cause = isMcpError(error) && error.cause !== undefined ? `: ${messageOf(error.cause)}` : "";
    this.#warnings.add(`HTTP: ${messageOf(error)}${cause}`);
  }
}

/**
 * An endpoint that only serves modern revisions. @throws {McpError} `invalid-definition`: an option is wrong, or the
 * server has a legacy revision
 */
export function modernEndpoint(server: Server, options: EndpointOptions = {}): Endpoint {
  checkEndpointOptions(options, endpointRules);
  return new Endpoint(server, options);
}

/** The host of the public URL is an allowed host. */
function withPublicHost(options: EndpointOptions): EndpointOptions {
  const { publicUrl, allowedHosts = [] } = options;
  if (publicUrl === undefined || allowedHosts === anyName) return options;
  return { ...options, allowedHosts: [...allowedHosts, new URL(publicUrl).host] };
}

/** Maximum bytes of the body of a request for a route. */
const routeBodyLimit = 65_536;

/** The methods that a route answers. */
const routedWithBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const routedWithoutBody: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Answers a request for a route. @param publicUrl a URL of the public origin, if the application names one */
async function answerRoute(
  exchange: Exchange,
  route: HttpRoute,
  body: string | undefined,
  publicUrl: string | undefined,
): Promise<void> {
  const { href } = exchange;
  const { pathname, search } = new URL(href);
  const url = publicUrl === undefined ? href : new URL(publicUrl).origin + pathname + search;
  await exchange.respond(await route.handle(exchange.webRequest(url, body)));
}

/** The number of requests in a body: 1, or the requests of a batch. */
function requestsIn(message: unknown, kind: MessageKind | Problem): number {
  if (kind !== "batch") return kind === "request" ? 1 : 0;
  return (message as unknown[]).reduce<number>((sum, each) => sum + (isRequest(each) ? 1 : 0), 0);
}

function tooManyInBatch(requests: number, most: number): string {
  return `the batch holds ${requests} requests, and ${most} may run at a time: send fewer in each batch`;
}

const none = new Uint8Array(0);

/** Initial size in bytes of the buffer for a body of several chunks. */
const firstSize = 1024;

/**
 * One body while it is read. Its chunks are collected in one buffer, so that a chunk of one byte costs one byte, not an
 * object. Most bodies arrive in one chunk, which is not copied.
 */
export class BodyReading {
  /** Maximum bytes of the body. */
  readonly limit: number;
  readonly #bodies: Admission;
  readonly #principal: string;
  #buffer: Uint8Array = none;
  #length = 0;
  #over = false;
  /** Whether bytes were rejected because the limit of all bodies was reached. */
  limitReached = false;

  /** @param bodies has admitted the body, without bytes */
  constructor(bodies: Admission, principal: string, limit: number) {
    this.limit = limit;
    this.#bodies = bodies;
    this.#principal = principal;
  }

  /** Counts and keeps received bytes. Returns `false` if a limit is reached. */
  take(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.limit) return false;
    if (this.#bodies.admit(this.#principal, piece.length, 0)) {
      this.limitReached = true;
      return false;
    }
    if (this.#length === 0) this.#buffer = piece;
    else {
      if (length > this.#buffer.length) {
        const grown = new Uint8Array(Math.max(length, 2 * this.#buffer.length, firstSize));
        grown.set(this.#buffer.subarray(0, this.#length));
        this.#buffer = grown;
      }
      this.#buffer.set(piece, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** All bytes received so far. */
  get whole(): Uint8Array {
    return this.#length === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.#length);
  }

  /** Stops counting: the body is read, or the client disconnected. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#buffer = none;
    this.#bodies.release(this.#principal, this.#length);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Whether a JSON text has more than `most` levels. Skips strings, which make up most of a long text. */
export function nestsDeeper(text: string, most: number): boolean {
  // Each level has a bracket at either end.
  if (text.length <= 2 * most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    // The codes of [ and {, and of ] and }, differ only in one bit.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > most) return true;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}

/** The index of the closing quote of the string at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
