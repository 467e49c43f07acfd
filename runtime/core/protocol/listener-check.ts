import { invalid, requireFunction } from "../options/option-check.js";

/** The notifications that the runtime handles, on both sides. */
const handled: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "notifications/cancelled",
  "notifications/progress",
]);

/**
 * Checks a listener of notifications.
 *
 * @throws {McpError} `invalid-definition`: it is not a function, or would never be called
 */
export function checkListener(method: string, listener: unknown): void {
  requireFunction(method, listener);
  if (handled.has(method))
    throw invalid(`${method}: the runtime handles it. Use the signal or onProgress of the request.`);
}
