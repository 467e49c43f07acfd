import type { Around, ExtensionUse } from "../model.js";

type Methods<Handler> = readonly (readonly [method: string, handler: Handler])[];

type Run = (params: object, context: never) => object | Promise<object>;

/** A result that the runtime serialises once and sends to all clients. */
interface SerialisedOnce {
  readonly value: object;
  readonly hints: object;
  readonly texts: ReadonlyMap<unknown, string>;
}

/** Joins the handlers of the server and of its extensions: see `Extended.methods`. */
export function servedMethods<Handler>(
  own: Methods<Handler>,
  added: ReadonlyMap<string, unknown>,
  around: ReadonlyMap<string, readonly Around<never>[]>,
): Methods<Handler> {
  return [...own, ...added].map(([method, handler]) => {
    const outer = around.get(method);
    if (!outer) return [method, handler as Handler];
    return [method, wrapped(method, handler as Run, outer) as Handler];
  });
}

function wrapped(method: string, handler: Run, around: readonly Around<never>[]): Run {
  return (params, context) => {
    let once: SerialisedOnce | undefined;
    const run = (given: object, own: object, index: number): object | Promise<object> => {
      const outer = around[index];
      if (outer)
        return outer({ method, params: given, context: own as never }, (other = given, another = own) =>
          run(other, another, index + 1),
        );
      const result = handler(given, own as never);
      if (!isSerialisedOnce(result)) return result;
      once = result;
      return result.value;
    };
    const settled = (result: object, isAwaited: boolean): object => {
      if (!once || (result === once.value && !isAwaited)) return once ?? result;
      const { hints, value } = once;
      // Middleware may have made another result for this client only.
      (context as { hints: object }).hints = result === value ? hints : { ...hints, cacheScope: "private" };
      return result;
    };
    const result = run(params, context, 0);
    return isPromise(result) ? result.then((value) => settled(value, true)) : settled(result, false);
  };
}

/** Whether a handler returned a promise. */
export function isPromise(result: object): result is Promise<object> {
  return typeof (result as { then?: unknown } | null)?.then === "function";
}

function isSerialisedOnce(result: object | null): result is SerialisedOnce {
  return (result as SerialisedOnce | null)?.texts instanceof Map;
}

/** The handlers of an extension by method. They attach the program's cache hints to their results. */
export function hinted({
  handlers,
  cache,
}: ExtensionUse): (readonly [string, ExtensionUse["handlers"][string]])[] {
  const all = Object.entries(handlers);
  if (!cache) return all;
  return all.map(([method, handler]) => [
    method,
    (params, context) => {
      // The runtime sends the hints where the revision defines them.
      (context as { hints: object }).hints = cache;
      return handler(params, context);
    },
  ]);
}
