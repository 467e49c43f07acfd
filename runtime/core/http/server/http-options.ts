import { type Rules, checkOptions } from "../../options/option-check.js";
import type { Denial, GuardOptions, Principal } from "./access.js";
import type { EventStore } from "./events.js";
import type { Exchange } from "./exchange.js";
import type { ResponseForm } from "./post-channel.js";
import type { SessionLimits } from "./sessions.js";
import type { SseOptions } from "./sse.js";

export interface HttpOptions extends GuardOptions {
  /** `false`: legacy clients are served without sessions, and so without requests of the server's own. */
  readonly sessions?: boolean | SessionLimits;
  /**
   * Whether clients of 2024-11-05 are served over HTTP+SSE at the same URL, too. Off without it: the transport is
   * deprecated, keeps a connection open for each client, and needs sessions.
   */
  readonly sse?: boolean | SseOptions;
  /** Bytes of a body; 4 MiB without it. */
  readonly bodyLimit?: number;
  /**
   * Bytes in all of bodies that are on their way, and of those whose requests are being answered; 64 MiB without it.
   * Bodies that would be more are refused with 503. With `authenticate`, one principal may hold as many as stay free:
   * half of them, if it is the only one.
   */
  readonly bodiesLimit?: number;
  /**
   * Requests at a time, listening streams not counted, and bodies that are on their way; 1,000 of each without it.
   * More are refused with 503. A request counts as long as somebody waits for it; one that is cancelled, as long as its
   * handler runs. With `authenticate`, one principal may have as many as stay free.
   */
  readonly maxConcurrent?: number;
  /**
   * Bytes kept in all of what clients say of themselves and want to hear of, in sessions and in streams that listen;
   * 64 MiB without it. One client may have 256 KiB of them, a principal the part that it may have of the sessions.
   */
  readonly keptLimit?: number;
  /**
   * Event streams at a time, from which on none more is opened that listens; 10,000 without it. With `authenticate`, one
   * principal may have as many as stay free.
   */
  readonly maxStreams?: number;
  /**
   * Bytes in all of answers that wait for their readers; 128 MiB without it. Where more wait, those are cut off that
   * took nothing for longest; with `authenticate`, among those of the same principal, and of principals for which as much
   * waits.
   */
  readonly waitingLimit?: number;
  /** Milliseconds that a reader may take nothing of what waits for it; a minute without it, any number with 0. */
  readonly stalledMs?: number;
  /** `auto` without it: JSON unless something precedes the answer. */
  readonly responses?: ResponseForm;
  /** Keeps what was sent to sessions for clients that lost a stream; in memory without it. */
  readonly events?: EventStore;
  /** Milliseconds between comments on quiet streams; 15 s without it, none with 0. */
  readonly keepAliveMs?: number;
  /** Milliseconds a client is to wait before it connects to a lost stream again; 1 s without it. */
  readonly retryMs?: number;
  /**
   * Milliseconds that a stream lasts which listens by GET; then it ends, and its client comes back; an hour without
   * it, for ever with 0. Where what runs long costs or is cut off, less than that.
   */
  readonly streamMs?: number;
  /**
   * Milliseconds that running requests have to be answered once it is closed, before they are aborted; 5 s without it.
   * Nothing is begun meanwhile.
   */
  readonly graceMs?: number;
  /** Finds out who asks, before anything of the body is read. */
  readonly authenticate?: (
    request: Pick<Exchange, "method" | "header">,
  ) => Principal | Denial | Promise<Principal | Denial>;
}

export const defaults = {
  bodyLimit: 4 * 1_048_576,
  bodiesLimit: 64 * 1_048_576,
  maxConcurrent: 1000,
  maxStreams: 10_000,
  maxRequests: 256,
  maxSessions: 10_000,
  keptLimit: 64 * 1_048_576,
  waitingLimit: 128 * 1_048_576,
  stalledMs: 60_000,
  keepAliveMs: 15_000,
  retryMs: 1000,
  streamMs: 3_600_000,
  graceMs: 5000,
} as const;

/** What each option may be. */
export const httpRules: Rules<HttpOptions> = {
  allowedHosts: [/^[^\s/*]+$/, "api.example.com"],
  allowedOrigins: [/^([a-z][a-z\d+.-]*:\/\/[^\s/*]+\/?|null)$/i, "https://app.example.com"],
  dangerouslyAllowAnyHost: "boolean",
  dangerouslyAllowAnyOrigin: "boolean",
  sessions: { maxSessions: 1, maxPerPrincipal: 1, idleMs: 1, maxRequests: 1 } satisfies Rules<SessionLimits>,
  sse: { messages: "string" } satisfies Rules<SseOptions>,
  bodyLimit: 1,
  bodiesLimit: 1,
  maxConcurrent: 1,
  keptLimit: 1,
  maxStreams: 1,
  waitingLimit: 1,
  stalledMs: 0,
  responses: ["auto", "json", "sse"] satisfies ResponseForm[],
  events: "object",
  keepAliveMs: 0,
  retryMs: 0,
  streamMs: 0,
  graceMs: 0,
  authenticate: "function",
};

/**
 * Looks at options once, where something is made of them: what is misspelt would be missed only when it matters.
 *
 * @throws {McpError} `invalid-definition`: there is no option of a name, or its value is none for it
 */
export function checkHttpOptions(options: HttpOptions): void {
  checkOptions(options, httpRules);
}
