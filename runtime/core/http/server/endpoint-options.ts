import { type Rules, checkOptions, invalid } from "../../options/option-check.js";
import type { GuardOptions } from "./access.js";
import type { Denial, Principal, Exchange } from "./exchange.js";
import type { Permit } from "./permit.js";
import type { ResponseForm } from "./posts.js";
import type { HttpRoute } from "./routes.js";

/** Options of an endpoint. */
export interface EndpointOptions extends GuardOptions {
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
  /**
   * Milliseconds between keep-alive comments on event streams. Default: 15 s; 0 for none. Below two seconds, also the longest
   * time until an event stream begins.
   */
  readonly keepAliveMs?: number;
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
  graceMs: 5000,
} as const;

/** Valid values of each option. */
export const endpointRules: Rules<EndpointOptions> = {
  allowedHosts: [/^[^\s/*]+$/, "api.example.com"],
  allowedOrigins: [/^([a-z][a-z\d+.-]*:\/\/[^\s/*]+\/?|null)$/i, "https://app.example.com"],
  dangerouslyAllowAnyHost: "boolean",
  dangerouslyAllowAnyOrigin: "boolean",
  bodyLimit: 1,
  bodiesLimit: 1,
  maxConcurrent: 1,
  keptLimit: 1,
  maxStreams: 1,
  waitingLimit: 1,
  stalledMs: 0,
  responses: ["auto", "json", "sse"] satisfies ResponseForm[],
  keepAliveMs: 0,
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
export function checkEndpointOptions<Options extends EndpointOptions>(
  options: Options,
  rules: Rules<Options>,
): void {
  checkOptions(options, rules);
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
