import { CodedError } from "../diagnostics/coded-error.js";
import { meantAdvice } from "./meant-source.js";

/** A program that serves on standard input and output. */
interface ProcessAddress {
  readonly kind: "stdio";
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface HttpAddress {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Further headers, which replace those of the same name: they are made for each connection. */
  readonly moreHeaders?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
}

/** A server that the configuration of a host names. */
export interface NamedServer {
  readonly name: string;
  /** The configuration file, as messages show it. */
  readonly file: string;
  readonly address: ProcessAddress | HttpAddress;
}

/** A SOURCE as it was written, or the server that it names. */
export type ServerSource = string | NamedServer;

/** How a source reaches its server; undefined for one that is no server. */
export function kindOfServer(source: ServerSource): "stdio" | "http" | undefined {
  if (typeof source !== "string") return source.address.kind;
  if (/^stdio:/i.test(source)) return "stdio";
  return /^https?:\/\//i.test(source) ? "http" : undefined;
}

/** Whether a SOURCE is a server. Otherwise it is a file, a revision or standard input. */
export function isServerSource(source: ServerSource): boolean {
  return kindOfServer(source) !== undefined;
}

/**
 * The error for a SOURCE that is no server, where one is expected.
 *
 * @param directory where relative paths start
 */
export function noServer(source: string, directory: string): CodedError {
  return new CodedError(
    "MG2014",
    `expected a server: http(s)://…, stdio:COMMAND … or a name, got ${JSON.stringify(source)}`,
    {
      next:
        meantAdvice(source, directory) ??
        (/^[a-z]+:/i.test(source)
          ? "Servers are reached over http, https, and stdio."
          : `For a server that this command starts, write "stdio:${source}"; \`mcpgen list\` shows those with a name.`),
    },
  );
}
