import {
  checkExtensionIds,
  checkOptions,
  type Clock,
  defaultTimeouts,
  gone,
  invalid,
  isObject,
  listOfExtensions,
  McpError,
  type Opener,
  orObject,
  type platform,
  requireFunction,
  type Rules,
  systemClock,
  type Timeouts,
  withFunctions,
  withGone,
} from "@mcpgen/base";
import { logLevels, type LogLevel } from "../protocol/meta.js";
import type { LegacyHttp } from "../http/client/http-client.js";
import type { HttpClientOptions, Reconnects } from "../http/client/http-client-options.js";
import { type StdioClientOptions, clientRules } from "../stdio/client-options.js";
import type { ClientCapabilities, Implementation, Root } from "@mcpgen/protocol/authoring";
import type { Signal, UsedExtension } from "@mcpgen/protocol/model";
import {
  type KnownRevisions,
  type ValidateSend,
  linkRevisions,
  requireModern,
  selectRevisions,
} from "../protocol/revision-view.js";
import { nullReader, type ClientEvent, withPrinting } from "../protocol/events.js";
import {
  type ClientHandlers,
  type ElicitationHandlers,
  type SamplingHandler,
  capabilitiesOf,
  rootsProblem,
} from "../client/handlers.js";
import { Client, type ClientSetup, type LegacyParts } from "../client/client.js";
import type { OnDrift, PinnedContract } from "../client/pins.js";
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

const httpRules: Rules<HttpClientOptions, "retryMs"> = {
  headers: "anything",
  fetch: "function",
  authorize: "anything",
  reconnects: /* @__PURE__ */ orObject("amount", {
    attempts: "amount",
    delayMs: "amount",
  } satisfies Rules<Reconnects>),
  retryMs: gone("Write http.reconnects.delayMs."),
  resend: ["safe", "hinted", "always", "never"],
  limit: "amount",
};

/** Options of earlier versions, and what has their meaning today. docs/migration.md has the same rows. */
export const formerConnectOptions = {
  vocabulary: "revisions.vocabulary",
  connectTimeout: "timeouts.connect",
  nulls: "validation.nulls",
  validateSend: "validation.send",
  thrownErrors: "errors.thrown",
  onWarning: "onEvent",
  onError: "onEvent",
  onLoss: "onEvent",
  elicitUrl: "elicit.url",
  sampleWithTools: "sample.tools, beside sample.answer",
  sampleWithContext: "sample.context, beside sample.answer",
};

const optionRules: Rules<ConnectOptions> = {
  revisions: /* @__PURE__ */ orObject(
    "array",
    { known: "array", vocabulary: "string" } satisfies Rules<Known>,
    ["known"],
  ),
  extensions: listOfExtensions,
  revision: "string",
  info: "object",
  logLevel: logLevels,
  timeouts: { timeout: "amount", totalTimeout: "amount", connect: "amount" } satisfies Rules<ConnectTimeouts>,
  signal: /* @__PURE__ */ withFunctions("addEventListener", "removeEventListener"),
  validation: {
    nulls: ["absent", "reject"],
    send: ["off", "development", "always"],
    checkAnswers: "boolean",
  } satisfies Rules<ClientValidation>,
  errors: { thrown: ["hide", "message"] } satisfies Rules<ClientErrors>,
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
  capabilities: {
    experimental: "object",
    extensions: "object",
    roots: { listChanged: "boolean" },
  } satisfies Rules<MoreCapabilities>,
  prepare: "function",
  use: "array",
  contract: "object",
  onDrift: ["refuse", "warn"],
  onEvent: "function",
  onClose: "function",
  elicit: /* @__PURE__ */ orObject("function", {
    form: "function",
    url: "function",
  } satisfies Rules<ElicitationHandlers>),
  sample: /* @__PURE__ */ orObject(
    "function",
    { answer: "function", tools: "boolean", context: "boolean" } satisfies Rules<SamplingHandler>,
    ["answer"],
  ),
  roots: (value) =>
    Array.isArray(value) || typeof value === "function" ? undefined : "a list or a function",
};

const rules = /* @__PURE__ */ withGone(optionRules, formerConnectOptions);

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

type Known = KnownRevisions<"client">;

