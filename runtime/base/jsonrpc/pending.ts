import type { Progress, RequestOptions, Signal } from "@mcpgen/protocol/model";
import { Aborts, type Clock, longestWait, systemClock } from "../time/clock.js";
import { McpError } from "./errors.js";
import { type RequestId, renewed } from "./message.js";

/** Timeouts of a request in milliseconds; its own options take precedence. */
export interface Timeouts {
  /** Limit for the time without an answer or progress. */
  readonly timeout: number;
  /** Limit for the total time, with progress or without. */
  readonly totalTimeout: number;
}

export const defaultTimeouts: Timeouts = { timeout: 60_000, totalTimeout: 3_600_000 };

export interface PendingOptions {
  /** Default: 60,000 ms without an answer or progress, 3,600,000 in all. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly clock?: Clock | undefined;
  /** Describes unexpected messages since a time, for the errors of requests that time out. */
  readonly meanwhile?: (since: number) => string;
}

/** A request that waits for its answer. */
export interface PendingRequest<Answer> {
  readonly id: RequestId;
  readonly method: string;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly onDisconnect: RequestOptions["onDisconnect"];
  readonly limits: Timeouts;
  /** The times of its first and of its last attempt. */
  readonly started: number;
  readonly sent: number;
  /** The time when the request was sent, or when its last progress arrived. */
  lastSign: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly abandon: (reason: McpError) => void;
  /** What its owner sent. */
  readonly sending: Sent | undefined;
  /** Removes the listener from the abort signal of the request. */
  ignore: (() => void) | undefined;
}

/** A request, as its owner sends it. */
interface Sent {
  /** For a request that is sent again: the time of its first attempt, at which its total timeout starts. */
  readonly started?: number | undefined;
}

/** The time when a request times out, unless progress arrives. */
function dueOf({ lastSign, started, limits }: PendingRequest<never>): number {
  return Math.min(lastSign + limits.timeout, started + limits.totalTimeout);
}

/**
 * The error of a request that has timed out at `now`.
 *
 * @param meanwhile describes the unexpected messages that came instead of an answer
 */
function expiry(
  { method, limits, started, lastSign }: PendingRequest<never>,
  now: number,
  meanwhile: string,
): McpError {
  const idle = now - lastSign;
  const total = now - started;
  const timer = total >= limits.totalTimeout ? "totalTimeout" : "timeout";
  const text =
    timer === "timeout"
      ? `no answer or progress for ${idle} ms`
      : `no answer within ${total} ms, the last sign ${idle} ms ago`;
  return new McpError("timeout", `${method}: ${text}${meanwhile}`, {
    data: { timer, limit: limits[timer], elapsed: total, sinceLastSign: idle },
  });
}

/**
 * The requests of one side that wait for answers: their ids, timers and abort signals. Each request settles once. One
 * timer serves all of them: it is set to the first time at which one may time out.
 */
export class Pending<Answer> {
  #requests = new Map<RequestId, PendingRequest<Answer>>();
  #waited = 0;
  #aborts: Aborts | undefined;
  #lastId = 0;
  #timer: unknown;
  /** The time at which the timer fires. */
  #firesAt = Infinity;
  readonly #timeouts: Timeouts;
  readonly #clock: Clock;
  readonly #meanwhile: (since: number) => string;

  constructor({ timeouts, clock = systemClock, meanwhile = () => "" }: PendingOptions = {}) {
    this.#timeouts = { ...defaultTimeouts, ...timeouts };
    this.#clock = clock;
    this.#meanwhile = meanwhile;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** The last id; ids are counted from 1. */
  get lastId(): number {
    return this.#lastId;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  get(id: RequestId): PendingRequest<Answer> | undefined {
    return this.#requests.get(id);
  }

  /** Returns the request on which progress has arrived: its timeout starts again, its total timeout does not. */
  progressed(id: unknown): PendingRequest<Answer> | undefined {
    const request = this.get(id as RequestId);
    if (request) request.lastSign = this.#clock.now();
    return request;
  }

  /**
   * Waits for the answer to `id`.
   *
   * @param abandon called when the signal or a timeout ends the request, before its promise rejects
   */
  wait(
    id: RequestId,
    method: string,
    options: RequestOptions,
    abandon: (reason: McpError) => void,
    sending?: Sent,
  ): Promise<Answer> {
    const limits = limitsOf(options, this.#timeouts);
    const sent = this.#clock.now();
    return new Promise<Answer>((resolve, reject) => {
      const request: PendingRequest<Answer> = {
        id,
        method,
        onProgress: options.onProgress,
        onDisconnect: options.onDisconnect,
        limits,
        started: sending?.started ?? sent,
        sent,
        lastSign: sent,
        resolve,
        reject,
        abandon,
        sending,
        ignore: undefined,
      };
      this.#requests = renewed(this.#requests, ++this.#waited).set(id, request);
      const due = dueOf(request);
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

  /**
   * Removes the request that a response answers, and returns it. Some peers change the type of an id (number or text):
   * such an id is accepted unless another request has exactly this id.
   */
  answered(id: unknown): PendingRequest<Answer> | undefined {
    const exact = this.take(id as RequestId);
    if (exact || typeof id === "object") return exact;
    const text = String(id);
    return this.take(text) ?? (String(Number(text)) === text ? this.take(Number(text)) : undefined);
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
      const due = dueOf(request);
      if (due <= now) this.#giveUp(request, expiry(request, now, this.#meanwhile(request.sent)));
      else next = Math.min(next, due);
    }
    if (next < this.#firesAt) this.#schedule(next);
  };
}

function limitsOf({ timeout, totalTimeout }: RequestOptions, general: Timeouts): Timeouts {
  if (timeout === undefined && totalTimeout === undefined) return general;
  return { timeout: timeout ?? general.timeout, totalTimeout: totalTimeout ?? general.totalTimeout };
}
