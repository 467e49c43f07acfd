import { McpError } from "../../jsonrpc/errors.js";
import type * as platform from "../../platform/platform.js";

/** Headers as they may be given: those of the platform, or a record, in which what is undefined is left out. */
export type HeaderValues = platform.Headers | Readonly<Record<string, string | undefined>>;

/**
 * Puts headers in place of those that have the same names, however they are spelled.
 *
 * @throws {McpError} `invalid-definition`: the header is named; its value may be a secret
 */
export function setHeaders(headers: platform.Headers, given: HeaderValues): void {
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
