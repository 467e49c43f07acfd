import {
  checkOptions,
  gone,
  invalid,
  isObject,
  listLike,
  type platform,
  type Rules,
  type ServerChannel,
  withFunctions,
} from "@mcpgen/base";
import type { HttpRequest, ServerConnection } from "../../server/connection.js";
import type { Server } from "../../server/server.js";
import { type GuardOptions, anyName } from "./access.js";
import { type Denial, type Exchange, type Principal, parseTarget } from "./exchange.js";
import type { Backlog, EndpointQuotas, HttpLimits } from "./limits.js";
import type { Permit } from "./permit.js";
import type { ResponseForm } from "./posts.js";

/** Another resource of the same origin, such as authorization metadata. */
export interface HttpRoute {
  /** The whole path from the root of the origin, encoded as in URLs. */
  readonly path: string;
  /**
   * Answers a request of any method and origin: `authenticate` and `allowedOrigins` do not apply, `allowedHosts` does.
   * Its body has at most 64 KiB.
   */
  handle(request: platform.Request): platform.Response | Promise<platform.Response>;
  /** Whether it also answers during and after `close()`, when other routes answer with 503. Default: `false`. */
  readonly whileClosing?: boolean;
}

/** Connects the processes that serve the same clients: the value of the option `cluster`. */
export interface EndpointCluster {
  /** Called once for each endpoint. */
  join(endpoint: ClusterEndpoint): { close(): Promise<void> };
}

/** The parts of an endpoint that a cluster uses. */
export interface ClusterEndpoint {
  readonly server: Server;
  readonly quotas: EndpointQuotas;
  readonly backlog: Backlog;
  /** Reports a failure that no response carries. */
  readonly warn: (error: unknown) => void;
  /** Makes the connection of a request that another process relays. That process has authorized it. */
  readonly relayed: (channel: ServerChannel, caller: Principal, http: HttpRequest) => ServerConnection;
}

/** Options of an endpoint. */
export interface EndpointOptions extends GuardOptions {
  /** Maximum bytes of a body. Default: 4 MiB. */
  readonly bodyLimit?: number;
  /** Limits for concurrent work and memory. */
  readonly limits?: HttpLimits;
  /**
   * Form of responses. Default: `auto`, JSON unless another message precedes the response, or it takes longer than a
   * second or two. `json` never streams: clients get no byte before the response, so they may abort long requests.
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
   * Names of the headers that handlers read in `context.headers`, such as `["x-tenant"]`. Default: none. Their values
   * come from the client, or from a proxy that sets them: they are not a proof of identity.
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
   * Decides whether the principal may send requests, after they are parsed and before any of them runs. It is not asked
   * about notifications, GET and DELETE.
   */
  readonly permit?: Permit;
  /**
   * The URL of the endpoint for clients, such as `https://api.example.com/mcp`. Its host is an allowed host. Set it if
   * a proxy changes host, scheme or path.
   */
  readonly publicUrl?: string;
  /**
   * Other resources of the same origin, such as authorization metadata. A mounted handler answers their requests if the
   * application passes them to it.
   */
  readonly routes?: readonly HttpRoute[];
  /**
   * Lets several processes serve the same clients, behind any load balancer: `cluster(…)` of `@mcpgen/cluster`. The rounds of
   * a call reach the process in which its handler waits.
   */
  readonly cluster?: EndpointCluster;
}

/** A rule for a list of names, or for `dangerously-any`. */
function namesOrAny(form: RegExp, example: string): (value: unknown) => string | undefined {
  return (value) =>
    value === anyName ||
    (Array.isArray(value) && value.every((each) => typeof each === "string" && form.test(each)))
      ? undefined
      : `a list such as ["${example}"], or "${anyName}"`;
}

const inMemory = "Write limits: { memory }, for bodies, clients and waiting answers together.";

/** Replacements for removed options. */
export const goneOptions = {
  dangerouslyAllowAnyHost: gone('Write allowedHosts: "dangerously-any".'),
  dangerouslyAllowAnyOrigin: gone('Write allowedOrigins: "dangerously-any".'),
  bodiesLimit: gone(inMemory),
  keptLimit: gone(inMemory),
  waitingLimit: gone(inMemory),
  maxConcurrent: gone("Write limits: { work }."),
  maxStreams: gone("Write limits: { sessions }."),
  stalledMs: gone("Leave it out: a reader may take nothing for a minute."),
};

/** Valid values of each option. */
export const endpointRules: Rules<EndpointOptions, keyof typeof goneOptions> = {
  allowedHosts: /* @__PURE__ */ namesOrAny(/^[^\s/*]+$/, "api.example.com"),
  allowedOrigins: /* @__PURE__ */ namesOrAny(
    /^([a-z][a-z\d+.-]*:\/\/[^\s/*]+\/?|null)$/i,
    "https://app.example.com",
  ),
  bodyLimit: 1,
  limits: { work: 1, memory: 1, sessions: 1 } satisfies Rules<HttpLimits>,
  responses: ["auto", "json", "sse"] satisfies ResponseForm[],
  keepAliveMs: 0,
  graceMs: 0,
  contextHeaders: /* @__PURE__ */ listLike(/^[!#$%&'*+.^_`|~\w-]+$/, "x-tenant"),
  authenticate: "function",
  permit: "function",
  publicUrl: "string",
  routes: "array",
  cluster: /* @__PURE__ */ withFunctions("join"),
  ...goneOptions,
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

/**
 * The routes by path.
 *
 * @throws {McpError} `invalid-definition`
 */
export function routesByPath(
  routes: readonly HttpRoute[] | undefined,
): ReadonlyMap<string, HttpRoute> | undefined {
  if (!routes || routes.length === 0) return undefined;
  const byPath = new Map<string, HttpRoute>();
  for (const [index, route] of routes.entries()) {
    const path: unknown = isObject(route) ? route.path : undefined;
    if (typeof path !== "string" || parseTarget(path)?.pathname !== path)
      throw invalid(
        `routes[${index}].path: expected one as it stands in URLs, such as "/.well-known/x", got ${JSON.stringify(path)}.`,
      );
    if (typeof route.handle !== "function") throw invalid(`routes[${index}].handle: expected a function.`);
    if (byPath.has(path)) throw invalid(`routes[${index}].path: there are two routes for ${path}.`);
    byPath.set(path, route);
  }
  return byPath;
}
