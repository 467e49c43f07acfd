import type { ClientRequests, Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { RevisionView } from "../protocol/revision-view.js";
import type { FormAsker, SchemaReader } from "../schema/message-schema.js";
import type { Clock } from "../time/clock.js";
import type { Timeouts } from "../jsonrpc/pending.js";
import type { ServerHooks } from "./middleware.js";
import type { Params } from "../jsonrpc/message.js";
import type { ServerConnection } from "./connection.js";
import type { RequestContext } from "./context.js";
import type { LegacyEra } from "./request-protocol.js";
import type { StateStore, StateSeal } from "./rounds.js";
import type { ServerSession } from "./server-session.js";
import type { McpError } from "../jsonrpc/errors.js";
import { internalError, printError } from "../jsonrpc/errors.js";

/** Handles the requests of one method. Results are in the authoring vocabulary. */
export type MethodHandler = (
  params: never,
  context: RequestContext,
) => Params | SerialisedResult | Promise<Params>;

/** Handles the notifications of one method. */
export type NotificationHandler = (params: never, context: NotificationContext) => void | Promise<void>;

export interface NotificationContext {
  readonly revision: string;
  readonly method: string;
  /** The client, after a handshake (legacy era). */
  readonly session: ServerSession | undefined;
}

/** What a server serves, as all its connections see it. No connection changes it, apart from `connections`. */
export interface ServerDefinition {
  readonly info: Implementation;
  readonly instructions?: string;
  /** The revisions of both eras, newest first. */
  readonly revisions: readonly RevisionView<"server">[];
  readonly modern: readonly RevisionView<"server">[];
  readonly legacy: readonly RevisionView<"server">[];
  /** Serves them; a server of modern revisions alone needs none. */
  readonly legacyEra: LegacyEra | undefined;
  /** By method, those of vendors included; `*` has the handler of all other methods. */
  readonly handlers: ReadonlyMap<string, MethodHandler>;
  readonly notificationHandlers: Map<string, NotificationHandler>;
  /** Whether a table of any given revision defines a method. */
  readonly defines: (direction: Direction, method: string) => boolean;
  /** Whether messages of a method need an id: that of requests of any given revision, or of a vendor; where null is wrong, all. */
  readonly isRequest: (method: string) => boolean;
  /** @throws {McpError} `invalid-definition`: this server reads no schemas of vendor methods */
  readonly schemas: () => SchemaReader;
  readonly ask: FormAsker;
  /** Those that the server declares at a revision; without one, those of all its extensions. */
  readonly capabilities: (revision?: string) => ServerCapabilities;
  /** The open connections; each adds itself, and removes itself when it ends. */
  readonly connections: Set<ServerConnection>;
  /** Publishes the changes of lists that wait for the end of the turn. Never throws. Absent where none wait. */
  publish?: (() => void) | undefined;
  /** Delivers all later changes to the connections. */
  readonly followChanges: () => void;
  readonly seal: StateSeal;
  readonly states: StateStore | undefined;
  readonly counts: ServerCounts;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly argumentDefaults?: boolean;
  readonly nulls?: "absent" | "reject";
  readonly wrongArguments?: "error" | "result";
  readonly thrownErrors?: "hide" | "message";
  readonly hooks: ServerHooks;
  /** Reports a problem that no response carries. Never throws. */
  readonly warn: (message: string) => void;
  /** Reports a value that a handler threw. Never throws. */
  readonly report: ErrorListener;
}

/** What a server has done since it was created; the numbers only grow. */
export interface ServerCounts {
  /** Clients that connected; over HTTP without sessions, each POST counts. */
  connections: number;
  /** Responses with a result. */
  results: number;
  /** Responses with an error, also those to what is no request. */
  errors: number;
  /** Requests that the client cancelled. */
  cancelled: number;
  /** Requests that had no response when their connection ended. */
  aborted: number;
  /** How often `rateLimit` or `timeLimit` refused a request, by option: `{ "rateLimit.calls": 1 }`. */
  readonly limits: { [limit: string]: number };
}

/** The part of a table that lists a method. */
export type Direction =
  "incomingRequests" | "incomingNotifications" | "outgoingRequests" | "outgoingNotifications";

/** Which handler threw. */
export interface ErrorPlace {
  /** Method of the request or notification. */
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource or template. */
  readonly name?: string;
}

/** Gets each value that a handler throws. */
export type ErrorListener = (error: unknown, place: ErrorPlace) => void;

/** Prints what a handler threw, with its place, to standard error. */
export const printHandlerError: ErrorListener = (error, { method, name }) => {
  printError(name === undefined ? method : `${method} ${JSON.stringify(name)}`, error);
};

/** The place of the handler that a request calls. @param received the params: any value */
export function placeOf(method: string, received: Params | null | undefined): ErrorPlace {
  const params = received ?? {};
  const ref = params["ref"] as Params | null | undefined;
  const name = params["name"] ?? params["uri"] ?? ref?.["name"] ?? ref?.["uri"];
  return typeof name === "string" ? { method, name } : { method };
}

/** How long and for whom a result may be cached (2026-07-28, caching). */
export interface CacheHints {
  /** Milliseconds that the result stays fresh. */
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** Default: a result is neither fresh nor shared. */
export const uncached: CacheHints = { ttlMs: 0, cacheScope: "private" };

/**
 * A result that does not depend on the request. It is lowered and serialised once for each revision.
 */
export class SerialisedResult {
  readonly value: Params;
  readonly hints: CacheHints;
  readonly #texts = new Map<RevisionView, string>();

  constructor(value: Params, hints: CacheHints = uncached) {
    this.value = value;
    this.hints = hints;
  }

  /**
   * @param serialise makes the text for a revision that has none yet
   * @param isShared whether that text serves other requests, too; by default it does
   */
  text(revision: RevisionView, serialise: () => string, isShared = () => true): string {
    let text = this.#texts.get(revision);
    if (text !== undefined) return text;
    text = serialise();
    if (isShared()) this.#texts.set(revision, text);
    return text;
  }
}

/** What a handler may return in place of the plain result: alternatives of the vocabulary that ask for nothing. */
export type OtherResult<Method extends keyof ClientRequests, Plain> = Exclude<
  ClientRequests[Method]["result"],
  Plain
>;

/** Whether a handler gave a result in place of the plain one. Its `resultType` is judged as it is sent. */
export function isOtherResult(answer: unknown): answer is Params {
  return ((answer as Params | undefined)?.["resultType"] ?? "complete") !== "complete";
}

/**
 * What a handler gave if it is a result in place of the plain one.
 *
 * @param problem what is wrong with it otherwise
 * @throws {McpError} `internal-error`
 */
export function otherResult(answer: unknown, problem: string): Params {
  if (isOtherResult(answer)) return answer;
  throw unusableResult(problem);
}

/**
 * The error for an invalid result of a handler; the client gets it in place of the result. It has no stack: the stack
 * would show the runtime, not the handler.
 */
export function unusableResult(problem: string): McpError {
  const error = internalError(problem);
  delete error.stack;
  return error;
}
