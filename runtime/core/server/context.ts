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

/** The context of one request, for its handler. */
export interface HandlerContext {
  /** Aborted when the request is cancelled or times out, or when the connection ends. */
  readonly signal: platform.AbortSignal;
  /** Id of the protocol revision of the request. */
  readonly revision: string;
  readonly requestId: RequestId;
  /** `_meta` of the request. */
  readonly meta: Params;
  /** The client's description of itself: for display, not for decisions. */
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The authenticated client, if the transport authenticates: over HTTP, the claims of the verified token. */
  readonly auth: unknown;
  /**
   * Sends a progress notification, if the client asked for progress. A value that does not exceed the last one is not
   * sent.
   */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  /** Sends a log message, if the client wants messages of this level. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void;
  /**
   * Closes the HTTP connection of a long request. The client reconnects to fetch the response (2025-11-25, Streamable
   * HTTP, polling). Does nothing on transports that cannot resume.
   *
   * @param retryMs milliseconds until the client reconnects. Default: 1000
   */
  readonly disconnect: (retryMs?: number) => void;
  readonly ask: Ask;
  /**
   * Runs `effect` in the first round of a multi round-trip request; later rounds return its result. Keys are unique in a
   * handler; the result must be JSON. **Without a `stateStore`, a client that repeats a round repeats the effects that
   * follow its ask.**
   */
  readonly once: <T>(key: string, effect: () => T | Promise<T>) => Promise<T>;
}

/** An open request. Its signal, its asks and its rounds are created on first use. */
export class RequestContext implements HandlerContext {
  readonly connection: ServerConnection;
  readonly request: RequestMessage;
  readonly protocol: RequestProtocol;
  readonly entry: IncomingRequest;
  readonly auth: unknown;
  /** Cache hints of the result, if the method is cacheable. */
  hints: CacheHints = uncached;
  /** The rounds of a multi round-trip request; created on first use. */
  rounds: Rounds | undefined;
  /** The JSON-RPC batch that contained the request. */
  batch: Batch | undefined;
  /** Time of the last progress notification, by `performance.now()`. */
  reported: number | undefined;
  /** The request has ended: nothing more is sent for it. */
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
    return this.protocol.revision.id;
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

  // Getters return functions that do not depend on `this`: handlers may destructure the context.

  get progress(): HandlerContext["progress"] {
    return (progress, total, message) => {
      const progressToken = this.request.params?._meta?.["progressToken"];
      if (this.over || progressToken === undefined || this.protocol.ready === false) return;
      // JSON has only finite numbers, and callers in JavaScript may pass other values.
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

  /** Sends a notification that belongs to this request. A failure to send is a warning: it never fails the handler. */
  notify(method: string, params: Params): void {
    try {
      this.send(method, params);
    } catch (error) {
      this.connection.definition.warn(`${method} is left out: ${messageOf(error)}`);
    }
  }

  private send(method: string, params: Params): void {
    if (!this.over) this.connection.notify(this.protocol.revision, method, params, this.request.id);
  }

  get ask(): Ask {
    return (this.asking ??= this.protocol.era.ask(this));
  }

  get once(): HandlerContext["once"] {
    return <T>(key: string, effect: () => T | Promise<T>): Promise<T> => {
      const results = (this.rounds ??= newRounds()).once;
      const known = results.get(key);
      if (known) return known as Promise<T>;
      // The promise is stored, so that overlapping calls share one run.
      const running = Promise.resolve()
        .then(effect)
        .then((value) => jsonOnly(key, value));
      results.set(key, running);
      // Handles the rejection, even if the handler does not await it.
      running.catch(() => results.delete(key));
      return running;
    };
  }

  /** Reports what a handler threw to `onError`, unless the error is meant for the client. */
  report(thrown: unknown): void {
    if (isMeantForClient(thrown)) return;
    const { method, params } = this.request;
    this.connection.definition.report(thrown, placeOf(method, params));
  }

  /** Ends the request without a response, and aborts its signal. */
  abort(reason: McpError): void {
    if (this.over) return;
    this.over = true;
    this.controller?.abort(reason);
  }
}

/**
 * Checks a result of `once`: the state between rounds carries it as JSON.
 *
 * @throws {McpError} `invalid-definition`
 */
function jsonOnly<T>(key: string, value: T): T {
  try {
    if (value === undefined || isJson(value)) return value;
  } catch {
    // The value has a cycle, or a getter that throws.
  }
  throw new McpError(
    "invalid-definition",
    `the result of once(${JSON.stringify(key)}) must be JSON or undefined: the state between rounds carries it as text`,
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

/** Whether an error is meant for the client: it has a JSON-RPC code, or names a missing capability. */
function isMeantForClient(thrown: unknown): boolean {
  try {
    if (!isMcpError(thrown)) return false;
    const { code, rpcCode = rpc.internalError } = thrown;
    return code === "missing-capability" || rpcCode !== rpc.internalError;
  } catch {
    return false;
  }
}

/** Converts what a handler threw to the error of the response. */
export function errorOf(thrown: unknown): McpError {
  if (isMcpError(thrown)) return thrown;
  return new McpError("internal-error", "the server failed to answer", {
    rpcCode: rpc.internalError,
    cause: thrown,
  });
}
