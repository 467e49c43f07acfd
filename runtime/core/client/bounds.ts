import type { RequestOptions } from "@mcpgen/protocol/model";
import { McpError } from "../peer/errors.js";
import type { Link } from "./link.js";

/** Longest wait that timers take. */
const longestWait = 2 ** 31 - 1;

/**
 * Does work that belongs to a request while nothing of it is on the wire, within the bounds of the whole request:
 * its signal, its total timeout and its connection. The silence of a user who is being asked is not the server's,
 * so the timeout without progress does not count here.
 *
 * @param started when the request was sent first
 * @param work is given a signal that aborts when one of the bounds is met; nobody waits for it after that
 * @throws {McpError} `cancelled`, `timeout`, `connection-closed`, or what the work failed with
 */
export function withinBounds<T>(
  link: Link,
  method: string,
  { signal, totalTimeout: limit = link.timeouts.totalTimeout }: RequestOptions,
  started: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock } = link;
  const controller = new AbortController();
  const clear: (() => void)[] = [];
  const bounded = new Promise<T>((resolve, reject) => {
    const end = (why: McpError): void => {
      reject(why);
      controller.abort(why);
    };
    const aborted = (): void =>
      end(new McpError("cancelled", `${method} was cancelled`, { cause: signal?.reason }));
    const late = (): void => end(overdue(method, limit, clock.now() - started));
    clear.push(link.whenClosed(end));
    if (limit <= longestWait) {
      const timer = clock.schedule(late, Math.max(started + limit - clock.now(), 0));
      clear.push(() => clock.clear(timer));
    }
    if (signal?.aborted) return aborted();
    signal?.addEventListener("abort", aborted);
    clear.push(() => signal?.removeEventListener("abort", aborted));
    work(controller.signal).then(resolve, reject);
  });
  return bounded.finally(() => clear.forEach((each) => each()));
}

function overdue(method: string, limit: number, elapsed: number): McpError {
  return new McpError("timeout", `${method}: not done within ${elapsed} ms in all, input included`, {
    data: { timer: "totalTimeout", limit, elapsed },
  });
}
