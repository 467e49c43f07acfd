import type { Progress, RequestOptions, Signal } from "@mcpgen/protocol/model";
import { Aborts } from "../time/aborts.js";
import { type Clock, longestWait, systemClock } from "../time/clock.js";
import { McpError } from "./errors.js";
import type { RequestId } from "./message.js";

/** Milliseconds; of one request, unless its options say otherwise. */
export interface Timeouts {
  /** Without an answer or progress. */
  readonly timeout: number;
  /** In all, whatever the progress. */
  readonly totalTimeout: number;
}

export const defaultTimeouts: Timeouts = { timeout: 60_000, totalTimeout: 3_600_000 };

/** A request that waits for its answer. */
export class Open<Answer> {
  readonly id: RequestId;
  readonly method: string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly limits: Timeouts;
  readonly abandon: (reason: McpError) => void;
  /** What takes the request off its abort signal. */
  ignore: (() => void) | undefined;
  readonly started: number;
  /** When the other side was last heard of in this matter. */
  lastSign: number;
  private readonly clock: Clock;

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
    this.clock = clock;
    this.lastSign = clock.now();
    this.started = started ?? this.lastSign;
    this.resolve = resolve;
    this.reject = reject;
    this.abandon = abandon;
  }

  /** The other side is at work: the wait begins anew. */
  progressed(): void {
    this.lastSign = this.clock.now();
  }

  /** When it is given up, unless there is progress. */
  get due(): number {
    return Math.min(this.lastSign + this.limits.timeout, this.started + this.limits.totalTimeout);
  }

  /** What it is given up with at `now`. */
  expiry(now: number): McpError {
    const idle = now - this.lastSign;
    const total = now - this.started;
    const timer = total >= this.limits.totalTimeout ? "totalTimeout" : "timeout";
    const text =
      timer === "timeout"
        ? `no answer or progress for ${idle} ms`
        : `no answer within ${total} ms in all, the last sign of life ${idle} ms ago`;
    return new McpError("timeout", `${this.method}: ${text}`, {
      data: { timer, limit: this.limits[timer], elapsed: total, sinceLastSign: idle },
    });
  }
}

/**
 * The requests of one side that wait for answers: their ids, timers and abort signals. Each settles once
 * and leaves nothing behind.
 */
export class Pending<Answer> {
  private readonly open = new Map<RequestId, Open<Answer>>();
  private readonly deadlines: Deadlines<Answer>;
  private aborts: Aborts | undefined;
  private lastId = 0;
  private readonly timeouts: Timeouts;
  private readonly clock: Clock;

  constructor(timeouts: Timeouts = defaultTimeouts, clock: Clock = systemClock) {
    this.timeouts = timeouts;
    this.clock = clock;
    this.deadlines = new Deadlines(this.open, clock, (request, error) => this.giveUp(request, error));
  }

  get size(): number {
    return this.open.size;
  }

  nextId(): number {
    return ++this.lastId;
  }

  get(id: RequestId): Open<Answer> | undefined {
    return this.open.get(id);
  }

  /**
   * Waits for the answer to `id`.
   *
   * @param abandon called when the request is given up (signal, timer), before its promise rejects
   * @param started when it was sent first, if it is sent again: its total timeout counts from there
   */
  wait(
    id: RequestId,
    method: string,
    options: RequestOptions,
    abandon: (reason: McpError) => void,
    started?: number,
  ): Promise<Answer> {
    const limits = limitsOf(options, this.timeouts);
    return new Promise<Answer>((resolve, reject) => {
      const request = new Open(id, method, options, limits, this.clock, resolve, reject, abandon, started);
      this.open.set(id, request);
      this.deadlines.added(request);
      if (options.signal) this.watch(request, options.signal);
    });
  }

  private watch(request: Open<Answer>, signal: Signal): void {
    const { method } = request;
    request.ignore = (this.aborts ??= new Aborts()).on(signal, () =>
      this.giveUp(request, new McpError("cancelled", `${method} was cancelled`, { cause: signal.reason })),
    );
  }

  /** The request that `id` names, which from now on waits no more. */
  take(id: RequestId): Open<Answer> | undefined {
    const request = this.open.get(id);
    if (request) {
      this.open.delete(id);
      request.ignore?.();
      if (this.open.size === 0) this.deadlines.stop();
    }
    return request;
  }

  /** Ends all that wait. */
  rejectAll(reason: (method: string) => Error): void {
    for (const id of [...this.open.keys()]) {
      const request = this.take(id)!;
      request.reject(reason(request.method));
    }
  }

  private giveUp(request: Open<Answer>, error: McpError): void {
    if (this.open.get(request.id) !== request) return;
    this.take(request.id);
    request.abandon(error);
    request.reject(error);
  }
}

function limitsOf({ timeout, totalTimeout }: RequestOptions, general: Timeouts): Timeouts {
  if (timeout === undefined && totalTimeout === undefined) return general;
  return { timeout: timeout ?? general.timeout, totalTimeout: totalTimeout ?? general.totalTimeout };
}

/** The ends of many requests with one timer: it stands at the first that may be due. */
class Deadlines<Answer> {
  private readonly open: ReadonlyMap<RequestId, Open<Answer>>;
  private readonly clock: Clock;
  private readonly expire: (request: Open<Answer>, error: McpError) => void;
  private timer: unknown;
  private at = Infinity;

  constructor(
    open: ReadonlyMap<RequestId, Open<Answer>>,
    clock: Clock,
    expire: (request: Open<Answer>, error: McpError) => void,
  ) {
    this.open = open;
    this.clock = clock;
    this.expire = expire;
  }

  added({ due }: Open<Answer>): void {
    if (due < this.at) this.schedule(due);
  }

  stop(): void {
    this.clock.clear(this.timer);
    this.at = Infinity;
  }

  private schedule(due: number): void {
    this.clock.clear(this.timer);
    this.at = due;
    const wait = Math.min(Math.max(due - this.clock.now(), 0), longestWait);
    this.timer = this.clock.schedule(this.check, wait);
  }

  /** Progress and answers move the next end without touching the timer; what is due shows when it fires. */
  private readonly check = (): void => {
    this.at = Infinity;
    const now = this.clock.now();
    let next = Infinity;
    for (const request of [...this.open.values()]) {
      const { due } = request;
      if (due <= now) this.expire(request, request.expiry(now));
      else next = Math.min(next, due);
    }
    if (next < this.at) this.schedule(next);
  };
}
