import { checkOptions, gone, type Rules, systemClock } from "@mcpgen/base";
import type { HttpRoute } from "@mcpgen/runtime/extending";

export interface HealthOptions {
  /** Path before `/live` and `/ready`. Default: `/health`. */
  readonly path?: string;
  /**
   * Milliseconds between the first report that the process is not ready and its last new request. Load balancers notice
   * the report in this time. Default: 5 s; 0 for none.
   */
  readonly delayMs?: number;
}

/** The state of a process, as load balancers and supervisors see it. */
export interface Health {
  /**
   * For the option `routes`. `GET PATH/live` is answered with 200 as long as the process answers. `GET PATH/ready` is
   * answered with 200 while the process takes new requests, and then with 503. Neither needs credentials.
   */
  readonly routes: readonly HttpRoute[];
  readonly state: "ready" | "draining";
  /**
   * Reports the process as not ready, accepts new requests for another `delayMs`, then calls `close`. A second call
   * returns the same promise.
   *
   * @param target the object that `serveHttp`, `createNodeHandler` or `createHttpHandler` returned
   */
  drain(target: { close(): Promise<void> }): Promise<void>;
}

const rules: Rules<HealthOptions, "clock"> = {
  path: (value) => (isPath(value) ? undefined : 'one as it stands in URLs, such as "/health"'),
  delayMs: 0,
  clock: /* @__PURE__ */ gone("Leave it out: timers of the system wait for delayMs."),
};

/**
 * Makes the routes of a health endpoint, and `drain`, which ends a process without failed requests.
 *
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function health(options: HealthOptions = {}): Health {
  checkOptions(options, rules, "health: ");
  const { path = "/health", delayMs = 5000 } = options;
  let drained: Promise<void> | undefined;
  const state = (): Health["state"] => (drained ? "draining" : "ready");
  return {
    get state() {
      return state();
    },
    routes: [
      { path: `${path}/live`, handle: () => report("live", 200), whileClosing: true },
      {
        path: `${path}/ready`,
        handle: () => report(state(), drained ? 503 : 200),
        whileClosing: true,
      },
    ],
    drain: (target) =>
      (drained ??= (async () => {
        if (delayMs > 0) await new Promise<void>((resolve) => systemClock.schedule(resolve, delayMs));
        await target.close();
      })()),
  };
}

/** Whether a value is a path as it stands in URLs, without a slash at its end. */
function isPath(value: unknown): boolean {
  if (typeof value !== "string" || value.endsWith("/")) return false;
  const origin = "http://localhost";
  return URL.canParse(value, origin) && new URL(value, origin).pathname === value;
}

function report(status: string, code: number): Response {
  return new Response(JSON.stringify({ status }), {
    status: code,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}
