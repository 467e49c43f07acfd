import type { Signal } from "@mcpgen/protocol/model";

/** The context of a request on a server. */
interface Abortable {
  /** Called when the request is aborted. */
  onAbort: ((reason: unknown) => void) | undefined;
}

/**
 * Calls a listener when a request is aborted.
 *
 * A server makes the signal of a request when it is first read, which costs more than a span. Where the context has the member
 * `onAbort`, this function sets it instead of reading the signal.
 *
 * @returns a function that removes the listener from the signal; `undefined` if no signal was read
 */
export function onAbort(context: object, listener: (reason: unknown) => void): (() => void) | undefined {
  if ("onAbort" in context) {
    const request = context as Abortable;
    const earlier = request.onAbort;
    request.onAbort = (reason) => {
      earlier?.(reason);
      listener(reason);
    };
    return undefined;
  }
  const { signal } = context as { readonly signal?: Signal };
  if (!signal) return undefined;
  const aborted = (): void => listener(signal.reason);
  signal.addEventListener("abort", aborted);
  return () => signal.removeEventListener("abort", aborted);
}
