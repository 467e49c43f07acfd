import {
  errorObjectOf,
  errorText,
  invalidRequest,
  isObject,
  McpError,
  type MessageKind,
  type Problem,
  type RequestId,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { HeaderSource } from "@mcpgen/protocol/model";
import { paramHeadersOf, paramPrefix } from "../../protocol/param-headers.js";
import type { Server } from "../../server/server.js";
import { type Denial, type Exchange, type Principal, jsonHeaders } from "./exchange.js";
import type { LimitName } from "./http-stats.js";

/** What stands in place of a list of hosts or origins, and accepts any. */
export const anyName = "dangerously-any";

/** Hosts and origins that may reach the server. By default, only loopback ones. */
export interface GuardOptions {
  /**
   * Host names of the server, as in `Host`, with or without a port: `api.example.com`. `dangerously-any` accepts any `Host`:
   * any web page can then reach the server by DNS rebinding.
   */
  readonly allowedHosts?: readonly string[] | typeof anyName;
  /**
   * Web origins whose pages may call the server: `https://app.example.com`. `dangerously-any` accepts any `Origin`: any web
   * page can then call the server.
   */
  readonly allowedOrigins?: readonly string[] | typeof anyName;
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The answer to a request from a host or origin that is not allowed. */
export interface Refusal {
  readonly reason: "host" | "origin";
  readonly status: number;
  readonly message: string;
}

/** The last host that was allowed: most requests repeat it. */
export interface KnownHost {
  host?: string | undefined;
}

/**
 * Checks `Host` and `Origin` before the body is read (transports, security warning). Returns `undefined` if both are
 * allowed.
 *
 * @param origin `undefined` where pages of any origin are allowed, too
 */
export function guard(
  host: string | undefined,
  origin: string | undefined,
  options: GuardOptions,
  known: KnownHost,
): Refusal | undefined {
  // A request with two Host headers is invalid (RFC 9112, 3.2).
  if (host?.includes(",")) return { reason: "host", status: 400, message: "there is more than one Host" };
  if (!isAllowedHost(host, options.allowedHosts, known))
    return forbidden(
      "host",
      `the host ${JSON.stringify(host ?? "")} is not served here; name it in allowedHosts`,
    );
  if (origin === undefined || isAllowedOrigin(origin, options)) return undefined;
  return forbidden(
    "origin",
    `pages of ${JSON.stringify(origin)} may not call this server; name it in allowedOrigins`,
  );
}

/**
 * Checks `Host` and `Origin` of a request, as the HTTP server does: for transports of your own that browsers can reach, such
 * as WebSockets.
 *
 * @param header returns the value of a header by its name in lower case; the values of several headers are joined with commas
 * @returns `undefined` if both are allowed, otherwise the response to send
 */
export function guardRequest(
  header: (name: "host" | "origin") => string | undefined,
  options: GuardOptions = {},
): Refusal | undefined {
  return guard(header("host"), header("origin"), options, {});
}

function forbidden(reason: Refusal["reason"], message: string): Refusal {
  return { reason, status: 403, message };
}

function isAllowedHost(
  host: string | undefined,
  allowed: GuardOptions["allowedHosts"] = [],
  known: KnownHost,
): boolean {
  if (allowed === anyName) return true;
  if (host === undefined) return false;
  if (host === known.host) return true;
  const name = host.toLowerCase();
  const isAllowed =
    loopback.has(withoutPort(name)) ||
    allowed.some((each) => each.toLowerCase() === name || each.toLowerCase() === withoutPort(name));
  if (isAllowed) known.host = host;
  return isAllowed;
}

function isAllowedOrigin(origin: string, { allowedOrigins = [] }: GuardOptions): boolean {
  if (allowedOrigins === anyName) return true;
  const asked = plain(origin);
  if (allowedOrigins.some((each) => plain(each) === asked)) return true;
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  return scheme !== undefined && loopback.has(withoutPort(origin.slice(scheme.length).toLowerCase()));
}

/** An origin as browsers write it: in lower case, without a trailing slash. */
function plain(origin: string): string {
  return origin.toLowerCase().replace(/\/$/, "");
}

/** This runs for every request, so it uses no regular expression and copies only if there is a port. */
function withoutPort(host: string): string {
  const colon = host.lastIndexOf(":");
  if (colon < 0 || colon === host.length - 1) return host;
  for (let at = colon + 1; at < host.length; at++) {
    const code = host.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return host;
  }
  return host.slice(0, colon);
}

/** The media type of a header, without parameters, in lower case. */
function mediaType(value: string): string {
  const end = value.indexOf(";");
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
}

/** Whether a body of this `Content-Type` is JSON in UTF-8, its only encoding (RFC 8259, 8.1). */
export function isJson(header: string | undefined): boolean {
  // Almost all clients send exactly this.
  if (header === "application/json") return true;
  if (header === undefined || mediaType(header) !== "application/json") return false;
  // Of two, readers take one or the other.
  const [charset = ["", "utf-8"], ...others] = header.matchAll(/;\s*charset\s*=\s*"?([^\s";]*)/gi);
  return others.length === 0 && /^utf-?8$/i.test(charset[1]!);
}

