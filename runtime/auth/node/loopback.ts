import { createHash } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gone, type Rules } from "@mcpgen/base";
import type { AuthorizationFacts, RedirectReceiver } from "../client/options.js";
import { AuthError } from "../shared/errors.js";
import { checkOptions } from "../shared/option-rules.js";
import { timeLimit } from "../shared/time-limit.js";
import { openBrowser } from "./opener.js";

/** Options of `loopback()`. */
export interface LoopbackOptions {
  /**
   * `stable`: a port derived from the server's URL, so that an earlier registration stays valid; another port if it is
   * taken. A number: this port, which must be free. Default: `stable`.
   */
  readonly port?: number | "stable" | "any";
  /** The path, without a query, because a query would mix with the parameters of the response. Default: `/callback`. */
  readonly path?: string;
  /** Opens the URL for the user. Default: `openBrowser`. */
  readonly open?: (url: string, facts: AuthorizationFacts, signal: AbortSignal) => unknown;
}

const rules: Rules<LoopbackOptions, "timeout"> = {
  port: (value) =>
    value === "stable" ||
    value === "any" ||
    (Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536)
      ? undefined
      : "stable, any, or a port from 0 to 65535",
  path: (value) => (/^\/[\w./~-]*$/.test(String(value)) ? undefined : "a path such as /callback"),
  open: "function",
  timeout: gone("Leave it out: the user has 5 minutes."),
};

/** Milliseconds to wait for the user. */
const waitMs = 300_000;

interface Waiting {
  readonly state: string;
  readonly resolve: (url: string) => void;
}

/** Receives one redirect on this machine (RFC 8252, 7.3). Other requests do not end it. */
class LoopbackReceiver implements RedirectReceiver {
  readonly uri: string;
  #waiting: Waiting | undefined;
  readonly #server: Server;
  readonly #options: LoopbackOptions;

  constructor(server: Server, options: LoopbackOptions) {
    this.#server = server;
    this.#options = options;
    const { port } = server.address() as AddressInfo;
    this.uri = `http://127.0.0.1:${port}${options.path ?? "/callback"}`;
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response),
    );
  }

  async receive(url: string, facts: AuthorizationFacts, signal: AbortSignal): Promise<string> {
    const { open = openBrowser } = this.#options;
    const limit = timeLimit(waitMs, signal);
    let abort!: () => void;
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting = { state: facts.state, resolve };
      abort = () => {
        const text = `the user did not log in within ${waitMs} ms`;
        reject(signal.aborted ? (signal.reason as Error) : new AuthError("auth-needs-user", text));
      };
      limit.addEventListener("abort", abort, { once: true });
    });
    answer.catch(() => undefined);
    try {
      await open(url, facts, limit);
      return await answer;
    } finally {
      limit.removeEventListener("abort", abort);
      this.#waiting = undefined;
    }
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      // The redirect's page closes its connection. Other connections might stay open.
      this.#server.closeIdleConnections();
      setTimeout(() => this.#server.closeAllConnections(), 500).unref();
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = "" } = request;
    const own = new URL(this.uri);
    const given = URL.canParse(url, this.uri) ? new URL(url, this.uri) : undefined;
    // A page of another site whose name resolves to this machine sends another Host header.
    const host = headers.host === own.host || headers.host === `localhost:${own.port}`;
    if (!host || method !== "GET" || given?.origin !== own.origin || given.pathname !== own.pathname)
      return send(response, 400, "This is not the page that you were sent to.");
    const waiting = this.#waiting;
    const { searchParams } = given;
    if (!waiting || searchParams.getAll("state").length !== 1 || searchParams.get("state") !== waiting.state)
      return send(response, 400, "This login is not expected, or it has ended.");
    this.#waiting = undefined;
    const done = searchParams.has("code");
    send(
      response,
      200,
      done ? "You can close this page." : "You are not logged in. You can close this page.",
    );
    waiting.resolve(given.href);
  }
}

/** Sends a page that contains nothing of the request. */
function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Login</title><main><p>${text}</p></main></html>`,
  );
}

/**
 * Receives the redirects of logins on 127.0.0.1.
 *
 * @throws {AuthError} `auth-needs-user`: the port is taken, or the user does not return in time
 */
export function loopback(
  options: LoopbackOptions = {},
): (server: string, signal: AbortSignal) => Promise<RedirectReceiver> {
  checkOptions(options, rules);
  return async (url) => {
    const { port = "stable" } = options;
    const ports = typeof port === "number" ? [port] : port === "any" ? [0] : [stablePort(url), 0];
    for (const each of ports) {
      const server = createServer({ maxHeaderSize: 32_768, requestTimeout: 10_000 });
      if (await listening(server, each)) return new LoopbackReceiver(server, options);
    }
    const text = `port ${String(port)} of this machine is taken: end the program that has it, or use port: "any"`;
    throw new AuthError("auth-needs-user", text);
  };
}

/** Returns a port of the dynamic range, always the same for one server. */
export function stablePort(server: string): number {
  return 49_152 + (createHash("sha256").update(server).digest().readUInt16BE(0) % 16_384);
}

function listening(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
}
