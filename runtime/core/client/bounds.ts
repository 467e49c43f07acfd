import type { RequestOptions, Signal } from "@mcpgen/protocol/model";
import { type Clock, longestWait, McpError, type Timeouts, type platform } from "@mcpgen/base";
import type { ClientProfile } from "./client-profile.js";

/** Options of requests inside an operation with its own timeout. */
export const unbounded: RequestOptions = { timeout: Infinity, totalTimeout: Infinity };

/** Has an end, with a reason. */
interface Ending {
  /** Calls `callback` once at the end. Returns a function that removes the callback. */
  whenClosed(callback: (why: McpError) => void): () => void;
}

/** The limits of an operation. */
interface Bounds {
  readonly clock: Clock;
  /** The name of the operation in error texts. */
  readonly method: string;
  readonly signal: Signal | undefined;
  /** The deadline, by the clock. */
  readonly due: number;
  /** The error at the deadline. */
  readonly late: (now: number) => McpError;
  /** The connection of the operation; its end ends the operation. */
  readonly connection?: Ending;
}

/** A request with its timeouts and its start, through all rounds and retries. */
export interface Bounded {
  readonly method: string;
  readonly options: RequestOptions;
  readonly started: number;
}

/**
 * Runs an operation within its limits.
 *
 * @param work its signal aborts when a limit is reached; its result is then ignored
 * @throws {McpError} `cancelled`, `timeout`, `connection-closed`, or the error of `work`
 */
export function withinBounds<T>(
  { clock, method, signal, due, late, connection }: Bounds,
  work: (signal: platform.AbortSignal) => Promise<T>,
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
    if (connection) clear.push(connection.whenClosed(end));
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
      // Stops the other parts of the operation.
      controller.abort(error);
    });
  });
  return bounded.finally(() => clear.forEach((each) => each()));
}

/**
 * The limits of a request while the client collects input for it: its signal, its total timeout and its connection. The
 * timeout without progress does not apply, because the client waits for the user and not for the server.
 */
export function whileAwaitingInput(
  connection: Ending,
  { clock, timeouts }: Pick<ClientProfile, "clock" | "timeouts">,
  { method, options, started }: Bounded,
): Bounds {
  const { signal, totalTimeout = timeouts.totalTimeout } = options;
  const late = (now: number): McpError => overdue(method, totalTimeout, now - started, ", input included");
  return { clock, method, signal, due: started + totalTimeout, late, connection };
}

/** The limits of a step of `connect`. @param late says what is not done at the deadline */
export function whileOpening(
  { clock, connectTimeout: limit }: Pick<ClientProfile, "clock" | "connectTimeout">,
  signal: Signal | undefined,
  late: string,
): Bounds {
  const started = clock.now();
  const overdueAt = (now: number): McpError =>
    new McpError("timeout", `connect: ${late} within ${limit} ms`, {
      data: { timer: "connect", limit, elapsed: now - started },
    });
  return { clock, method: "connect", signal, due: started + limit, late: overdueAt };
}

/** The limits of a request that waits for a connection: its signal and both timeouts. */
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

/** The options of a request that another request depends on: the remaining time of that request. */
export function remainingOptions(
  clock: Clock,
  timeouts: Timeouts,
  { options, started }: Bounded,
): RequestOptions {
  const { signal, timeout, totalTimeout = timeouts.totalTimeout, headers, onBehalfOf } = options;
  return {
    headers,
    onBehalfOf,
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
