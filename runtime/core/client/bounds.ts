import type { RequestOptions, Signal } from "@mcpgen/protocol/model";
import { type Clock, longestWait } from "../time/clock.js";
import { McpError } from "../jsonrpc/errors.js";
import type { Timeouts } from "../jsonrpc/pending.js";
import type { Link } from "./link.js";

/** For requests that are bounded by what they are part of. */
export const unbounded: RequestOptions = { timeout: Infinity, totalTimeout: Infinity };

/** What ends work before it is done. */
export interface Bounds {
  readonly clock: Clock;
  /** What is worked at, for the text of errors. */
  readonly method: string;
  readonly signal: Signal | undefined;
  /** When it has to be done, by the clock. */
  readonly due: number;
  /** What it fails with at `now` where it is not. */
  readonly late: (now: number) => McpError;
  /** The connection it belongs to. */
  readonly link?: Link;
}

/** A request through all that it takes: how it is bounded, and when it began. */
export interface Bounded {
  readonly method: string;
  readonly options: RequestOptions;
  readonly started: number;
}

/**
 * Does work within bounds.
 *
 * @param work is given a signal that aborts when one of the bounds is met; nobody waits for it after that
 * @throws {McpError} `cancelled`, `timeout`, `connection-closed`, or what the work failed with
 */
export function withinBounds<T>(
  { clock, method, signal, due, late, link }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const clear: (() => void)[] = [];
  const bounded = new Promise<T>((resolve, reject) => {
    const end = (why: McpError): void => {
      reject(why);
      controller.abort(why);
    };
    const aborted = (): void =>
      end(new McpError("cancelled", `${method} was cancelled`, { cause: signal?.reason }));
    if (link) clear.push(link.whenClosed(end));
    const wait = Math.max(due - clock.now(), 0);
    if (wait <= longestWait) {
      const timer = clock.schedule(() => end(late(clock.now())), wait);
      clear.push(() => clock.clear(timer));
    }
    if (signal?.aborted) return aborted();
    signal?.addEventListener("abort", aborted);
    clear.push(() => signal?.removeEventListener("abort", aborted));
    work(controller.signal).then(resolve, (error: Error) => {
      reject(error);
      // Other parts of the work may still be under way.
      controller.abort(error);
    });
  });
  return bounded.finally(() => clear.forEach((each) => each()));
}

/**
 * What bounds the work on a request while nothing of it is on the wire: its signal, its total timeout and its
 * connection. The silence of a user who is being asked is not the server's, so the timeout without progress does
 * not count here.
 */
export function whileAsking(link: Link, { method, options, started }: Bounded): Bounds {
  const { clock, timeouts } = link;
  const { signal, totalTimeout = timeouts.totalTimeout } = options;
  const late = (now: number): McpError => overdue(method, totalTimeout, now - started, ", input included");
  return { clock, method, signal, due: started + totalTimeout, late, link };
}

/** What bounds a request that waits for a connection: all that bounds it later, the server's silence included. */
export function whileConnecting(
  clock: Clock,
  timeouts: Timeouts,
  { method, options, started }: Bounded,
): Bounds {
  const { signal, timeout = timeouts.timeout, totalTimeout = timeouts.totalTimeout } = options;
  const began = clock.now();
  const end = started + totalTimeout;
  const late = (now: number): McpError =>
    now >= end
      ? overdue(method, totalTimeout, now - started)
      : new McpError("timeout", `${method}: no connection for ${now - began} ms`, {
          data: { timer: "timeout", limit: timeout, elapsed: now - started, sinceLastSign: now - began },
        });
  return { clock, method, signal, due: Math.min(began + timeout, end), late };
}

/** The options of what has to be done for a request meanwhile: what is left of its own bounds. */
export function meanwhile(clock: Clock, timeouts: Timeouts, { options, started }: Bounded): RequestOptions {
  const { signal, timeout, totalTimeout = timeouts.totalTimeout } = options;
  return {
    totalTimeout: Math.max(started + totalTimeout - clock.now(), 0),
    ...(signal ? { signal } : {}),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

function overdue(method: string, limit: number, elapsed: number, remark = ""): McpError {
  return new McpError("timeout", `${method}: not done within ${elapsed} ms in all${remark}`, {
    data: { timer: "totalTimeout", limit, elapsed },
  });
}
