import type { AddedResult, Around, Failure, Requirement } from "../model.js";
import { clientDeclares } from "./declaring.js";
import type { Part } from "./extend.js";
import { isMarked } from "./judging.js";
import { isPromise } from "./serving.js";

/** Runs around requests, and refuses to send results that the client did not declare. */
export function guarded(
  method: string,
  around: Around<never>,
  parts: ReadonlyMap<string, readonly Part[]>,
  failure: Failure,
): Around<never> {
  const check = resultCheck(method, parts, failure);
  if (!check) return around;
  return (request, next) => {
    const { context } = request;
    const result = around(request, next);
    return isPromise(result) ? result.then((value) => check(value, context)) : check(result, context);
  };
}

/** Middleware of a server. */
type Middleware = (
  request: Parameters<Around<never>>[0] & { readonly direction?: string },
  next: () => object | Promise<object>,
) => object | Promise<object>;

/** A server as far as its middleware is concerned. */
interface Program {
  use?: ((middleware: Middleware) => () => void) | undefined;
}

/**
 * Refuses to send results of middleware that the client did not declare. The first middleware that the
 * program adds gets the guard around it: a server without middleware runs none for its requests.
 */
export function guardMiddleware(
  program: Program,
  parts: ReadonlyMap<string, readonly Part[]>,
  failure: Failure,
): void {
  const tables = [...parts.values()].flat().map(({ table }) => table);
  const methods = new Set(tables.flatMap(({ augments }) => [...augments.keys()]));
  const checks = new Map<string, ResultCheck>();
  for (const method of methods) {
    const check = resultCheck(method, parts, failure);
    if (check) checks.set(method, check);
  }
  const { use } = program;
  if (checks.size === 0 || !use) return;
  const guard: Middleware = ({ direction, method, context }, next) => {
    const result = next();
    const check = direction === "incoming" ? checks.get(method) : undefined;
    if (!check) return result;
    return isPromise(result) ? result.then((value) => check(value, context)) : check(result, context);
  };
  program.use = (middleware) => {
    // From here on the method of the class.
    delete program.use;
    use.call(program, guard);
    return use.call(program, middleware);
  };
}

/** Returns a result that the client may get. @throws for another one */
type ResultCheck = (result: object, context: object) => object;

/** The check of the results of a method; undefined if clients get all of them. */
function resultCheck(
  method: string,
  parts: ReadonlyMap<string, readonly Part[]>,
  failure: Failure,
): ResultCheck | undefined {
  const byRevision = new Map([...parts].map(([id, each]) => [id, requiring(method, each)] as const));
  if (![...byRevision.values()].some(({ length }) => length > 0)) return undefined;
  return (result, context) => {
    const { revision, clientCapabilities } = context as {
      readonly revision: string;
      readonly clientCapabilities?: object;
    };
    const added = byRevision.get(revision)?.find((each) => isMarked(each, result));
    if (added && clientCapabilities && !added.isDeclared(clientCapabilities))
      throw new failure(
        "internal-error",
        `${method}: the client gets no ${added.name}: it has not declared ${added.requires.path.join(".")}`,
      );
    return result;
  };
}

/** A result that needs a declaration of the client. */
interface RequiringResult extends AddedResult {
  readonly requires: Requirement;
  readonly isDeclared: (capabilities: object) => boolean;
}

function requiring(method: string, parts: readonly Part[]): readonly RequiringResult[] {
  const tables = parts.map(({ table }) => table);
  return tables
    .flatMap(({ augments }) => augments.get(method) ?? [])
    .flatMap((added) => {
      const { requires } = added;
      if (requires?.of !== "client") return [];
      const isDeclared = clientDeclares(requires.path, tables);
      return [{ ...added, requires, isDeclared }];
    });
}
