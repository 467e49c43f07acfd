// Rate limits and time limits, as middleware for servers and clients.
import { McpError, type Middleware, type MiddlewareRequest, type Params } from "@mcpgen/runtime";
import {
  BoundedMap,
  checkOptions,
  gone,
  invalid,
  isPromise,
  longestWait,
  rateLimitedCode,
  type Rules,
  timeLimitCode,
} from "@mcpgen/base";
import {
  type InternalContext,
  type Peer,
  placeOf,
  refusal,
  type RevisionView,
} from "@mcpgen/runtime/extending";
import type { MethodFacts } from "@mcpgen/protocol/model";

/** Numbers of requests that are allowed per minute. */
export interface RateLimits {
  /**
   * Requests of the other side per minute. A server does not count requests that open or check a connection (`initialize`,
   * `ping`, `server/discover`, `subscriptions/listen`). A call that waits for its client counts once. Default: no limit.
   */
  readonly calls?: number;
  /**
   * Sampling requests per minute: on a server, requests to the client; on a client, requests of the server. Default: no
   * limit.
   */
  readonly sampling?: number;
  /**
   * The unit of counting. Default: `session`: each session or connection, or the principal where a request has no session
   * (over HTTP at 2026-07-28, and without sessions). A client has one server, and so one rate.
   */
  readonly per?: "session" | "principal";
}

/** Maximum number of principals whose requests are counted. */
const maxPrincipals = 10_000;

const rules: Rules<RateLimits, "maxPrincipals"> = {
  calls: 1,
  sampling: 1,
  per: ["session", "principal"],
  maxPrincipals: /* @__PURE__ */ gone("Leave it out: the rates of 10,000 principals are kept."),
};

/**
 * Makes middleware that refuses requests above a rate with `rate-limited` (−31429; over HTTP also status 429 and
 * `Retry-After`, if the response is JSON). The error's `data` has `limit`, `rate` and `retryAfterMs`. Each rate is a token
 * bucket: a full minute of requests may come at once, then one every `60000 / rate` milliseconds.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or wrong
 */
export function rateLimit(limits: RateLimits): Middleware {
  checkOptions(limits, rules, "rateLimit: ");
  if (limits.calls === undefined && limits.sampling === undefined)
    throw invalid("rateLimit: expected calls or sampling, or both.");
  const { calls, sampling, per = "session" } = limits;
  const ofCalls = calls === undefined ? undefined : new Buckets("calls", calls, per);
  const ofSampling = sampling === undefined ? undefined : new Buckets("sampling", sampling, per);
  return (request, next) => {
    const facts = factsOf(request);
    if (request.direction === "incoming" && (!facts || facts.capability)) ofCalls?.take(request);
    if (ofSampling && facts?.capability?.path[0] === "sampling" && !isAnswered(request))
      ofSampling.take(request);
    return next();
  };
}

/** The facts of the revision about the method of a request; `undefined` for a method that it does not define. */
function factsOf({ direction, method, context }: MiddlewareRequest): MethodFacts | undefined {
  const { incomingRequests, outgoingRequests } = (context as InternalContext).protocol.revision.table;
  return (direction === "incoming" ? incomingRequests : outgoingRequests).get(method);
}

/** Whether an earlier round has brought the answer, so that nothing is sent. */
function isAnswered(request: MiddlewareRequest & { readonly answered?: boolean }): boolean {
  return request.answered === true;
}

/** Counts a refusal, under the name of the option that refused. */
function countRefusal({ definition: { counts } }: Peer, limit: string): void {
  if (counts) counts.limits[limit] = (counts.limits[limit] ?? 0) + 1;
}

/** A minute in milliseconds. A bucket fills in a minute without requests. */
const minute = 60_000;

/**
 * The buckets of one rate, by session or principal (generic cell rate algorithm). A bucket is one number: the time at
 * which it is full again, multiplied by the rate. Each request adds a minute. All numbers are integers, so that a request
 * after `retryAfterMs` is never too early.
 */
class Buckets {
  readonly #limit: "calls" | "sampling";
  readonly #rate: number;
  readonly #per: "session" | "principal";
  /** Buckets by session; they vanish with their sessions. */
  readonly #bySession = new WeakMap<object, number>();
  /**
   * Buckets by principal. A full bucket is dropped, because it equals an absent one. If there are too many, the count of
   * the least recently seen principal starts again.
   */
  readonly #byPrincipal: BoundedMap<string, number>;
  /** Time of the last request in milliseconds, by the clock of its server. */
  #now = 0;

