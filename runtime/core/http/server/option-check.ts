import { type Rules, checkOptions, invalid } from "../../options/option-check.js";
import type { HttpOptions } from "./http-options.js";
import type { ResponseForm } from "./post-channel.js";
import type { ServeHttpOptions } from "./serve-http.js";
import type { SessionLimits } from "./sessions.js";
import { locate } from "./sse-name.js";
import type { SseOptions } from "./sse-requests.js";

/** What each option may be. */
const httpRules: Rules<HttpOptions> = {
  allowedHosts: [/^[^\s/*]+$/, "api.example.com"],
  allowedOrigins: [/^([a-z][a-z\d+.-]*:\/\/[^\s/*]+\/?|null)$/i, "https://app.example.com"],
  dangerouslyAllowAnyHost: "boolean",
  dangerouslyAllowAnyOrigin: "boolean",
  sessions: { maxSessions: 1, maxPerPrincipal: 1, idleMs: 1, maxRequests: 1 } satisfies Rules<SessionLimits>,
  sse: { messages: "string" } satisfies Rules<SseOptions>,
  bodyLimit: 1,
  bodiesLimit: 1,
  maxConcurrent: 1,
  keptLimit: 1,
  maxStreams: 1,
  waitingLimit: 1,
  stalledMs: 0,
  responses: ["auto", "json", "sse"] satisfies ResponseForm[],
  events: "object",
  keepAliveMs: 0,
  retryMs: 0,
  streamMs: 0,
  graceMs: 0,
  authenticate: "function",
};

const serveRules: Rules<ServeHttpOptions> = {
  ...httpRules,
  port: [0, 65_535],
  host: "string",
  path: "string",
  headersTimeout: 0,
  requestTimeout: 0,
};

/**
 * Looks at options once, where something is made of them: what is misspelt would be missed only when it matters.
 *
 * @throws {McpError} `invalid-definition`: there is no option of a name, or its value is none for it
 */
export function checkHttpOptions(options: HttpOptions): void {
  checkOptions(options, httpRules);
}

/** The same of a server with a port of its own. @throws {McpError} `invalid-definition` */
export function checkServeOptions(options: ServeHttpOptions): void {
  checkOptions(options, serveRules);
  const { host = "localhost", path = "/" } = options;
  if (host === "") throw invalid('host: expected a name or an address, got "".');
  // What a URL would write otherwise never comes.
  if (locate(path)?.pathname !== path)
    throw invalid(`path: expected one as it stands in URLs, such as "/mcp", got ${JSON.stringify(path)}.`);
}
