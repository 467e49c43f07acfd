import type { Progress, RequestOptions, Signal } from "@mcpgen/protocol/model";
import { Aborts, type Clock, longestWait, systemClock } from "../time/clock.js";
import { McpError } from "./errors.js";
import type { RequestId } from "./message.js";

/** Milliseconds of one request; its own options take precedence. */
export interface Timeouts {
  /** Without an answer or progress. */
  readonly timeout: number;
  /** In total, with progress or without. */
  readonly totalTimeout: number;
}

export const defaultTimeouts: Timeouts = { timeout: 60_000, totalTimeout: 3_600_000 };

/** A request that waits for its answer. */
class PendingRequest<Answer> {
  readonly id: RequestId;
  readonly method: string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly limits: Timeouts;
  readonly abandon: (reason: McpError) => void;
  /** Removes the listener from the abort signal of the request. */
  ignore: (() => void) | undefined;
  readonly started: number;
  /** When the request was sent, or its last progress arrived. */
  lastSign: number;
  readonly #clock: Clock;

  constructor(
    id: RequestId,
    method: string,
    options: RequestOptions,
    limits: Timeouts,
    clock: Clock,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
    abandon: (reason: McpError) => void,
    started: number | undefined,
  ) {
    this.id = id;
    this.method = method;
    this.onProgress = options.onProgress;
    this.limits = limits;
    this.#clock = clock;
    this.lastSign = clock.now();
    this.started = started ?? this.lastSign;
    this.resolve = resolve;
    this.reject = reject;
    this.abandon = abandon;
  }

  /** Progress has arrived: the timeout starts again, the total timeout does not. */
  progressed(): void {
    this.lastSign = this.#clock.now();
  }

  /** When the request times out, unless progress arrives. */
  get due(): number {
    return Math.min(this.lastSign + this.limits.timeout, this.started + this.limits.totalTimeout);
  }

  /** The error of a request that has timed out at `now`. */
  expiry(now: number): McpError {
    const idle = now - this.lastSign;
    const total = now - this.started;
    const timer = total >= this.limits.totalTimeout ? "totalTimeout" : "timeout";
    const text =
      timer === "timeout"
        ? `no answer or progress for ${idle} ms`
        : `no answer within ${total} ms, the last sign ${idle} ms ago`;
    return new McpError("timeout", `${this.method}: ${text}`, {
      data: { timer, limit: this.limits[timer], elapsed: total, sinceLastSign: idle },
    });
  }
}

/**
 * The requests of one side that wait for answers: their ids, timers and abort signals. Each request settles once. One
 * timer serves them all: it is set to the first request that may time out.
 */
export class Pending<Answer> {
  readonly #requests = new Map<RequestId, PendingRequest<Answer>>();
  #aborts: Aborts | undefined;
  #lastId = 0;
  #timer: unknown;
  /** When the timer fires. */
  #firesAt = Infinity;
  readonly #timeouts: Timeouts;
  readonly #clock: Clock;

  constructor(timeouts: Timeouts = defaultTimeouts, clock: Clock = systemClock) {
    this.#timeouts = timeouts;
    this.#clock = clock;
  }

  get size(): number {
    return this.#requests.size;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  get(id: RequestId): PendingRequest<Answer> | undefined {
    return this.#requests.get(id);
  }

  /**
   * Waits for the answer to `id`.
   *
   * @param abandon called when the request is given up (signal, timer), before its promise rejects
   * @param started when a request that is sent again was first sent: its total timeout counts from there
   */
  wait(
    id: RequestId,
    method: string,
    options: RequestOptions,
    abandon: (reason: McpError) => void,
    started?: number,
  ): Promise<Answer> {
    const limits = limitsOf(options, this.#timeouts);
    return new Promise<Answer>((resolve, reject) => {
      const request = new PendingRequest(
        id,
        method,
        options,
        limits,
        this.#clock,
        resolve,
        reject,
        abandon,
        started,
      );
      this.#requests.set(id, request);
      const { due } = request;
      if (due < this.#firesAt) this.#schedule(due);
      if (options.signal) this.#watch(request, options.signal);
    });
  }

  #watch(request: PendingRequest<Answer>, signal: Signal): void {
    const { method } = request;
    request.ignore = (this.#aborts ??= new Aborts()).on(signal, () =>
      this.#giveUp(request, new McpError("cancelled", `${method} was cancelled`, { cause: signal.reason })),
    );
  }

  /** Removes the request that `id` names, and returns it. */
  take(id: RequestId): PendingRequest<Answer> | undefined {
    const request = this.#requests.get(id);
    if (request) {
      this.#requests.delete(id);
      request.ignore?.();
      if (this.#requests.size === 0) this.#stopTimer();
    }
    return request;
  }

  /** Rejects all requests. */
  rejectAll(reason: (method: string) => Error): void {
    for (const id of [...this.#requests.keys()]) {
      const request = this.take(id)!;
      request.reject(reason(request.method));
    }
  }

  #giveUp(request: PendingRequest<Answer>, error: McpError): void {
    if (this.#requests.get(request.id) !== request) return;
    this.take(request.id);
    request.abandon(error);
    request.reject(error);
  }

  #stopTimer(): void {
    this.#clock.clear(this.#timer);
    this.#firesAt = Infinity;
  }

  #schedule(due: number): void {
    this.#clock.clear(this.#timer);
    this.#firesAt = due;
    const wait = Math.min(Math.max(due - this.#clock.now(), 0), longestWait);
    this.#timer = this.#clock.schedule(this.#expire, wait);
  }

  /** Progress and answers do not move the timer: which requests are due is looked up when it fires. */
  readonly #expire = (): void => {
    this.#firesAt = Infinity;
    const now = this.#clock.now();
    let next = Infinity;
    for (const request of [...this.#requests.values()]) {
      const { due } = request;
      if (due <= now) this.#giveUp(request, request.expiry(now));
      else next = Math.min(next, due);
    }
    if (next < this.#firesAt) this.#schedule(next);
  };
}

function limitsOf({ timeout, totalTimeout }: RequestOptions, general: Timeouts): Timeouts {
  if (timeout === undefined && totalTimeout === undefined) return general;
  return { timeout: timeout ?? general.timeout, totalTimeout: totalTimeout ?? general.totalTimeout };
}
