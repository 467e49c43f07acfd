import type { Exchange } from "./exchange.js";

/** The query parameter that names a session of HTTP+SSE where messages are posted. */
export const parameter = "sessionId";

/** Stands in for the name of this machine, which a request does not tell for sure. */
const base = "http://localhost";

/** The session of HTTP+SSE that a message is posted to, if the request names one. */
export function sseName(exchange: Exchange): string | undefined {
  if (exchange.header("mcp-session-id") !== undefined || !exchange.url.includes(`${parameter}=`))
    return undefined;
  return locate(exchange.url)?.searchParams.get(parameter) ?? undefined;
}

/** A path and query, or a URL, taken apart. */
export function locate(url: string): URL | undefined {
  return URL.canParse(url, base) ? new URL(url, base) : undefined;
}
