import type { Signal } from "@mcpgen/protocol/model";

/** The context of a request that a server got. */
interface Abortable {
  /** Called when it is aborted. */
  onAbort: ((reason: unknown) => void) | undefined;
}

/**
 * Calls a listener when a request is aborted.
 *
 * A server makes the signal of a request when it is first read, and that costs more than a span. So the listener does not read it
 * where the context calls a function itself.
 *
 * @returns what removes the listener from a signal
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