/** The types that a client accepts; without `Accept` all (RFC 9110, 12.5.1). */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const both: Accepted = { json: true, events: true };
/** What a GET accepts. Its stream keeps the object, so all share one. */
const eventsOnly: Accepted = { json: false, events: true };

export function acceptedBy(header: string | undefined): Accepted {
  // Almost all clients send exactly this.
  if (header === "application/json, text/event-stream") return both;
  if (header === undefined || header.trim() === "") return both;
  if (header === "text/event-stream") return eventsOnly;
  const taken = new Map<string, boolean>();
  for (const range of header.split(",")) {
    const type = mediaType(range);
    taken.set(type, taken.get(type) || !/;\s*q\s*=\s*0(\.0*)?\s*(;|$)/i.test(range));
  }
  return { json: takes(taken, "application", "json"), events: takes(taken, "text", "event-stream") };
}

/** The most precise range decides (RFC 9110, 12.5.1). */
function takes(taken: ReadonlyMap<string, boolean>, type: string, subtype: string): boolean {
  return taken.get(`${type}/${subtype}`) ?? taken.get(`${type}/*`) ?? taken.get("*/*") ?? false;
}

/** A POST whose body was read. */
export interface Posted {
  readonly exchange: Exchange;
  readonly message: unknown;
  /** Of the message. */
  readonly kind: MessageKind | Problem;
  readonly accepted: Accepted;
  readonly principal: Principal;
  /** The HTTP+SSE session id in the URL, if there is one. */
  readonly older: string | undefined;
}

/** A request for `authenticate`. A class: an object with a getter takes longer to make than to judge. */
export class AuthenticateRequest {
  readonly method: string;
  /** Users may destructure it, so it does not depend on `this`. */
  readonly header: (name: string) => string | undefined;
  readonly #exchange: Exchange;
  readonly #publicUrl: string | undefined;

  constructor(exchange: Exchange, publicUrl: string | undefined) {
    this.method = exchange.method;
    this.header = (name) => exchange.header(name);
    this.#exchange = exchange;
    this.#publicUrl = publicUrl;
  }

  get url(): string {
    const publicUrl = this.#publicUrl;
    if (publicUrl === undefined) return this.#exchange.href;
    return publicUrl + calledSlash(publicUrl, this.#exchange.path) + queryOf(this.#exchange.url);
  }
}

/** The slash that the client has added to the public URL. A proxy may have taken a part of its path away. */
function calledSlash(publicUrl: string, path: string): string {
  const isAdded = path.length > 1 && path.endsWith("/") && `${new URL(publicUrl).pathname}/`.endsWith(path);
  return isAdded ? "/" : "";
}

/** The query of a request target, with its question mark. */
function queryOf(target: string): string {
  const start = target.indexOf("?");
  return start < 0 ? "" : target.slice(start);
}

/**
 * Checks the result of `authenticate`.
 *
 * @throws {McpError} `invalid-definition`: the result is neither a principal nor a denial, or it has `auth` without a
 *   principal
 */
export function authenticated(found: unknown): Principal | Denial {
  const given = isObject(found) ? found : { status: undefined };
  const { status, auth, principal } = given as Record<string, unknown>;
  const fits =
    "status" in given
      ? Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599
      : principal === undefined
        ? auth === undefined
        : typeof principal === "string" && principal !== "";
  if (fits) return found as Principal | Denial;
  throw new McpError(
    "invalid-definition",
    "authenticate gave neither auth with a principal nor a status from 200 to 599",
    { rpcCode: rpc.internalError },
  );
}

/**
 * Checks the result of `permit`.
 *
 * @throws {McpError} `invalid-definition`
 */
export function denied(found: unknown): Denial | undefined {
  if (found === undefined || (isObject(found) && "status" in found))
    return found && (authenticated(found) as Denial);
  throw new McpError("invalid-definition", "permit gave neither undefined nor a status from 200 to 599", {
    rpcCode: rpc.internalError,
  });
}

const exposed = "Mcp-Session-Id, WWW-Authenticate";

/** CORS headers that let the calling page read the answer. `guard` has allowed its origin. */
export function corsHeaders({ origin }: Exchange): Readonly<Record<string, string>> {
  if (origin === undefined) return none;
  return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed, vary: "Origin" };
}

