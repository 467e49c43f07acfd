import { McpError } from "../jsonrpc/errors.js";

/** Headers that the transport sets. */
const transportHeader = /^(accept|content-(type|length)|transfer-encoding|last-event-id|mcp-.*)$/;

/** The headers of one request, with names in lower case. @throws {McpError} `invalid-definition` */
export function requestHeaders(given: object): Readonly<Record<string, string>> {
  let headers: Readonly<Record<string, string>> | undefined;
  try {
    headers = Object.fromEntries(new Headers(given as Record<string, string>));
  } catch {
    // The error of the platform has the value, which may be a secret.
  }
  const taken = headers && Object.keys(headers).find((name) => transportHeader.test(name));
  if (headers && taken === undefined) return headers;
  const why = headers ? `the transport sets ${taken}` : "a name or a value is not what HTTP allows";
  throw new McpError("invalid-definition", `headers of a request: ${why}`);
}
