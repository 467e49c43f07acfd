import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { IncomingRequest } from "@mcpgen/protocol/model";
import { type LogLevel, reaches } from "../protocol/meta.js";
import { McpError, isMcpError, messageOf, rpc } from "../jsonrpc/errors.js";
import type { Batch } from "../jsonrpc/batch.js";
import type { Params, RequestId, RequestMessage } from "../jsonrpc/message.js";
import type { Ask } from "./ask.js";
import { type CacheHints, uncached } from "./result.js";
import { placeOf } from "./server-definition.js";
import { type Rounds, newRounds } from "./rounds.js";
import type { ServerConnection } from "./connection.js";
import type { RequestProtocol } from "./request-protocol.js";
import type * as platform from "../platform/platform.js";

/** What a handler is given beside its parameters; good for this one request. */
export interface HandlerContext {
  /** Aborted when the request is cancelled, times out, or the connection goes. */
  readonly signal: platform.AbortSignal;
  /** Id of the protocol revision the client speaks. */
  readonly revision: string;
  readonly requestId: RequestId;
  /** `_meta` of the request. */
  readonly meta: Params;
  /** What the client says of itself: for display, not for decisions. */
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Who asks, where the transport knows: the verified token's claims on HTTP. */
  readonly auth: unknown;
  /**
   * Reports how far the work has come, if the client wants to know. What does not exceed the last report
   * is left out.
   */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Sends a log message, if the client wants messages of that level. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void;
  /**
   * Lets go of the HTTP connection of a request that takes long; the client comes back for the answer
   * (2025-11-25, Streamable HTTP, polling). Does nothing where there is no way back.
   *
   * @param retryMs milliseconds the client is to wait first; 1 s without it
   */
  readonly disconnect: (retryMs?: number) => void;
  readonly ask: Ask;
  /**
   * Runs `effect` once, however many rounds of input the request takes, and gives its result in each. Keys
   * are unique in a handler; the result must be JSON. **Without a `stateStore` a client that sends a round again runs
   * the effects after its ask again.**
   */
  readonly once: <T>(key: string, effect: () => T | Promise<T>) => Promise<T>;
}

/** One request being answered. What is not touched is not made. */
export class RequestContext implements HandlerContext {
  readonly connection: ServerConnection;
  readonly request: RequestMessage;
  readonly protocol: RequestProtocol;
  readonly entry: IncomingRequest;
  readonly auth: unknown;
  /** Hints the result gets, where it may be cached. */
  hints: CacheHints = uncached;
  /** What earlier rounds brought, once there is a use for them. */
  rounds: Rounds | undefined;
  /** What it came in, where that was a JSON-RPC batch. */
  batch: Batch | undefined;
  /** When progress was sent last, by `performance.now()`. */
  reported: number | undefined;
  /** Nothing more is sent for this request. */
  over = false;
  private controller: AbortController | undefined;
  private asking: Ask | undefined;
  private lastProgress = -Infinity;

  constructor(
    connection: ServerConnection,
    request: RequestMessage,
    protocol: RequestProtocol,
    entry: IncomingRequest,
  ) {
    this.connection = connection;
    this.request = request;
    this.protocol = protocol;
    this.entry = entry;
    this.auth = connection.auth;
  }

