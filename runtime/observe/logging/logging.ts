// Logs one line for each request on standard error, for servers and clients.
import {
  checkOptions,
  isMcpError,
  isPromise,
  longestName,
  longestText,
  type Rules,
  shortened,
  visible,
} from "@mcpgen/base";
import { type InternalContext, isSuspended, placeOf } from "@mcpgen/runtime/extending";
import type { ClientEvent, Middleware, MiddlewareRequest, Params, ServerEvent } from "@mcpgen/runtime";

/**
 * Detail of the log: `error` logs failures; `info` also logs each request; `debug` also logs the start of each request,
 * and all events.
 */
export type LogDetail = "error" | "info" | "debug";

export interface LogOptions {
  /** Default: the environment variable `MCPGEN_LOG`, or else `info`. */
  readonly level?: LogDetail;
  /** Receives each line, without a line end. Default: writes it to standard error. */
  readonly write?: (line: string) => void;
  /** Whether lines contain parameters of requests and messages of errors. These may be secret. Default: `false`. */
  readonly params?: boolean;
}

const details: readonly LogDetail[] = ["error", "info", "debug"];

const rules: Rules<LogOptions> = { level: details, write: "function", params: "boolean" };

/** A server or a client. */
export interface LoggedRole {
  use(middleware: Middleware): () => void;
  onEvent(listener: (event: ServerEvent | ClientEvent) => void): () => void;
}

/** The options `use` and `onEvent` of `connect`. */
export interface RequestLog {
  readonly use: readonly [Middleware];
  readonly onEvent: (event: ServerEvent | ClientEvent) => void;
}

/**
 * Logs requests and events of a server or a client from now on. Returns a function that stops logging.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or wrong
 */
export function logRequests(role: LoggedRole, options: LogOptions = {}): () => void {
  const { use, onEvent } = requestLog(options);
  const removals = [role.use(use[0]), role.onEvent(onEvent)];
  return () => removals.forEach((remove) => remove());
}

/**
 * As `logRequests`, but returns options of `connect`, so that the first requests are logged, too: `connect(url, {
 * ...requestLog() })`.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or wrong
 */
export function requestLog(options: LogOptions = {}): RequestLog {
  checkOptions(options, rules);
  const log = new RequestLines(options);
  return { use: [log.middleware], onEvent: log.event };
}

/** Events of the level `error`. */
const failures: ReadonlySet<string> = new Set(["handler-error", "limit-hit", "request-timed-out"]);

/** Events of the level `debug`. */
const minor: ReadonlySet<string> = new Set([
  "connection-opening",
  "connection-opened",
  "connection-closed",
  "warning",
  "contract-drift",
  "loss",
]);

class RequestLines {
  readonly #most: number;
  readonly #write: (line: string) => void;
  readonly #withParams: boolean;

  constructor({ level = environmentLevel(), write, params = false }: LogOptions) {
    this.#most = details.indexOf(level);
    this.#write = write ?? ((line) => console.error(line));
    this.#withParams = params;
  }

  readonly middleware: Middleware = (request, next) => {
    const started = performance.now();
    const done = (result: object): object => {
      this.#ended(request, started, resultOutcome(result));
      return result;
    };
    const failed = (error: unknown): never => {
      this.#ended(request, started, this.#failureOutcome(error));
      throw error;
    };
    this.#line("debug", () => `${aboutOf(request)} begins${this.#paramsOf(request)}`);
    let result: object | Promise<object>;
    try {
      result = next();
    } catch (error) {
      return failed(error);
    }
    return isPromise(result) ? result.then(done, failed) : done(result);
  };

  readonly event = (event: ServerEvent | ClientEvent): void => {
    const { type } = event;
    const detail = failures.has(type) ? "error" : minor.has(type) ? "debug" : "info";
    this.#line(detail, () => `${type}${this.#membersOf(event)}`);
  };

