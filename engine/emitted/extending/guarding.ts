import type { AddedResult, Around, Failure, Requirement } from "../model.js";
import { clientDeclares } from "./declaring.js";
import type { Part } from "./extend.js";
import { isMarked } from "./judging.js";
import { isPromise } from "./serving.js";

/** Wraps middleware: throws instead of sending a result that needs an undeclared capability. */
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

/** The part of a server that adds middleware. */
interface Program {
  use?: ((middleware: Middleware) => () => void) | undefined;
}

/**
 * Checks the results of the program's own middleware as `guarded` does. Installs the guard with the first
 * middleware that the program adds, so that requests to a server without middleware pass none.
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
    // Restores the method of the class.
    delete program.use;
    use.call(program, guard);
    return use.call(program, middleware);
  };
}

/** Returns the result. @throws if the client may not get it */
type ResultCheck = (result: object, context: object) => object;

/** Returns the check of a method's results; undefined if no result needs a declaration. */
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

/** A result that a client gets only if it has declared a capability. */
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
