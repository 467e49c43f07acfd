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
