import type { Around, ExtensionUse } from "../model.js";

type Methods<Handler> = readonly (readonly [method: string, handler: Handler])[];

type Run = (params: object, context: never) => object | Promise<object>;

/** A result that the runtime serialises once for all clients. */
interface SerialisedOnce {
  readonly value: object;
  readonly hints: object;
  text(): string;
}

/** The handlers of a server, with those of extensions: see `Extended.methods`. */
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
      // Another result may have been made for one client.
      (context as { hints: object }).hints = result === value ? hints : { ...hints, cacheScope: "private" };
      return result;
    };
    const result = run(params, context, 0);
    return isPromise(result) ? result.then((value) => settled(value, true)) : settled(result, false);
  };
}

/** Whether a result is still to come. */
export function isPromise(result: object): result is Promise<object> {
  return typeof (result as { then?: unknown } | null)?.then === "function";
}

function isSerialisedOnce(result: object | null): result is SerialisedOnce {
  return typeof (result as SerialisedOnce | null)?.text === "function";
}

/** The handlers of an extension by method. Their results have the cache hints that the program gives. */
export function hinted({
  handlers,
  cache,
}: ExtensionUse): (readonly [string, ExtensionUse["handlers"][string]])[] {
  const all = Object.entries(handlers);
  if (!cache) return all;
  return all.map(([method, handler]) => [
    method,
    (params, context) => {
      // The runtime adds them where the revision has them.
      (context as { hints: object }).hints = cache;
      return handler(params, context);
    },
  ]);
}
