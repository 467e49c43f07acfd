import {
  type Clock,
  harmless,
  invalid,
  type Params,
  type platform,
  type RequestId,
  requireFunction,
} from "@mcpgen/base";
import type { CommonEvent } from "./events.js";
import type { RevisionView } from "./revision-view.js";

/**
 * Represents every method that the authoring vocabulary does not have. With `string` instead, a comparison of `method`
 * would not narrow `params`. A type argument of `use` names other methods.
 */
export type OtherMethod = "any other method";

/** A request, for middleware of both roles. */
export interface MiddlewareRequest {
  /** `incoming`: a handler of this side answers it. `outgoing`: this side sends it. */
  readonly direction: "incoming" | "outgoing";
  readonly method: string;
  /** Valid params in the authoring vocabulary; an empty object if the request has no params. */
  readonly params: object;
  readonly context: MiddlewareContext;
}

/** The context of a request, for middleware of both roles. */
export interface MiddlewareContext {
  /** Id of the protocol revision. */
  readonly revision: string;
  /** Aborts when the request is cancelled; absent for a client's request whose caller passed no signal. */
  readonly signal?: platform.AbortSignal | undefined;
}

/** Members of the contexts of both roles that only the middleware of this package reads. */
export interface InternalContext extends MiddlewareContext {
  readonly requestId?: RequestId | undefined;
  readonly protocol: { readonly revision: RevisionView };
  readonly connection: Peer;
  /** Aborts the signal of a handler. Absent for outgoing requests of a client. */
  stop?(reason: Error): boolean;
}

/** The other side. */
export interface Peer {
  /** Name of the authenticated client; empty on a client. */
  readonly principal: string;
  readonly sessionId?: string | undefined;
  /** Address of the server over HTTP, on a client. */
  readonly endpoint?: string | undefined;
  /** Whether all requests of a connection share the object although there is no session. */
  readonly isAnnounced: boolean;
  readonly definition: {
    readonly clock: Clock;
    /** The counts of a server; absent on clients. */
    readonly counts?: { readonly limits: { [limit: string]: number } };
  };
  emit(event: CommonEvent): void;
  /** Counts requests that were aborted while their handlers run. */
  countAborted(more: number): void;
}

/** A request of a method of `Requests`, whose `method` decides the type of `params`; or of another method. */
export type TypedRequest<Requests, Facts, Other extends string> =
  | {
      [Method in keyof Requests]: Facts & {
        readonly method: Method;
        readonly params: Requests[Method] extends { params: infer Given } ? NonNullable<Given> : Params;
      };
    }[keyof Requests]
  | (Facts & { readonly method: Other; readonly params: Params });

/**
 * Runs around each request. Returns the result of `next`, or another one in its place.
 *
 * Treat parameters and results as read-only, for others may share them: pass other parameters to `next`, and return
 * another result. A middleware that returns the return value of `next` without `await` saves a promise. Its exceptions
 * count as exceptions of the handler.
 */
export type Middleware<Request = MiddlewareRequest> = (
  request: Request,
  next: Next,
) => object | Promise<object>;

/**
 * Sends or handles a notification.
 *
 * @param revision absent if the transport has not decided it
 * @param run sends or handles it with these parameters; received parameters are not checked yet
 */
export type Around = (
  direction: "incoming" | "outgoing",
  method: string,
  params: Params | undefined,
  connection: object,
  revision: RevisionView | undefined,
  run: (params: Params | undefined) => void,
) => void;

/** Wraps the sending and handling of notifications in functions. */
export interface Surrounding {
  /** Adds a function as the outermost one. @param outer gets the earlier functions as `inner` */
  surround(outer: (inner: Around) => Around): void;
}

/** Middleware that gets the server or client to which it is added. */
export interface AttachedMiddleware extends Middleware {
  attach(hooks: Surrounding): void;
}

/** Runs the next middleware, or the request itself. @param params replace the parameters of the request */
export type Next = (params?: object) => Params | Promise<Params>;

type Outcome = Params | Promise<Params>;

/** The middleware and the event listeners of a server or a client. */
export class Hooks<Event> implements Surrounding {
  /** Middleware, the outermost first. */
  middleware: readonly Middleware<never>[] = [];
  /** Runs around each notification. */
  around: Around = (_direction, _method, params, _connection, _revision, run) => run(params);
  readonly #listeners = new Set<(event: Event) => void>();

  surround(outer: (inner: Around) => Around): void {
    this.around = outer(this.around);
  }

  /** Adds a middleware inside the earlier ones. Returns a function that removes it. */
  use(middleware: Middleware<never>): () => void {
    (middleware as Partial<AttachedMiddleware>).attach?.(this);
    const added: Middleware<never> = (request, next) => middleware(request, next);
    this.middleware = [...this.middleware, added];
    return () => (this.middleware = this.middleware.filter((each) => each !== added));
  }

  /** Adds a listener. Its exceptions and rejections are ignored. Returns a function that removes it. */
  onEvent(listener: (event: Event) => unknown): () => void {
    const added = harmless(listener);
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  readonly emit = (event: Event): void => {
    // A copy: a listener that is added during the loop gets only later events.
    for (const listener of [...this.#listeners]) listener(event);
  };
}

/** Runs the middleware from `index` on around `last`. */
export function through<Request extends { readonly params: Params }>(
  middleware: readonly Middleware<never>[],
  request: Request,
  last: (params: Params) => Outcome,
  index = 0,
): Outcome {
  const current = middleware[index] as Middleware<Request> | undefined;
  if (!current) return last(request.params);
  return current(request, (params) =>
    through(middleware, params ? { ...request, params } : request, last, index + 1),
  ) as Outcome;
}

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