  #ended(request: MiddlewareRequest, started: number, [detail, outcome]: Outcome): void {
    const ms = (performance.now() - started).toFixed(1);
    this.#line(detail, () => `${aboutOf(request)} ${ms} ms ${outcome}${this.#paramsOf(request)}`);
  }

  /** Writes a line if the level includes its detail. An error in the writer never fails a request. */
  #line(detail: LogDetail, text: () => string): void {
    if (details.indexOf(detail) > this.#most) return;
    try {
      this.#write(`${new Date().toISOString()} ${visible(text())}`);
    } catch {
      // There is no place to report an error of the writer.
    }
  }

  #failureOutcome(error: unknown): Outcome {
    if (isSuspended(error)) return ["info", "input required"];
    const text = this.#withParams ? ` ${messageIn(error)}` : "";
    if (!isMcpError(error)) return ["error", `failed ${nameOf(error)}${text}`];
    const { code, rpcCode } = error;
    return ["error", `failed ${code}${rpcCode === undefined ? "" : ` ${rpcCode}`}${text}`];
  }

  #paramsOf({ params }: MiddlewareRequest): string {
    return this.#withParams ? ` ${shortened(JSON.stringify(params), longestText)}` : "";
  }

  /** The members of an event as text. Error and message are secret, because they may quote data of the other side. */
  #membersOf(event: ServerEvent | ClientEvent): string {
    const { type: _, error, message, sessionId, principal, ...others } = event as unknown as Params;
    const kept = Object.entries(others).filter(([, value]) => value !== undefined);
    const texts = kept.map(([name, value]) => `${name}=${plain(name === "name" ? nameIn(value) : value)}`);
    if (error !== undefined) texts.push(`error=${isMcpError(error) ? error.code : nameOf(error)}`);
    if (this.#withParams && error !== undefined) texts.push(messageIn(error));
    if (this.#withParams && message !== undefined) texts.push(shortened(String(message), longestText));
    return ["", ...texts].join(" ") + whoOf({ sessionId, principal });
  }
}

/** The detail of a line, and the outcome of the request. */
type Outcome = readonly [LogDetail, string];

function resultOutcome(result: object): Outcome {
  return (result as Params | undefined)?.["isError"] === true ? ["error", "isError"] : ["info", "ok"];
}

/** Texts for direction, method, name, id, revision and client of a request. */
function aboutOf({ direction, method, params, context }: MiddlewareRequest): string {
  const { requestId, connection } = context as InternalContext;
  const { name } = placeOf(method, params as Params);
  return [
    direction === "incoming" ? "<-" : "->",
    shortened(method, longestName),
    ...(name === undefined ? [] : [JSON.stringify(nameIn(name))]),
    // For an outgoing request of a server: the id of the request during which it was sent.
    ...(requestId === undefined
      ? []
      : [`${direction === "incoming" ? "id" : "for"}=${shortened(String(requestId), longestName)}`]),
    context.revision + whoOf(connection),
  ].join(" ");
}

/** Session and principal, shortened, because the whole id of a session gives access to it. */
function whoOf({
  sessionId,
  principal,
}: {
  readonly sessionId?: unknown;
  readonly principal?: unknown;
}): string {
  const session = typeof sessionId === "string" ? ` session=${shortened(sessionId, 6)}` : "";
  return principal ? `${session} principal=${shortened(String(principal as string), 8)}` : session;
}

/** A name or URI without query and fragment, which may contain secrets. */
function nameIn(name: unknown): string {
  return shortened(String(name).replace(/[?#].*$/s, "?…"), longestName);
}

function plain(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(shortened(value, longestName));
  return shortened(JSON.stringify(value), longestText);
}

/** The class of a thrown value. */
function nameOf(error: unknown): string {
  try {
    return error instanceof Error ? shortened(error.name, longestName) : typeof error;
  } catch {
    return "unreadable";
  }
}

/** The message of a thrown value. */
function messageIn(error: unknown): string {
  try {
    return shortened(error instanceof Error ? error.message : String(error), longestText);
  } catch {
    return "unreadable";
  }
}

function environmentLevel(): LogDetail {
  const { process } = globalThis as {
    readonly process?: { readonly env?: { readonly MCPGEN_LOG?: string } };
  };
  const given = process?.env?.MCPGEN_LOG as LogDetail | undefined;
  return given !== undefined && details.includes(given) ? given : "info";
}
