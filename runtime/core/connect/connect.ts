import {
  checkExtensionIds,
  checkOptions,
  type Clock,
  defaultTimeouts,
  gone,
  harmless,
  invalid,
  isMcpError,
  isObject,
  listOfExtensions,
  McpError,
  type Opener,
  type platform,
  printError,
  printWarning,
  requireFunction,
  type Rules,
  systemClock,
  type Timeouts,
  withFunctions,
} from "@mcpgen/base";
import { logLevels, type LogLevel } from "../protocol/meta.js";
import type { LegacyHttp } from "../http/client/http-client.js";
import type { HttpClientOptions } from "../http/client/http-client-options.js";
import { type StdioClientOptions, clientRules } from "../stdio/client-options.js";
import type { ClientCapabilities, Implementation, Root } from "@mcpgen/protocol/authoring";
import type { Revision, Signal, UsedExtension } from "@mcpgen/protocol/model";
import {
  type ValidateSend,
  type LossListener,
  type RevisionView,
  linkRevisions,
  requireModern,
  selectRevisions,
} from "../protocol/revision-view.js";
import { nullReader, type ClientEvent } from "../protocol/events.js";
import { type ClientHandlers, capabilitiesOf, rootsProblem } from "../client/handlers.js";
import type { ClientErrorListener } from "../client/questions.js";
import { Client, type LegacyParts } from "../client/client.js";
import type { VendorHandler } from "../client/vendor-methods.js";
import type { AnswerContext, ClientHooks, ClientMiddleware } from "../client/middleware.js";
import { contentWarnings } from "../protocol/binary-content.js";
import { Hooks } from "../protocol/hooks.js";
import {
  type ClientLimits,
  type ClientProfile,
  type ConnectLimits,
  byEra,
  limitsOf,
} from "../client/client-profile.js";

const httpRules: Rules<HttpClientOptions> = {
  headers: "anything",
  fetch: "function",
  authorize: "anything",
  reconnects: "amount",
  retryMs: "amount",
  resend: ["safe", "hinted", "always", "never"],
  limit: "amount",
};

const rules: Rules<ConnectOptions> = {
  revisions: "array",
  extensions: listOfExtensions,
  revision: "string",
  vocabulary: "string",
  info: "object",
  logLevel: logLevels,
  timeouts: { timeout: "amount", totalTimeout: "amount" },
  connectTimeout: "amount",
  signal: /* @__PURE__ */ withFunctions("addEventListener", "removeEventListener"),
  nulls: ["absent", "reject"],
  validateSend: ["off", "development", "always"],
  limits: {
    maxQuestions: "amount",
    maxCacheBytes: "amount",
    maxWaitingQuestions: gone("Leave it out: 256 questions wait."),
    maxRoundQuestions: gone("Leave it out: a round has 32 questions at most."),
    maxNotices: gone("Leave it out: a subscription keeps 1,000 notices that are not read."),
    maxCacheEntryBytes: gone("Leave it out: one cached result takes a sixteenth of maxCacheBytes at most."),
  } satisfies Rules<ConnectLimits, keyof ClientLimits>,
  clock: /* @__PURE__ */ withFunctions("now", "schedule", "clear"),
  http: httpRules,
  onWarning: "function",
  capabilities: { experimental: "object", extensions: "object" } satisfies Rules<MoreCapabilities>,
  prepare: "function",
  use: "array",
  onEvent: "function",
  onError: "function",
  onLoss: "function",
  thrownErrors: ["hide", "message"],
  onClose: "function",
  elicit: "function",
  elicitUrl: "function",
  sample: "function",
  sampleWithTools: "boolean",
  sampleWithContext: "boolean",
  roots: (value) =>
    Array.isArray(value) || typeof value === "function" ? undefined : "a list or a function",
};

const commandRules: Rules<Command> = {
  command: "string",
  args: "array",
  ...clientRules,
};