  constructor(limit: "calls" | "sampling", rate: number, per: "session" | "principal") {
    this.#limit = limit;
    this.#rate = rate;
    this.#per = per;
    this.#byPrincipal = new BoundedMap({ count: maxPrincipals, full: "evict", now: () => this.#now });
  }

  /** @throws {McpError} `rate-limited` */
  take({ method, params, context }: MiddlewareRequest): void {
    const { connection } = context as InternalContext;
    const rate = this.#rate;
    const { isAnnounced, sessionId, principal } = connection;
    const bySession = this.#per === "session" && (isAnnounced || sessionId !== undefined);
    this.#now = connection.definition.clock.now();
    const now = this.#now * rate;
    const known = bySession ? this.#bySession.get(connection) : this.#byPrincipal.peek(principal);
    const full = Math.max(known ?? now, now) + minute;
    const excess = full - now - rate * minute;
    if (excess > 0) throw this.#refusal(method, { ...params }, connection, Math.ceil(excess / rate));
    if (bySession) this.#bySession.set(connection, full);
    else this.#byPrincipal.set(principal, full, { lifeMs: (full - now) / rate });
  }

  #refusal(method: string, params: Params, connection: Peer, retryAfterMs: number): McpError {
    const limit = this.#limit;
    const rate = this.#rate;
    const option = `rateLimit.${limit}`;
    countRefusal(connection, option);
    connection.emit({ type: "limit-hit", limit: option, ...placeOf(method, params) });
    const what = limit === "calls" ? "requests" : "sampling requests";
    return new McpError(
      "rate-limited",
      `${method}: more than ${rate} ${what} a minute; the next is allowed in ${retryAfterMs} ms`,
      { rpcCode: rateLimitedCode, data: { limit, rate, retryAfterMs } },
    );
  }
}

/**
 * Makes middleware that limits the time of handlers of incoming requests. After that time, the handler's signal aborts,
 * and the request is answered with `timeout` (−31408). A handler that continues counts as a running request until it ends.
 * Requests that are answered when their stream ends, such as `subscriptions/listen`, and cancelled requests have no limit.
 * On a server, the time includes waiting for answers of the client (up to 2025-11-25); on a client, it includes waiting in
 * the queue.
 *
 * @param ms limit for one request, in milliseconds
 * @throws {McpError} `invalid-definition`: `ms` is not an integer from 1
 */
export function timeLimit(ms: number): Middleware {
  if (!Number.isInteger(ms) || ms < 1 || ms > longestWait)
    throw invalid(`timeLimit: expected a whole number of milliseconds from 1 to ${longestWait}, got ${ms}.`);
  return (request, next) => {
    if (request.direction === "outgoing" || factsOf(request)?.listening) return next();
    const work = next();
    return isPromise(work) ? within(ms, request, work) : work;
  };
}

function within<Result>(
  ms: number,
  { method, params, context }: MiddlewareRequest,
  work: Promise<Result>,
): Promise<Result> {
  const { connection, stop, signal, protocol } = context as InternalContext;
  const { clock } = connection.definition;
  return new Promise((resolve, reject) => {
    const timer = clock.schedule(() => {
      const error = new McpError("timeout", `${method}: the handler did not end within ${ms} ms`, {
        rpcCode: timeLimitCode,
        data: { timer: "timeLimit", limit: ms },
      });
      connection.countAborted(1);
      const ended = (): void => connection.countAborted(-1);
      work.then(ended, ended);
      countRefusal(connection, "timeLimit");
      const place = placeOf(method, { ...params });
      connection.emit({ type: "request-timed-out", direction: "incoming", ...place, error });
      stop?.call(context, error);
      // `refusal` converts the error if the server's option `errors.table` demands another form.
      reject(refusal(protocol.revision as RevisionView<"server">, "TIMEOUT", error, method));
    }, ms);
    const clear = (): void => clock.clear(timer);
    work.then(clear, clear);
    // A cancelled request, or one whose client is gone, gets no answer: its timer would only delay the end of the process.
    signal?.addEventListener("abort", clear);
    work.then(resolve, reject);
  });
}
