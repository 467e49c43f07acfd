import { CodedError } from "../diagnostics/coded-error.js";
import { isLoopback } from "../files/loopback.js";

/** Whether only the receiver reads what is sent to a URL: https, or this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Headers that hold no secret by their names. All others may hold one. */
const plainHeaders = /^(?:accept(?:-\w+)?|user-agent|traceparent|tracestate|baggage|mcp-[\w-]+)$/i;

/**
 * Headers of the user go over https, or to this machine.
 *
 * @throws CodedError MG2017
 */
export function expectConfidential(url: string, headers: Readonly<Record<string, string>>): void {
  const name = Object.keys(headers).find((each) => !plainHeaders.test(each));
  if (name === undefined || isConfidential(new URL(url))) return;
  throw new CodedError("MG2017", `the header ${name} is not sent over http: it may hold a secret`, {
    next: "Give the URL with https.",
  });
}

/** Whether a server is the one that a credential of the environment is for: `unknown` where neither a variable nor the command line says so. */
export type Aim = "this" | "other" | "unknown";

/** Says which server gets a token of the environment: the one that is named, else the only one of the command line. */
export class ServerAim {
  readonly #named: string | undefined;
  readonly #typed: ReadonlySet<string>;

  /**
   * @param named the URL of MCPGEN_SERVER
   * @param typed the URLs of servers that stand on the command line
   */
  constructor(named: string | undefined, typed: readonly string[]) {
    this.#named = named === undefined ? undefined : canonical(named);
    this.#typed = new Set(typed.map(canonical));
  }

  of(url: string): Aim {
    const server = canonical(url);
    if (this.#named !== undefined) return this.#named === server ? "this" : "other";
    return this.#typed.size === 1 && this.#typed.has(server) ? "this" : "unknown";
  }
}

/** A URL as it is sent: without fragment, and with its host in lower case. */
function canonical(text: string): string {
  const url = new URL(text);
  url.hash = "";
  return url.href;
}

/** The URLs of servers among the words of a command line. */
export function serversAmong(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, url] = /^(?:--server=)?(https?:\/\/.*)$/is.exec(word) ?? [];
    return url !== undefined && URL.canParse(url) ? [url] : [];
  });
}
