import { type EndpointOptions, endpointRules, type goneOptions } from "../../http/server/endpoint-options.js";
import type { SessionEnd, SessionInfo } from "../../http/server/http-stats.js";
import { gone, orObject, type Rules, withFunctions } from "@mcpgen/base";
import type { EventStore } from "./event-store.js";
import type { SessionCluster } from "./session-cluster.js";
import type { NewSession, SessionStore } from "./session-store.js";

export interface HttpOptions extends EndpointOptions {
  /** `false` serves legacy clients without sessions; the server then cannot send requests to them. */
  readonly sessions?: boolean | SessionOptions;
  /**
   * Whether the same URL also serves HTTP+SSE, for clients of 2024-11-05. Default: `false`. The transport is
   * deprecated, keeps one connection open per client, and needs sessions.
   */
  readonly sse?: boolean | SseOptions;
  /** Stores sent messages so that clients can resume lost streams. Default: in memory. */
  readonly events?: EventStore;
  /**
   * Lets several processes serve the same clients, behind any load balancer: `cluster(…)` of `@mcpgen/cluster`. The rounds of
   * a call reach the process in which its handler waits. Sessions need `sessions.store`; `events` is replaced.
   */
  readonly cluster?: SessionCluster;
}

/** Sessions of clients before 2026-07-28. */
export interface SessionOptions {
  /**
   * A session ends after this many milliseconds without a request, an open stream or a pending response. Default:
   * half an hour.
   */
  readonly idleMs?: number;
  /**
   * Makes the `Mcp-Session-Id` of a new session: visible ASCII, at most 4,096 characters, unique and hard to guess. An
   * invalid id or an exception makes `initialize` fail with 500 and `invalid-definition`. Default: 128 random bits in
   * base64url. HTTP+SSE does not use it.
   */
  readonly generateId?: (session: NewSession) => string | Promise<string>;
  /** Called when a session is created, restored or ended. Its exceptions are ignored. */
  readonly onSession?: (event: SessionEvent) => void;
  /**
   * Keeps sessions for other processes and for restarts. Default: no store, so sessions end with this process. Open
   * streams, running requests and requests to the client do not survive, and sessions of HTTP+SSE are not stored.
   */
  readonly store?: SessionStore;
}

/** A session was created by a handshake, was read from the `store`, or ended. */
export type SessionEvent =
  | { readonly type: "created" | "restored"; readonly session: SessionInfo }
  | { readonly type: "ended"; readonly reason: SessionEnd; readonly session: SessionInfo };

/** Options of HTTP+SSE, the transport before Streamable HTTP. */
export interface SseOptions {
  /**
   * Path to which clients post messages. Default: the path of the stream. Set it if a gateway serves the endpoint
   * under another path.
   */
  readonly messages?: string;
}

const inSessions = "Write limits: { sessions } beside it: one principal may have a tenth of them.";

/** Valid values of each option. */
export const httpRules: Rules<HttpOptions, keyof typeof goneOptions | "retryMs" | "streamMs"> = {
  ...endpointRules,
  sessions: /* @__PURE__ */ orObject("boolean", {
    idleMs: 1,
    maxSessions: gone(inSessions),
    maxPerPrincipal: gone(inSessions),
    maxRequests: gone("Leave it out: one session runs 256 requests at a time."),
    generateId: "function",
    onSession: "function",
    store: /* @__PURE__ */ withFunctions("get", "set", "touch", "delete"),
  } satisfies Rules<SessionOptions, "maxSessions" | "maxPerPrincipal" | "maxRequests">),
  sse: /* @__PURE__ */ orObject("boolean", { messages: "string" } satisfies Rules<SseOptions>),
  events: /* @__PURE__ */ withFunctions("append", "after", "drop"),
  retryMs: gone(
    "Leave it out: clients reconnect after a second. A handler says another time by context.disconnect.",
  ),
  streamMs: gone("Leave it out: clients reconnect after an hour, and when the platform ends a stream."),
};

/** The options of sessions; empty if all have defaults. */
export function sessionOptions({ sessions }: HttpOptions): SessionOptions {
  return typeof sessions === "object" ? sessions : {};
}