  get signal(): platform.AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.over) this.controller.abort();
    }
    return this.controller.signal;
  }

  get revision(): string {
    return this.protocol.spoken.id;
  }

  get requestId(): RequestId {
    return this.request.id;
  }

  get meta(): Params {
    return this.request.params?._meta ?? {};
  }

  get clientInfo(): Implementation | undefined {
    return this.protocol.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.protocol.clientCapabilities;
  }

  // Getters of functions: handlers take the context apart, and a method would lose its object.

  get progress(): HandlerContext["progress"] {
    return (progress, total, message) => {
      const progressToken = this.request.params?._meta?.["progressToken"];
      if (this.over || progressToken === undefined || this.protocol.ready === false) return;
      // JSON has no numbers that are not finite; JavaScript callers pass what is no number.
      if (!Number.isFinite(progress) || progress <= this.lastProgress) return;
      this.lastProgress = progress;
      this.reported = performance.now();
      this.notify("notifications/progress", {
        progressToken,
        progress,
        ...(Number.isFinite(total) ? { total } : {}),
        ...(message === undefined ? {} : { message }),
      });
    };
  }

  get log(): HandlerContext["log"] {
    return (level, data, logger) => {
      const { logLevel } = this.protocol;
      if (this.over || logLevel === undefined || !reaches(level, logLevel)) return;
      if (!this.connection.definition.capabilities().logging) return;
      this.notify("notifications/message", {
        level,
        data: data === undefined ? null : data,
        ...(logger === undefined ? {} : { logger }),
      });
    };
  }

  get disconnect(): HandlerContext["disconnect"] {
    return (retryMs = 1000) => {
      if (!this.over) this.connection.disconnect(this.request.id, retryMs);
    };
  }

  /** Sends a notification that belongs to this request. One that cannot be sent never fails the handler. */
  notify(method: string, params: Params): void {
    try {
      this.send(method, params);
    } catch (error) {
      this.connection.definition.warn(`${method} is left out: ${messageOf(error)}`);
    }
  }

  private send(method: string, params: Params): void {
    if (!this.over) this.connection.notify(this.protocol.spoken, method, params, this.request.id);
  }

  get ask(): Ask {
    return (this.asking ??= this.protocol.era.ask(this));
  }

  get once(): HandlerContext["once"] {
    return <T>(key: string, effect: () => T | Promise<T>): Promise<T> => {
      const results = (this.rounds ??= newRounds()).once;
      const known = results.get(key);
      if (known) return known as Promise<T>;
      // Kept as a promise: calls that overlap share one run.
      const running = Promise.resolve()
        .then(effect)
        .then((value) => jsonOnly(key, value));
      results.set(key, running);
      // Also where the handler does not wait for it: its failure is no unhandled rejection.
      running.catch(() => results.delete(key));
      return running;
    };
  }

  /** Hands what a handler threw to the server's author, unless it is meant for the client. */
  report(thrown: unknown): void {
    if (isMeantForClient(thrown)) return;
    const { method, params } = this.request;
    this.connection.definition.report(thrown, placeOf(method, params));
  }

  /** Ends the work on the request: it has been answered, or nobody waits for its answer. */
  abort(reason: McpError): void {
    if (this.over) return;
    this.over = true;
    this.controller?.abort(reason);
  }
}

/**
 * What rides in the state between rounds comes back as JSON.
 *
 * @throws {McpError} `invalid-definition`
 */
function jsonOnly<T>(key: string, value: T): T {
  try {
    if (value === undefined || isJson(value)) return value;
  } catch {
    // A cycle, or a member that throws when it is read: no JSON either.
  }
  throw new McpError(
    "invalid-definition",
    `what once(${JSON.stringify(key)}) gives must be JSON or nothing: between rounds it travels as text`,
  );
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = prototype === Object.prototype || prototype === null;
  return plain && Object.values(value).every((member) => member === undefined || isJson(member));
}

/** Whether an error is about the client: it names a code for it, or what it has not declared. */
function isMeantForClient(thrown: unknown): boolean {
  try {
    if (!isMcpError(thrown)) return false;
    const { code, rpcCode = rpc.internalError } = thrown;
    return code === "missing-capability" || rpcCode !== rpc.internalError;
  } catch {
    return false;
  }
}

/** What a handler threw, as the error that answers the request. */
export function errorOf(thrown: unknown): McpError {
  if (isMcpError(thrown)) return thrown;
  return new McpError("internal-error", "the server failed to answer", {
    rpcCode: rpc.internalError,
    cause: thrown,
  });
}
