import type {
  AddedResult,
  Around,
  ExtensionUse,
  Failure,
  Requirement,
} from "../model.js";
import { declares } from "./declaring.js";
import type { Part } from "./extend.js";
import { isMarked } from "./judging.js";

type Methods<Handler> = readonly (readonly [
  method: string,
  handler: Handler,
])[];

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

function wrapped(
  method: string,
  handler: Run,
  around: readonly Around<never>[],
): Run {
  return (params, context) => {
    let once: SerialisedOnce | undefined;
    const run = (
      given: object,
      own: object,
      index: number,
    ): object | Promise<object> => {
      const outer = around[index];
      if (outer)
        return outer(
          { method, params: given, context: own as never },
          (other = given, another = own) => run(other, another, index + 1),
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
      (context as { hints: object }).hints =
        result === value ? hints : { ...hints, cacheScope: "private" };
      return result;
    };
    const result = run(params, context, 0);
    return isPromise(result)
      ? result.then((value) => settled(value, true))
      : settled(result, false);
  };
}

function isPromise(result: object): result is Promise<object> {
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

/** Runs around requests, and refuses to send results that the client did not declare. */
export function guarded(
  method: string,
  around: Around<never>,
  parts: ReadonlyMap<string, readonly Part[]>,
  failure: Failure,
): Around<never> {
  const byRevision = new Map(
    [...parts].map(([id, each]) => [id, requiring(method, each)] as const),
  );
  if (![...byRevision.values()].some(({ length }) => length > 0)) return around;
  return (request, next) => {
    const { revision, clientCapabilities } = request.context as {
      readonly revision: string;
      readonly clientCapabilities?: object;
    };
    const check = (result: object): object => {
      const added = byRevision
        .get(revision)
        ?.find((each) => isMarked(each, result));
      if (
        added &&
        clientCapabilities &&
        !declares(clientCapabilities, added.path)
      )
        throw new failure(
          "internal-error",
          `${method}: the client gets no ${added.name}: it has not declared ${added.path.join(".")}`,
        );
      return result;
    };
    const result = around(request, next);
    return isPromise(result) ? result.then(check) : check(result);
  };
}

function requiring(
  method: string,
  parts: readonly Part[],
): readonly (AddedResult & Pick<Requirement, "path">)[] {
  return parts
    .flatMap(({ table }) => table.augments.get(method) ?? [])
    .flatMap((added) =>
      added.requires?.of === "client"
        ? [{ ...added, path: added.requires.path }]
        : [],
    );
}
