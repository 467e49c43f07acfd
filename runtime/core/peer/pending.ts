import type { Progress, RequestOptions } from "@mcpgen/protocol/model";
import { Aborts } from "./aborts.js";
import { type Clock, systemClock } from "./clock.js";
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
export interface Open<Answer> {
  readonly id: RequestId;
  readonly method: string;
  resolve(answer: Answer): void;
  reject(error: Error): void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly release: () => void;
  readonly progressed: () => void;
}

/**
 * The requests of one side that wait for answers: their ids, timers and abort signals. Each settles once
 * and leaves nothing behind.
 */
export class Pending<Answer> {
  private readonly open = new Map<RequestId, Open<Answer>>();
  private aborts: Aborts | undefined;
  private lastId = 0;
  private readonly timeouts: Timeouts;
  private readonly clock: Clock;

  constructor(timeouts: Timeouts = defaultTimeouts, clock: Clock = systemClock) {
    this.timeouts = timeouts;
    this.clock = clock;
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
   */
  wait(
    id: RequestId,
    method: string,
    options: RequestOptions,
    abandon: (reason: McpError) => void,
  ): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const giveUp = (error: McpError): void => {
        if (!this.take(id)) return;
        abandon(error);
        reject(error);
      };
      const timers = new Timers(method, { ...this.timeouts, ...defined(options) }, this.clock, giveUp);
      const { signal } = options;
      const onAbort = (): void =>
        giveUp(new McpError("cancelled", `${method} was cancelled`, { cause: signal?.reason }));
      const ignore = signal && (this.aborts ??= new Aborts()).on(signal, onAbort);
      this.open.set(id, {
        id,
        method,
        resolve,
        reject,
        onProgress: options.onProgress,
        progressed: () => timers.restart(),
        release: () => {
          timers.stop();
          ignore?.();
        },
      });
    });
  }

  /** The request that `id` names, which from now on waits no more. */
  take(id: RequestId): Open<Answer> | undefined {
    const request = this.open.get(id);
    if (request) {
      this.open.delete(id);
      request.release();
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
}

function defined(options: RequestOptions): Partial<Timeouts> {
  return {
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(options.totalTimeout === undefined ? {} : { totalTimeout: options.totalTimeout }),
  };
}

/** The two timers of a request as one: it fires at the nearer of the two ends. */
class Timers {
  private readonly started: number;
  private lastSign: number;
  private timer: unknown;
  private readonly method: string;
  private readonly limits: Timeouts;
  private readonly clock: Clock;
  private readonly giveUp: (error: McpError) => void;

  constructor(method: string, limits: Timeouts, clock: Clock, giveUp: (error: McpError) => void) {
    this.method = method;
    this.limits = limits;
    this.clock = clock;
    this.giveUp = giveUp;
    this.started = this.lastSign = clock.now();
    this.schedule(Math.min(limits.timeout, limits.totalTimeout));
  }

  restart(): void {
    this.lastSign = this.clock.now();
  }

  stop(): void {
    this.clock.clear(this.timer);
  }

  private schedule(wait: number): void {
    // A longer wait overflows what timers take, and would fire at once.
    this.timer = this.clock.schedule(() => this.check(), Math.min(Math.max(wait, 0), 2 ** 31 - 1));
  }

  /** Progress moves the end without touching the timer; whether it is due shows when it fires. */
  private check(): void {
    const now = this.clock.now();
    const idle = now - this.lastSign;
    const total = now - this.started;
    if (total >= this.limits.totalTimeout) return this.expire("totalTimeout", total, idle);
    if (idle >= this.limits.timeout) return this.expire("timeout", total, idle);
    this.schedule(Math.min(this.limits.timeout - idle, this.limits.totalTimeout - total));
  }

  private expire(timer: keyof Timeouts, total: number, idle: number): void {
    const text =
      timer === "timeout"
        ? `no answer or progress for ${idle} ms`
        : `no answer within ${total} ms in all, the last sign of life ${idle} ms ago`;
    this.giveUp(
      new McpError("timeout", `${this.method}: ${text}`, {
        data: { timer, limit: this.limits[timer], elapsed: total, sinceLastSign: idle },
      }),
    );
  }
}
