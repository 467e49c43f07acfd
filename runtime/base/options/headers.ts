import { McpError } from "../jsonrpc/errors.js";
import type { Headers as PlatformHeaders } from "../platform/platform.js";

/** Headers of the platform, or a record. Members that are undefined are left out. */
export type HeaderValues = PlatformHeaders | Readonly<Record<string, string | undefined>>;

/**
 * Sets headers. Names are case-insensitive.
 *
 * @throws {McpError} `invalid-definition`, with the name of the header; its value may be a secret
 */
export function setHeaders(headers: PlatformHeaders, given: HeaderValues): void {
  const entries = (Symbol.iterator in given ? given : Object.entries(given)) as Iterable<
    readonly [string, string | undefined]
  >;
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    try {
      headers.set(name, value);
    } catch {
      const text = `the header ${JSON.stringify(name)} cannot be sent: its name or its value is not what HTTP allows`;
      throw new McpError("invalid-definition", text);
    }
  }
}

/** Headers that the transport sets. */
const transportHeader = /^(accept|content-(type|length)|transfer-encoding|last-event-id|mcp-.*)$/;

/** The headers of one request, with names in lower case. @throws {McpError} `invalid-definition` */
export function requestHeaders(given: HeaderValues): Readonly<Record<string, string>> {
  const headers = new Headers();
  setHeaders(headers, given);
  const all = Object.fromEntries(headers);
  const taken = Object.keys(all).find((name) => transportHeader.test(name));
  if (taken === undefined) return all;
  throw new McpError("invalid-definition", `headers of a request: the transport sets ${taken}`);
}