/** @throws {McpError} `invalid-definition`: an option is unknown or has an invalid value */
function checkConnectOptions(options: unknown): void {
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
function checkCommand(source: unknown): void {
  if (!isObject(source) || typeof source["command"] !== "string")
    throw invalid(
      'source: expected a URL, "stdio:COMMAND …", { command: "…" }, a channel, or a function that opens one.',
    );
  checkOptions(source, commandRules, "source.");
}

/** @throws {McpError} `invalid-definition`: a URL whose scheme no transport has */
function checkScheme(address: string): void {
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(address) ?? [];
  if (scheme !== undefined && !/^stdio$/i.test(scheme))
    throw invalid(`source: expected http://…, https://… or "stdio:COMMAND …", got the scheme ${scheme}:.`);
}

export interface ConnectOptions extends ClientHandlers {
  /** The revisions of the client: `clientRevisions` of the generated package, or some of them. */
  readonly revisions: readonly Revision<"client">[];
  /**
   * Extensions of the protocol: each as its module exports it, or with handlers and settings as
   * `extension.implement({ method: handler }, { settings })`.
   */
  readonly extensions?: readonly UsedExtension<"client", AnswerContext>[];
  /** The id of the only revision to use, one of `revisions`. */
  readonly revision?: string;
  /**
   * Id of the revision in whose words parameters and results are written, one of `revisions`. Default: the vocabulary that
   * the tables are generated for, whose types `@mcpgen/protocol/authoring` has. The types do not follow this option.
   */
  readonly vocabulary?: string;
  readonly info?: Implementation;
  /** The least severity of log messages from the server. */
  readonly logLevel?: LogLevel;
  /** Timeouts of requests without timeouts in their options. Milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  /** Milliseconds for opening the connection and negotiating the revision: 30,000 by default. */
  readonly connectTimeout?: number;
  /** Aborts the connecting. It has no effect on a connected client. */
  readonly signal?: Signal;
  /**
   * Whether null counts as absent where a member is optional (default; with the event `nulls-ignored`), or is an invalid
   * value.
   */
  readonly nulls?: "absent" | "reject";
  /**
   * Whether requests, notifications and answers are checked against the exact definitions of their revision before they
   * are sent. What fails is not sent: the call rejects with `invalid-message`, and the server gets an internal error for
   * an answer. Default: `development`, unless `NODE_ENV` is `production`. `always` needs `explained` revisions.
   */
  readonly validateSend?: ValidateSend;
  /** Limits on what the server can make the client keep or do, if other than the defaults. */
  readonly limits?: ConnectLimits;
  readonly clock?: Clock;
  /** Options for servers over HTTP. */
  readonly http?: HttpClientOptions;
  /** Receives warnings, such as rejected items of lists. Default: prints to stderr. */
  readonly onWarning?: (message: string) => void;
  /** Capabilities beside those that follow from the functions that are given. */
  readonly capabilities?: MoreCapabilities;
  /**
   * Gets the client before it connects. It registers handlers (`client.handle`) and listeners (`client.on`), which then
   * miss no message. `connect` waits for it, and fails with what it throws.
   */
  readonly prepare?: (client: Client) => unknown;
  /** Middleware, the outermost first. As `client.use`, and around the requests that negotiate the revision, too. */
  readonly use?: readonly ClientMiddleware[];
  /** Receives events, those of the first connection too. Exceptions of the listener are ignored. */
  readonly onEvent?: (event: ClientEvent) => void;
  /**
   * Gets what functions, handlers and listeners throw, and errors for wrong results of handlers; the event `handler-error`
   * reports the same errors. Default: prints them to standard error. Errors for the server (an `McpError` with an
   * `rpcCode`) and errors after a cancellation are not reported. At 2026-07-28 the request that led to the question also
   * fails with the error. Exceptions of `onError` are ignored.
   */
  readonly onError?: ClientErrorListener;
  /**
   * Gets each part of a message that was lost on the way: of this client's own, what the server's revision cannot express;
   * of the server's, what the vocabulary cannot express. It was left out, or a text or another value stands in its place.
   * Exceptions of the listener are ignored.
   */
  readonly onLoss?: LossListener;
  /**
   * Whether the server gets the text of what functions and handlers throw that answer its requests (up to 2025-11-25).
   * The text of an `McpError` is always sent. Default: `hide`. Texts of errors may name files and hosts.
   */
  readonly thrownErrors?: "hide" | "message";
  /**
   * Called once when the client is closed after `connect` has resolved: with `undefined` after `close()`, else with the
   * error that ended the connection.
   */
  readonly onClose?: (reason: McpError | undefined) => unknown;
}

/** Capabilities that no function stands for (2025-11-25 and 2026-07-28, lifecycle, capability negotiation). */
export type MoreCapabilities = Pick<ClientCapabilities, "experimental" | "extensions">;

/** What a client needs for legacy revisions; `runtime/core/legacy/client` has it. */
export interface LegacyClient extends LegacyParts {
  readonly loadHttp: () => Promise<LegacyHttp>;
}

/**
 * Connects to a server and negotiates the revision.
 *
 * @throws {McpError} `unsupported-version`, `spawn-failed`, `connection-closed`, `timeout`, `cancelled`,
 *   `authorize-failed`, `invalid-definition`
 */
export async function connect(
  source: Source,
  options: ConnectOptions,
  legacy?: LegacyClient,
): Promise<Client> {
  checkConnectOptions(options);
  checkExtensionIds(options.capabilities);
  const { revision } = options;
  const extended = options.extensions?.[0]?.extend(
    { ...options, revisionOf: () => client.revision },
    McpError,
  );
  const { clock = systemClock, nulls, onWarning = printWarning } = options;
  const known = linkRevisions(extended?.revisions ?? options.revisions, {
    vocabulary: options.vocabulary,
    validateSend: options.validateSend,
    onLoss: options.onLoss,
    onReceived: contentWarnings(harmless(onWarning), [
      "incomingRequests",
      "incomingResults",
      "incomingNotifications",
    ]),
  });
  const views = selectRevisions(known, revision === undefined ? undefined : [revision]);
  if (!legacy) requireModern(views);
  const hooks: ClientHooks = new Hooks();
  for (const middleware of options.use ?? []) {
    requireFunction("use", middleware);
    hooks.use(middleware as never);
  }
  for (const middleware of extended?.middleware ?? []) hooks.use(middleware as never);
  if (options.onEvent) hooks.onEvent(options.onEvent);
  const profile: ClientProfile = {
    info: options.info ?? { name: "mcpgen-client", version: "0.1.0" },
    capabilities: { ...options.capabilities, ...capabilitiesOf(options) },
    extended,
    logLevel: options.logLevel,
    connectTimeout: options.connectTimeout ?? 30_000,
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    clock,
    readNulls: nullReader(nulls, hooks.emit),
    nulls,
    hooks,
    endpoint: endpointOf(source),
  };
  const problem = Array.isArray(options.roots) ? rootsProblem(options.roots as readonly Root[]) : undefined;
  if (problem !== undefined) throw new McpError("invalid-definition", problem);
  const opener = await openerOf(source, options, views, legacy);
  const client: Client = new Client({
    profile,
    handlers: options,
    limits: limitsOf(options.limits),
    known,
    onError: options.onError ?? printAnswerError,
    thrownErrors: options.thrownErrors ?? "hide",
    onClose: options.onClose,
    onWarning,
    views,
    opener,
    legacy,
    resend: options.http?.resend,
  });
  for (const [method, handler] of extended?.handlers ?? []) client.handle(method, handler as VendorHandler);
  for (const [method, listener] of extended?.listeners ?? []) client.on(method, listener as never);
  for (const { attach } of options.extensions ?? []) attach?.(client, options);
  return client.start(options.signal, options.prepare);
}

/** Prints an error to standard error: what the application threw with its stack, a wrong result with its message. */
const printAnswerError: ClientErrorListener = (error, { method }) =>
  printError(method, isMcpError(error) ? error.message : error);

/**
 * The address of a server: a URL, `stdio:` and a command, a command with arguments, an open channel, or a function that
 * opens a channel on each call.
 */
export type Source = string | platform.URL | Command | Opener;

/** A program to start without a shell. */
export interface Command extends StdioClientOptions {
  readonly command: string;
  readonly args?: readonly string[];
}

/** The address of a source that is a URL: queries may hold secrets. */
function endpointOf(source: Source): string | undefined {
  const address = String(source);
  // A wrong URL is refused where it is opened.
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/** The function that opens a channel to a source. Loads the code of the transport. */
async function openerOf(
  source: Source,
  { http, onWarning }: ConnectOptions,
  views: readonly RevisionView<"client">[],
  legacy: LegacyClient | undefined,
): Promise<Opener> {
  if (typeof source === "function") return source;
  if (typeof source === "object" && source !== null && "open" in source) return source;
  const address = typeof source === "string" || source instanceof URL ? String(source) : undefined;
  if (address !== undefined && /^https?:/i.test(address)) {
    const { httpClientChannel } = await import("../http/client/http-client.js");
    const legacyHttp = await legacy?.loadHttp();
    // With these error codes a server shows that it knows this transport (2026-07-28, Streamable HTTP, compatibility).
    const known = byEra(views).modern.flatMap(({ table }) =>
      Object.values(table.errors).map(({ code }) => code),
    );
    let opened = 0;
    return () =>
      httpClientChannel(address, http, { known, again: opened++ > 0, onWarning, legacy: legacyHttp });
  }
  if (address === undefined) checkCommand(source);
  else checkScheme(address);
  // By package name: platforms that cannot start programs map the name to another module.
  const { parseStdioSource, stdioClientChannel } = await import("@mcpgen/runtime/stdio");
  if (address !== undefined) {
    const command = parseStdioSource(address);
    return () => stdioClientChannel(command);
  }
  const { command, args = [], ...options } = source as Command;
  return () => stdioClientChannel([command, ...args], options);
}
