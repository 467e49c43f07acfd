import type { Exchange } from "./exchange.js";

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
