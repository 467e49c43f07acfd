import type { ClientRequests, ServerRequests } from "@mcpgen/protocol/authoring";
import { type Asked, isPromise, type Params } from "@mcpgen/base";
import type { ServerEvent } from "../protocol/events.js";
import {
  type Hooks,
  type Middleware,
  type MiddlewareContext,
  type OtherMethod,
  type TypedRequest,
  through,
} from "../protocol/hooks.js";
import type { ServerSession, HandlerContext } from "./context.js";
import { type MethodHandler, SerialisedResult } from "./server-definition.js";

/** The context of a request that a session makes. */
export interface SessionContext extends MiddlewareContext {
  readonly session: ServerSession;
}

/**
 * A request of the client that a handler answers. At 2026-07-28, the middleware runs once around all of its rounds, and in each round
 * of a handler that runs again.
 */
interface IncomingFacts {
  readonly direction: "incoming";
  readonly context: HandlerContext;
}

/**
 * A request to the client that a handler makes with `ask`, or any code with a session. At 2026-07-28, it is part of the
 * result of the round.
 */
interface OutgoingFacts {
  readonly direction: "outgoing";
  /** The context of the handler, or the session. */
  readonly context: HandlerContext | SessionContext;
  /**
   * Whether the client has answered it before the handler ran again (2026-07-28): `next` then returns that answer, and nothing
   * is sent.
   */
  readonly answered: boolean;
}

export type AskFacts = Pick<OutgoingFacts, "context" | "answered">;

/**
 * A request as the middleware of a server sees it: compare `direction`, then `method`, and `params` has its type.
 *
 * @typeParam Other methods outside the authoring vocabulary, such as vendor methods
 */
export type ServerMiddlewareRequest<Other extends string = OtherMethod> =
  TypedRequest<ClientRequests, IncomingFacts, Other> | TypedRequest<ServerRequests, OutgoingFacts, Other>;

/** Middleware of a server. */
export type ServerMiddleware<Other extends string = OtherMethod> = Middleware<ServerMiddlewareRequest<Other>>;

export type ServerHooks = Hooks<ServerEvent>;

/** Wraps a handler of any method in the middleware of a server. Without middleware, returns the handler itself. */
export function withMiddleware(hooks: ServerHooks, handler: MethodHandler): MethodHandler {
  if (hooks.middleware.length === 0) return handler;
  return (params, context) => {
    let serialised: SerialisedResult | undefined;
    let returned: unknown;
    const choose = (result: Params): Params | SerialisedResult => {
      if (result === serialised?.value) return serialised;
      // The middleware may have changed the result for one client.
      if (serialised) context.hints = { ...serialised.hints, cacheScope: "private" };
      return result;
    };
    const request = { direction: "incoming", method: context.request.method, params, context };
    const result = through(hooks.middleware, request, (given) => {
      const found = handler(given as never, context);
      if (found instanceof SerialisedResult) return (serialised = found).value;
      return (returned = found);
    });
    // The middleware passed the promise on: it needs no wrapper.
    if (result === returned) return result;
    return isPromise(result) ? (result.then(choose) as Promise<Params>) : choose(result);
  };
}

/** Runs the middleware of a server around a request to its client. */
export async function askThrough(
  { middleware }: ServerHooks,
  facts: AskFacts,
  asked: Asked,
  send: (asked: Asked) => Promise<Params>,
): Promise<Params> {
  const { method, params = {} } = asked;
  const request = { direction: "outgoing", method, params, ...facts };
  return through(middleware, request, (given) => send(given === params ? asked : { method, params: given }));
}
