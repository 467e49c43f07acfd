import { McpError, rpc } from "../../jsonrpc/errors.js";
import { isObject } from "../../jsonrpc/message.js";
import type { Exchange } from "./exchange.js";

/** Who may talk to the server; without any of it, only programs and pages of this machine. */
export interface GuardOptions {
  /** Names the server is reached by, as in `Host`, with or without a port: `api.example.com`. */
  readonly allowedHosts?: readonly string[];
  /** Web origins whose pages may call it: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
  /** Takes requests whatever their `Host`: any web page may then reach the server by DNS rebinding. */
  readonly dangerouslyAllowAnyHost?: boolean;
  /** Takes requests whatever their `Origin`: any web page may then call the server. */
  readonly dangerouslyAllowAnyOrigin?: boolean;
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Why a request is refused before anything of it is read; nothing if it is not (transports, security). */
export function guard(exchange: Exchange, options: GuardOptions): Refusal | undefined {
  const host = exchange.header("host");
  // Of two names nobody knows which one is meant (RFC 9112, 3.2).
  if (host?.includes(",")) return { status: 400, message: "there is more than one Host" };
  if (!options.dangerouslyAllowAnyHost && !isAllowedHost(host, options.allowedHosts))
    return forbidden(`the host ${JSON.stringify(host ?? "")} is not served here; name it in allowedHosts`);
  const origin = exchange.header("origin");
  if (origin === undefined || options.dangerouslyAllowAnyOrigin || isAllowedOrigin(origin, options))
    return undefined;
  return forbidden(`pages of ${JSON.stringify(origin)} may not call this server; name it in allowedOrigins`);
}

function forbidden(message: string): Refusal {
  return { status: 403, message };
}

function isAllowedHost(host: string | undefined, allowed: readonly string[] = []): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase();
  return (
    loopback.has(withoutPort(name)) ||
    allowed.some((each) => each.toLowerCase() === name || each.toLowerCase() === withoutPort(name))
  );
}

function isAllowedOrigin(origin: string, { allowedOrigins = [] }: GuardOptions): boolean {
  const asked = plain(origin);
  if (allowedOrigins.some((each) => plain(each) === asked)) return true;
  const scheme = /^https?:\/\//.exec(origin)?.[0];
  return scheme !== undefined && loopback.has(withoutPort(origin.slice(scheme.length).toLowerCase()));
}

/** An origin as browsers write it: in small letters, and with nothing after the host and port. */
function plain(origin: string): string {
  return origin.toLowerCase().replace(/\/$/, "");
}

/** Every request comes through here: without a regular expression, and a copy only where there is a port. */
function withoutPort(host: string): string {
  const colon = host.lastIndexOf(":");
  if (colon < 0 || colon === host.length - 1) return host;
  for (let at = colon + 1; at < host.length; at++) {
    const code = host.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return host;
  }
  return host.slice(0, colon);
}

/**
 * Who asks, and by what name their state and sessions go. There is no `auth` without a `principal`: a session
 * would be anybody's who knows its id.
 */
export type Principal =
  | {
      /** What handlers see as `context.auth`: that of the request at hand. */
      readonly auth: unknown;
      /** Never empty. */
      readonly principal: string;
    }
  | { readonly auth?: undefined; readonly principal?: string };

/** The answer to a request that is refused before it is read. */
export interface Denial {
  /** From 200 to 599. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/**
 * What `authenticate` gave, if it is what it has to be.
 *
 * @throws {McpError} `invalid-definition`: it is neither, or who asks has no name
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

const exposed = "Mcp-Session-Id, WWW-Authenticate";

/** Lets the page that asked read the answer; the guard has let its origin in. */
export function corsHeaders(exchange: Exchange): Readonly<Record<string, string>> {
  const origin = exchange.header("origin");
  if (origin === undefined) return none;
  return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed, vary: "Origin" };
}

const none: Readonly<Record<string, string>> = {};

/** `headers` and `more`. Every answer comes through here, and few have more: those are not copied. */
export function joined(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return more === none ? headers : { ...headers, ...more };
}
