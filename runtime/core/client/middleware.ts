import type { ClientRequests, ServerRequests } from "@mcpgen/protocol/authoring";
import type { Progress, RequestOptions } from "@mcpgen/protocol/model";
import { isObject, McpError, type Params, type platform, type RequestId } from "@mcpgen/base";
import type { ClientEvent } from "../protocol/events.js";
import {
  type Hooks,
  type Middleware,
  type MiddlewareContext,
  type OtherMethod,
  type Peer,
  type TypedRequest,
  through,
} from "../protocol/hooks.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { ClientProfile } from "./client-profile.js";
import { type ServerResponse, remoteError } from "./decode.js";

/** A request of the application, or one that the client makes itself to connect, subscribe or set the log level. */
interface OutgoingFacts {
  readonly direction: "outgoing";
  readonly context: MiddlewareContext;
}

/** A request of the server, which a handler of the application answers. At 2026-07-28, it came in a result. */
interface IncomingFacts {
  readonly direction: "incoming";
  readonly context: IncomingContext;
}

/** The context of a request of the server. */
export interface IncomingContext extends MiddlewareContext, AnswerContext {
  readonly signal: platform.AbortSignal;
  /** Absent at 2026-07-28, where requests of the server come in results. */
  readonly requestId: RequestId | undefined;
}

/**
 * A request as the middleware of a client sees it: compare `direction`, then `method`, and `params` has its type.
 *
 * @typeParam Other methods outside the authoring vocabulary, such as vendor methods
 */
export type ClientMiddlewareRequest<Other extends string = OtherMethod> =
  TypedRequest<ClientRequests, OutgoingFacts, Other> | TypedRequest<ServerRequests, IncomingFacts, Other>;

/** Middleware of a client. */
export type ClientMiddleware<Other extends string = OtherMethod> = Middleware<ClientMiddlewareRequest<Other>>;

/** A request of this client in whose course the server sent something. */
export interface OriginatingRequest {
  readonly method: string;
  /** As the caller gave them, or as middleware passed them on. */
  readonly params: Params;
  /** The object that the caller gave: one for each call shows which call it is. */
  readonly options: RequestOptions;
}

/** A request of the application, as far as others see it. */
export interface Called extends Omit<OriginatingRequest, "options"> {
  /** The options of the caller. */
  readonly given: RequestOptions;
}

export function originOf({ method, params, given: options }: Called): OriginatingRequest {
  return { method, params, options };
}

/** Passed to each handler of a request of the server. */
export interface AnswerContext {
  /**
   * Aborts when the server cancels its request or the connection closes. A handler that continues still counts as one
   * of the `limits.maxQuestions`.
   */
  readonly signal: platform.AbortSignal;
  /** The method of the request. */
  readonly method: string;
  /** The key of the request in `inputRequests` (2026-07-28); absent where the server sends requests. */
  readonly key: string | undefined;
  /**
   * The request of this client that the server asks for: at 2026-07-28, the one whose result asks; before, the one on whose HTTP
   * stream the question came. Absent where the transport does not show it (stdio, HTTP+SSE, the GET stream, a batch): it is never
   * guessed.
   */
  readonly request: OriginatingRequest | undefined;
  /**
   * Sends a progress notification, if the server asked for progress (legacy era, progress). A value that does not exceed
   * the last one is not sent, and nothing is sent after the answer. Input requests of a result have no progress.
   */
  readonly progress: (progress: number, total?: number, message?: string) => void;
}

/**
 * Receives a notification in the authoring vocabulary.
 *
 * @param request the request of this client on whose HTTP stream it came; absent where the transport does not show it
 */
export type NotificationListener<Given = Params> = (
  params: Given,
  method: string,
  request?: OriginatingRequest,
) => void;

export type ClientHooks = Hooks<ClientEvent>;

/** The profile of a client, as far as middleware needs it. */
export type Hooked = Pick<ClientProfile, "hooks" | "clock" | "readNulls" | "endpoint">;

/** A request to the server. */
interface Sent {
  readonly method: string;
  readonly params: Params;
  readonly signal?: unknown;
}

/** Gets the progress of a request, by its token. */
type Reports = Map<unknown, (progress: Progress) => void>;

/** A request whose parameters ask for a result in place of the plain one: its work goes on after its answer. */
export interface Alternative {
  /**
   * Called each time the request is sent with a listener of progress. Listeners that it puts into `later` get progress
   * even after the answer, until they are deleted.
   */
  readonly sent: (later: Reports, token: unknown, onProgress: (progress: Progress) => void) => void;
}

const alternatives = new WeakMap<object, Alternative>();

/**
 * Follows the work of a request whose parameters ask for an alternative result. If the caller aborts, the request is not cancelled
 * then: another request cancels the work behind the alternative.
 *
 * @param context the request's context that middleware gets
 * @param alternative `undefined` for a request whose work ends with its answer
 */
export function expectAlternative(context: object, alternative: Alternative | undefined): void {
  if (alternative === undefined) alternatives.delete(context);
  else alternatives.set(context, alternative);
}

const peers = new WeakMap<Hooked, Peer>();

/** Receives the id under which a request was last sent. */
export interface Numbered {
  sentId?: RequestId | undefined;
}

/** The server of a client, the same object for all its requests. */
export function peerOf(hooked: Hooked): Peer {
  let peer = peers.get(hooked);
  if (!peer) {
    const { hooks, endpoint } = hooked;
    const { emit } = hooks;
    // An aborted question counts as one of `limits.maxQuestions` until its handler ends.
    peer = { principal: "", isAnnounced: true, definition: hooked, endpoint, emit, countAborted: () => {} };
    peers.set(hooked, peer);
  }
  return peer;
}

/**
 * Runs the middleware of a client around a request to its server.
 *
 * @param send sends the request with these parameters; `alternative` follows work that goes on after the answer
 */
export async function sendThrough(
  hooked: Hooked,
  view: RevisionView<"client">,
  { method, params, signal }: Sent,
  send: (params: Params, alternative: Alternative | undefined, context: Numbered) => Promise<Params>,
): Promise<Params> {
  const context = {
    revision: view.id,
    signal,
    protocol: { revision: view },
    connection: peerOf(hooked),
    sentId: undefined,
  };
  const request = { direction: "outgoing", method, params, context };
  const result: unknown = await through(hooked.hooks.middleware, request, (given) =>
    send(given, alternatives.get(context), context),
  );
  if (isObject(result)) return result;
  throw new McpError("invalid-result", `${method}: middleware returned no object: return what next gives`);
}

/**
 * Like `sendThrough`, for a request of the client itself. Middleware gets the parameters and the result as the revision
 * defines them.
 *
 * @param send sends the request with these parameters, and resolves with the response, even if it is an error
 */
export async function exchangeThrough(
  hooked: Hooked,
  view: RevisionView<"client">,
  sent: Sent,
  send: (params: Params, context?: Numbered) => Promise<ServerResponse>,
): Promise<ServerResponse> {
  if (hooked.hooks.middleware.length === 0) return send(sent.params);
  let response: ServerResponse | undefined;
  let seen: unknown;
  try {
    const result = await sendThrough(hooked, view, sent, async (params, _, context) => {
      response = await send(params, context);
      if (response.error) throw (seen = remoteError(sent.method, response));
      return (seen = isObject(response.result) ? response.result : {});
    });
    return response && result === seen ? response : { jsonrpc: "2.0", result };
  } catch (error) {
    if (response && error === seen) return response;
    throw error;
  }
}
