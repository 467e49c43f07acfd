import { logLevels } from "../protocol/meta.js";
import type { HttpClientOptions } from "../http/client/http-client-options.js";
import { type Rules, checkOptions, invalid } from "../options/option-check.js";
import { isObject } from "../jsonrpc/message.js";
import { clientRules } from "../stdio/option-check.js";
import type { Command, ConnectOptions } from "./connect.js";
import type { ClientLimits } from "../client/limits.js";

const httpRules: Rules<HttpClientOptions> = {
  headers: "anything",
  fetch: "function",
  authorize: "function",
  reconnects: "amount",
  retryMs: "amount",
  resend: ["safe", "hinted", "always", "never"],
  limit: "amount",
};

const rules: Rules<ConnectOptions> = {
  revisions: "array",
  revision: "string",
  info: "object",
  logLevel: logLevels,
  timeouts: { timeout: "amount", totalTimeout: "amount" },
  connectTimeout: "amount",
  signal: "object",
  nulls: ["absent", "reject"],
  limits: {
    maxQuestions: "amount",
    maxWaitingQuestions: "amount",
    maxRoundQuestions: "amount",
    maxNotices: "amount",
    maxCacheBytes: "amount",
    maxCacheEntryBytes: "amount",
  } satisfies Rules<ClientLimits>,
  clock: "object",
  http: httpRules,
  onWarning: "function",
  elicit: "function",
  elicitUrl: "function",
  sample: "function",
  sampleWithTools: "boolean",
  sampleWithContext: "boolean",
  roots: "anything",
};

const commandRules: Rules<Command> = {
  command: "string",
  args: "array",
  ...clientRules,
};

/** @throws {McpError} `invalid-definition`: an option is unknown or has an invalid value */
export function checkConnectOptions(options: unknown): void {
  if (!isObject(options) || options["revisions"] === undefined)
    throw invalid(
      "options: expected { revisions: clientRevisions }, with clientRevisions of @mcpgen/protocol/client. connect of @mcpgen/runtime/all needs no revisions.",
    );
  checkOptions(options, rules);
  const { info = { name: "", version: "" } } = options as Partial<ConnectOptions>;
  if (typeof info.name !== "string" || typeof info.version !== "string")
    throw invalid('info: expected { name: "…", version: "…" }.');
}

/** @throws {McpError} `invalid-definition`: the description of the program is invalid */
export function checkCommand(source: unknown): void {
  if (!isObject(source) || typeof source["command"] !== "string")
    throw invalid(
      'source: expected a URL, "stdio:COMMAND …", { command: "…" }, a channel, or a function that opens one.',
    );
  checkOptions(source, commandRules, "source.");
}
