import { checkCommand } from "./connect-rules.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { HttpClientOptions } from "../http/client/http-client-options.js";
import type { StdioClientOptions } from "../stdio/client-channel.js";
import type { Channel, Opener } from "../jsonrpc/channel.js";
import type * as platform from "../platform/platform.js";

/**
 * Where a server is: a URL, `stdio:` and a command, a command with its arguments, an open channel, or something
 * that opens one each time it is called.
 */
export type Source = string | platform.URL | Command | Channel | (() => Channel | Promise<Channel>);

/** A program to start, without a shell. */
export interface Command extends StdioClientOptions {
  readonly command: string;
  readonly args?: readonly string[];
}

/** What opens a channel to a source; code of a transport is loaded by who uses it. */
export async function openerOf(
  source: Source,
  http: HttpClientOptions | undefined,
  spoken: readonly RevisionView<"client">[],
  onWarning: ((message: string) => void) | undefined,
): Promise<Opener> {
  if (typeof source === "function") return source;
  if (typeof source === "object" && source !== null && "open" in source) return source;
  const address = typeof source === "string" || source instanceof URL ? String(source) : undefined;
  if (address !== undefined && /^https?:/i.test(address)) {
    const { httpClientChannel } = await import("../http/client/http-client.js");
    // By these errors a server shows that it knows this transport (2026-07-28, Streamable HTTP, compatibility).
    const modern = spoken.filter(({ era }) => era === "modern");
    const known = modern.flatMap(({ table }) => Object.values(table.errors).map(({ code }) => code));
    let opened = 0;
    return () => httpClientChannel(address, http, known, opened++ > 0, onWarning);
  }
  if (address === undefined) checkCommand(source);
  // By the name of the package: where no programs can be started, another module answers to it.
  const { parseStdioSource, stdioClientChannel } = await import("@mcpgen/runtime/stdio");
  if (address !== undefined) {
    const command = parseStdioSource(address);
    return () => stdioClientChannel(command);
  }
  const { command, args = [], ...options } = source as Command;
  return () => stdioClientChannel([command, ...args], options);
}