const none: Readonly<Record<string, string>> = {};

/**
 * Headers of Streamable HTTP that mirror no member of a message and so stand in no table (2025-11-25, sessions,
 * resumability).
 */
const transportHeaders = ["Accept", "Authorization", "Content-Type", "Last-Event-ID", "Mcp-Session-Id"];

const paramHeader = /^mcp-param-[\w!#$%&'*+.^`|~-]{1,256}$/;

/**
 * Answers a CORS preflight. A preflight is answered only with the tool headers it asked for: the caller is not
 * authenticated yet.
 */
export function preflight(exchange: Exchange, server: Server): void {
  const asked = exchange.header("access-control-request-headers") ?? "";
  const names = new Set(asked.split(",").map((name) => name.trim().toLowerCase()));
  const isAsked = (name: string): boolean => names.has(name.toLowerCase());
  const allowed = requestHeaders(server).filter((name) => !name.startsWith(paramPrefix) || isAsked(name));
  // The tools that the application describes are not known before they are called.
  if (server.features.describeTool) allowed.push(...[...names].filter((name) => paramHeader.test(name)));
  exchange.reply(204, {
    ...corsHeaders(exchange),
    "access-control-allow-methods": "POST, GET, DELETE",
    "access-control-allow-headers": allowed.join(", "),
    "access-control-max-age": "600",
  });
}

/** All headers a client may send: those of the served revisions and those the tools declare. Gateways use it, too. */
export function requestHeaders(server: Server): string[] {
  const names = new Map(transportHeaders.map((name) => [name.toLowerCase(), name]));
  const add = (name: string): void => void names.set(name.toLowerCase(), name);
  for (const { table } of server.definition.revisions) {
    const sources = [
      ...table.headers,
      ...[...table.incomingRequests.values()].flatMap(({ headers = [] }) => headers),
    ];
    for (const { header } of sources as HeaderSource[]) add(header);
  }
  for (const { definition } of server.features.tools.entries.values())
    for (const { name } of paramHeadersOf(definition.inputSchema).headers) add(name);
  return [...names.values()].sort();
}

/** Merges two sets of headers. Most answers have no CORS headers; then `headers` is returned without a copy. */
export function mergeHeaders(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return more === none ? headers : { ...headers, ...more };
}

/** Adds CORS headers, if a page calls. */
export function withCors(
  headers: Readonly<Record<string, string>>,
  exchange: Exchange,
): Readonly<Record<string, string>> {
  return mergeHeaders(headers, corsHeaders(exchange));
}

/** Replies with a JSON-RPC error. */
export function replyError(
  exchange: Exchange,
  status: number,
  id: RequestId | undefined,
  error: McpError,
  cors = corsHeaders(exchange),
): void {
  exchange.reply(status, { ...jsonHeaders, ...cors }, errorText(id, errorObjectOf(error)));
}

/** Replies with the denial of the application. */
export function replyDenial(exchange: Exchange, { status, headers, text }: Denial): void {
  exchange.reply(status, { ...corsHeaders(exchange), ...headers }, text);
}

/** Replies with the JSON-RPC error "invalid request". */
export function replyInvalid(exchange: Exchange, status: number, message: string, id?: RequestId): void {
  replyError(exchange, status, id, invalidRequest(message));
}

/**
 * Replies to a host or origin that is not allowed, without CORS headers: a page of that origin cannot read the
 * answer.
 */
export function replyForbidden(exchange: Exchange, { status, message }: Refusal): void {
  replyError(exchange, status, undefined, invalidRequest(message), {});
}

/** Replies with 503 because a limit is reached, or something that the request needs has failed. */
export function replyBusy(exchange: Exchange, id: RequestId | undefined, limit?: LimitName): void {
  if (limit) exchange.counts.limitHit(limit, exchange.principal);
  replyUnavailable(exchange, id, "the server is busy: try again later", { "retry-after": "1" });
}

/** Replies with 503 because the server is closing, and closes the connection. */
export function replyClosing(exchange: Exchange): void {
  replyUnavailable(exchange, undefined, "the server is closing", {
    connection: "close",
    "retry-after": "1",
  });
}

function replyUnavailable(
  exchange: Exchange,
  id: RequestId | undefined,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  const text = errorText(id, { code: rpc.internalError, message });
  exchange.reply(503, { ...jsonHeaders, ...corsHeaders(exchange), ...headers }, text);
}