export interface ConnectOptions extends ClientHandlers {
  /** The revisions of the client: `clientRevisions` of the generated package, or an object that names the vocabulary, too. */
  readonly revisions: Known | Known["known"];
  /**
   * Extensions of the protocol: each as its module exports it, or with handlers and settings as
   * `extension.implement({ method: handler }, { settings })`.
   */
  readonly extensions?: readonly UsedExtension<"client", AnswerContext>[];
  /** The id of the only revision to use, one of `revisions`. */
  readonly revision?: string;
  readonly info?: Implementation;
  /** The least severity of log messages from the server. */
  readonly logLevel?: LogLevel;
  /** Timeouts of connecting, and of requests without timeouts in their options. */
  readonly timeouts?: ConnectTimeouts;
  /** Aborts the connecting. It has no effect on a connected client. */
  readonly signal?: Signal;
  /** How strictly messages are validated. */
  readonly validation?: ClientValidation;
  /** What errors tell the server. */
  readonly errors?: ClientErrors;
  /** Limits on what the server can make the client keep or do, if other than the defaults. */
  readonly limits?: ConnectLimits;
  readonly clock?: Clock;
  /** Options for servers over HTTP. */
  readonly http?: HttpClientOptions;
  /** Capabilities beside those that follow from the functions that are given. */
  readonly capabilities?: MoreCapabilities;
  /**
   * Gets the client before it connects. It registers handlers (`client.handle`) and listeners (`client.on`), which then
   * miss no message. `connect` waits for it, and fails with what it throws.
   */
  readonly prepare?: (client: Client) => unknown;
  /**
   * What the server may offer. The client compares the lists of the server before `connect` resolves, after each `list_changed`
   * and over each new connection. A drift does not fail `connect`: an event `contract-drift` reports it, and what drifted is not
   * usable until the server offers it as approved again. It is left out of lists; requests that name it reject with
   * `contract-drift` (`data.drift`, `data.list`, `data.name`, `data.counterpart`) and are not sent; `client.instructions` is
   * absent. If a list cannot be read, nothing of it is usable, and the next request tries to read it again. Resources that the
   * server does not list pass. At 2026-07-28, the client keeps a subscription open where the server announces changes. Calls of a
   * batch (2025-03-26) are sent one by one.
   */
  readonly contract?: PinnedContract;
  /** `warn`: a drift causes the event alone. Default: `refuse`. */
  readonly onDrift?: OnDrift;
  /** Middleware, the outermost first. As `client.use`, and around the requests that negotiate the revision, too. */
  readonly use?: readonly ClientMiddleware[];
  /**
   * Receives events, those of the first connection too. Warnings (`warning`) and errors of functions, handlers and listeners
   * (`handler-error`) are also written to standard error, except those for which it returns `true`. What it throws is ignored.
   */
  readonly onEvent?: (event: ClientEvent) => unknown;
  /**
   * Called once when the client is closed after `connect` has resolved: with `undefined` after `close()`, else with the
   * error that ended the connection.
   */
  readonly onClose?: (reason: McpError | undefined) => unknown;
}

/** Timeouts of a client, in milliseconds. */
export interface ConnectTimeouts extends Partial<Timeouts> {
  /** For opening the connection and negotiating the revision. Default: 30,000. */
  readonly connect?: number;
}

/** How strictly a client validates messages. */
export interface ClientValidation {
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
  readonly send?: ValidateSend;
  /**
   * `false` passes forms, pages, messages and roots to the functions of the client, and their answers to the server, as they are: no
   * more is checked than the revision defines. Right for a gateway alone, whose own client judges the pages and fills in the forms,
   * and whose server checks the answers. Default: `true`.
   */
  readonly checkAnswers?: boolean;
}

/** What errors tell the server. */
export interface ClientErrors {
  /**
   * Whether the server gets the text of what functions and handlers throw that answer its requests (up to 2025-11-25).
   * The text of an `McpError` is always sent. Default: `hide`. Texts of errors may name files and hosts.
   */
  readonly thrown?: "hide" | "message";
}

/** Capabilities that no function stands for (2025-11-25 and 2026-07-28, lifecycle, capability negotiation). */
export interface MoreCapabilities extends Pick<ClientCapabilities, "experimental" | "extensions"> {
  /** Beside the option `roots`: `{ listChanged: false }` if the client reports no changes. Default: it does. */
  readonly roots?: { readonly listChanged: boolean };
}

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
  // A list has no such members: it stands for `known`.
  const { known: given = options.revisions as Known["known"], vocabulary } =
    options.revisions as Partial<Known>;
  const extended = options.extensions?.[0]?.extend(
    { ...options, revisions: given, revisionOf: () => client.revision },
    McpError,
  );
  const { clock = systemClock, validation: { nulls, send } = {}, capabilities: { roots } = {} } = options;
  const { connect: connectTimeout = 30_000, ...timeouts } = options.timeouts ?? {};
  const hooks: ClientHooks = new Hooks();
  const onWarning = (message: string): void => hooks.emit({ type: "warning", message });
  const known = linkRevisions(extended?.revisions ?? given, {
    vocabulary,
    send,
    onLoss: (loss) => hooks.emit({ type: "loss", ...loss }),
    onReceived: contentWarnings(onWarning, ["incomingRequests", "incomingResults", "incomingNotifications"]),
  });
  const views = selectRevisions(known, revision === undefined ? undefined : [revision]);
  if (!legacy) requireModern(views);
  for (const middleware of options.use ?? []) {
    requireFunction("use", middleware);
    hooks.use(middleware as never);
  }
  for (const middleware of extended?.middleware ?? []) hooks.use(middleware as never);
  hooks.onEvent(withPrinting(options.onEvent));
  const profile: ClientProfile = {
    info: options.info ?? { name: "mcpgen-client", version: "0.1.0" },
    capabilities: { ...options.capabilities, ...capabilitiesOf(options), ...(roots && { roots }) },
    extended,
    logLevel: options.logLevel,
    connectTimeout,
    timeouts: { ...defaultTimeouts, ...timeouts },
    clock,
    readNulls: nullReader(nulls, hooks.emit),
    nulls,
    hooks,
    endpoint: endpointOf(source),
  };
  if (roots && !options.roots) throw invalid("capabilities.roots: give the option roots, too.");
  const problem = Array.isArray(options.roots) ? rootsProblem(options.roots as readonly Root[]) : undefined;
  if (problem !== undefined) throw new McpError("invalid-definition", problem);
  const opener = await openerOf(source, options, { views, onWarning, legacy });
  const { contract, onDrift } = options;
  const { Pins } = contract ? await import("../client/pins.js") : {};
  const client: Client = new Client({
    profile,
    pinsFor: Pins && ((host) => new Pins(host, contract!, onDrift)),
    handlers: options,
    limits: limitsOf(options.limits),
    known,
    thrownErrors: options.errors?.thrown ?? "hide",
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
  { http }: ConnectOptions,
  {
    views,
    onWarning,
    legacy,
  }: Pick<ClientSetup, "views" | "onWarning"> & { legacy: LegacyClient | undefined },
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
