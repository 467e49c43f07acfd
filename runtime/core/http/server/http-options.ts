import { type Rules, checkOptions, invalid, orBoolean, withFunctions } from "../../options/option-check.js";
import type { Denial, GuardOptions, Principal } from "./access.js";
import type { EventStore } from "./event-streams.js";
import type { Exchange } from "./exchange.js";
import type { Permit } from "./permit.js";
import type { ResponseForm } from "./posts.js";
import type { HttpRoute } from "./routes.js";
import type { SessionOptions } from "./sessions.js";
import type { SessionCluster } from "./session-cluster.js";
import type { SseOptions } from "./sse.js";

export interface HttpOptions extends GuardOptions {
  /** `false` serves legacy clients without sessions; the server then cannot send requests to them. */
  readonly sessions?: boolean | SessionOptions;
  /**
   * Whether the same URL also serves HTTP+SSE, for clients of 2024-11-05. Default: `false`. The transport is
   * deprecated, keeps one connection open per client, and needs sessions.
   */
  readonly sse?: boolean | SseOptions;
  /** Maximum bytes of a body. Default: 4 MiB. */
  readonly bodyLimit?: number;
  /**
   * Maximum total bytes of the bodies that are being read and the bodies of running requests. Default: 64 MiB. A body
   * beyond the limit gets 503. With `authenticate`, one principal may hold as much as stays free for the others: half
   * of it, if it is the only one.
   */
  readonly bodiesLimit?: number;
  /**
   * Maximum number of running requests, and of bodies that are being read. Default: 1,000 of each. More get 503.
   * Listening streams do not count. A request counts while its client is connected; a cancelled request counts until
   * its handler ends. With `authenticate`, one principal may have as many as stay free for the others.
   */
  readonly maxConcurrent?: number;
  /**
   * Maximum total bytes of client information and subscriptions, kept for sessions and listening streams. Default: 64
   * MiB. One client may use 256 KiB; a principal may use the same share as of sessions.
   */
  readonly keptLimit?: number;
  /**
   * Maximum number of event streams; at the limit, no more listening stream is opened. Default: 10,000. With
   * `authenticate`, one principal may have as many as stay free for the others.
   */
  readonly maxStreams?: number;
  /**
   * Maximum total bytes of responses that wait for their readers. Default: 128 MiB. Above it, the longest stalled
   * connections are closed; with `authenticate`, only those of the same principal and of principals with at least as
   * many waiting bytes.
   */
  readonly waitingLimit?: number;
  /**
   * Milliseconds that a client may read nothing of a waiting response before its connection is closed. Default: a
   * minute; 0 for no limit.
   */
  readonly stalledMs?: number;
  /**
   * Form of responses. Default: `auto`, JSON unless another message precedes the response, or it takes longer than a second or
   * two. `json` never streams: no byte leaves before the response, and clients give up on long requests.
   */
  readonly responses?: ResponseForm;
  /** Stores sent messages so that clients can resume lost streams. Default: in memory. */
  readonly events?: EventStore;
  /**
   * Sessions that several processes serve at once: `cluster(…)` of `@mcpgen/cluster`. It needs `sessions.store`, and takes
   * the place of `events`.
   */
  readonly cluster?: SessionCluster;
  /**
   * Milliseconds between keep-alive comments on event streams. Default: 15 s; 0 for none. Below two seconds, also the longest
   * time until an event stream begins.
   */
  readonly keepAliveMs?: number;
  /** Milliseconds a client waits before it reconnects to a lost stream. Default: 1 s. */
  readonly retryMs?: number;
  /**
   * Maximum age of a GET stream in milliseconds; the client then reconnects. Default: an hour; 0 for no limit. Set
   * less if the platform limits or bills long requests.
   */
  readonly streamMs?: number;
  /**
   * Milliseconds that running requests have to finish after `close`, before they are aborted. Default: 5 s. New
   * requests are rejected meanwhile.
   */
  readonly graceMs?: number;
  /**
   * Names of the headers that handlers read in `context.headers`, such as `["x-tenant"]`. Default: none. Their values come
   * from the client, or from a proxy that sets them: they prove nothing by themselves.
   */
  readonly contextHeaders?: readonly string[];
  /**
   * Identifies the caller before the body is read. `url` is `publicUrl` with the query of the request, or else the URL of
   * the request by its `Host`.
   */
  readonly authenticate?: (
    request: Pick<Exchange, "method" | "header"> & { readonly url: string },
  ) => Principal | Denial | Promise<Principal | Denial>;
  /**
   * Decides whether the principal may send requests, after they are parsed and before any of them runs. It does not judge
   * notifications, GET and DELETE.
   */
  readonly permit?: Permit;
  /**
   * The URL of the endpoint for clients, such as `https://api.example.com/mcp`. Its host is an allowed host. Give it where a
   * proxy changes host, scheme or path.
   */
  readonly publicUrl?: string;
  /**
   * Other resources of the same origin, such as metadata of the authorization. A mounted handler answers their requests if
   * the application passes them to it.
   */
  readonly routes?: readonly HttpRoute[];
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

/** Valid values of each option. */
export const httpRules: Rules<HttpOptions> = {
  allowedHosts: [/^[^\s/*]+$/, "api.example.com"],
  allowedOrigins: [/^([a-z][a-z\d+.-]*:\/\/[^\s/*]+\/?|null)$/i, "https://app.example.com"],
  dangerouslyAllowAnyHost: "boolean",
  dangerouslyAllowAnyOrigin: "boolean",
  sessions: /* @__PURE__ */ orBoolean({
    maxSessions: 1,
    maxPerPrincipal: 1,
    idleMs: 1,
    maxRequests: 1,
    generateId: "function",
    onSession: "function",
    store: /* @__PURE__ */ withFunctions("get", "set", "touch", "delete"),
  } satisfies Rules<SessionOptions>),
  sse: /* @__PURE__ */ orBoolean({ messages: "string" } satisfies Rules<SseOptions>),
  bodyLimit: 1,
  bodiesLimit: 1,
  maxConcurrent: 1,
  keptLimit: 1,
  maxStreams: 1,
  waitingLimit: 1,
  stalledMs: 0,
  responses: ["auto", "json", "sse"] satisfies ResponseForm[],
  events: /* @__PURE__ */ withFunctions("append", "after", "drop"),
  cluster: /* @__PURE__ */ withFunctions("join"),
  keepAliveMs: 0,
  retryMs: 0,
  streamMs: 0,
  graceMs: 0,
  contextHeaders: [/^[!#$%&'*+.^_`|~\w-]+$/, "x-tenant"],
  authenticate: "function",
  permit: "function",
  publicUrl: "string",
  routes: "array",
};

/**
 * Validates options when a handler is created.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or has an invalid value
 */
export function checkHttpOptions(options: HttpOptions): void {
  checkOptions(options, httpRules);
  checkPublicUrl(options.publicUrl);
}

/** @throws {McpError} `invalid-definition` */
export function checkPublicUrl(given: string | undefined): void {
  if (given === undefined) return;
  const { protocol, username, password, search, hash } = URL.canParse(given)
    ? new URL(given)
    : ({ protocol: "" } as URL);
  if (/^https?:$/.test(protocol) && !(username || password || search || hash || /[?#]/.test(given))) return;
  throw invalid(
    `publicUrl: expected the URL of the endpoint, such as "https://api.example.com/mcp", got ${JSON.stringify(given)}.`,
  );
}
