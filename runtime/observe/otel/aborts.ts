import type { Signal } from "@mcpgen/protocol/model";

/** The context of a request that a server got: these functions end it early. */
interface Abortable {
  abort: (reason: unknown) => void;
  stop: (reason: unknown) => boolean;
}

/**
 * Calls a listener when a request is aborted.
 *
 * A server makes the signal of a request when it is first read, and that costs more than a span. So the listener does not read it
 * where the context has the functions that abort it.
 *
 * @returns what removes the listener from a signal
 */
export function onAbort(context: object, listener: (reason: unknown) => void): (() => void) | undefined {
  if ("abort" in context && "stop" in context) {
    const request = context as Abortable;
    const { abort, stop } = request;
    request.abort = (reason) => {
      abort.call(request, reason);
      listener(reason);
    };
    request.stop = (reason) => {
      const isFirst = stop.call(request, reason);
      listener(reason);
      return isFirst;
    };
    return undefined;
  }
  const { signal } = context as { readonly signal?: Signal };
  if (!signal) return undefined;
  const aborted = (): void => listener(signal.reason);
  signal.addEventListener("abort", aborted);
  return () => signal.removeEventListener("abort", aborted);
}
