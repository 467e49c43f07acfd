import * as rpc from "./rpc-codes.js";
import { longestMessage, shortened, visible } from "./foreign-text.js";
import { type ErrorObject, isObject } from "./message.js";

/** Stable names of errors, for programs. */
export type ErrorCode =
  /** The text is not JSON. */
  | "parse-error"
  /** The text is JSON, but not a message of the protocol. */
  | "invalid-request"
  | "method-not-found"
  | "invalid-params"
  | "internal-error"
  /** The two sides share no protocol revision. */
  | "unsupported-version"
  /** The other side has not declared the capability. */
  | "missing-capability"
  | "resource-not-found"
  /** The state of a multi round-trip request is forged, too large or from another principal. */
  | "state-rejected"
  /** The call that the state belongs to is gone, and nothing ran; `data.cause` is `expired`, `cancelled` or `not-here`. */
  | "state-lost"
  /** The state, or a later one, was used before. */
  | "state-used"
  /** More calls wait for answers than the bounds of `state.parking` allow. */
  | "asks-limit"
  /** The client did not send its answer before the call expired. */
  | "ask-expired"
  /** The message has no form at the revision that was negotiated. */
  | "not-expressible"
  /** The message is not what its revision defines, and was not sent (`validation.send`). */
  | "invalid-message"
  /** The other side answered with an error; `rpcCode` and `data` are from there. */
  | "remote-error"
  /** The answer of the other side is not a result of the method. `data` has a list that is null: `{ "tools": null }`. */
  | "invalid-result"
  | "timeout"
  | "cancelled"
  | "connection-closed"
  /** The server has forgotten the session; a new one is opened for the next request. */
  | "session-lost"
  | "spawn-failed"
  /** `http.authorize` failed; `cause` is its error. */
  | "authorize-failed"
  /** The port cannot be opened; `cause` is the error of the platform. */
  | "listen-failed"
  | "message-too-long"
  /** A limit does not allow the request; `data` names the limit. */
  | "limit-exceeded"
  /** A store of sessions or of tasks failed; `cause` is its error. */
  | "store-failed"
  /** A handle of a task belongs to another server. */
  | "wrong-server"
  /** The pages of a list repeat or exceed a bound; `data` has the items that were read, if all are collected. */
  | "list-incomplete"
  /** What the request names differs from the contract of the client, and was not sent; `data.drift` has the classes. */
  | "contract-drift"
  /** The other side sends more requests than `rateLimit` allows; `data.retryAfterMs` says when the next is allowed. */
  | "rate-limited"
  /** An option, or a definition of a server, is wrong. */
  | "invalid-definition";

/**
 * The one error class of the runtime. Its message is shortened: it may quote the peer. A handler that throws an error with
 * `remote` answers with that error, unchanged but for a code that its client's revision does not have.
 */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: ErrorCode;
  /** The JSON-RPC code that was received, or that is sent. */
  readonly rpcCode?: number;
  /** Details; those of a received error are from its sender. */
  readonly data?: unknown;
  /**
   * The error of the response as the other side sent it (basic, error responses): its `message` is whole, and does not name the
   * method. Absent in errors of this side, and where `code` is not an integer or `message` not a string.
   */
  readonly remote?: ErrorObject;
  /**
   * Name of an error that not all revisions define, such as `URL_ELICITATION_REQUIRED` (2026-07-28, basic, error codes). Where a
   * handler throws it, the revision of its client decides the JSON-RPC code.
   */
  readonly protocolName?: string;

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      readonly rpcCode?: number | undefined;
      readonly data?: unknown;
      readonly cause?: unknown;
      readonly remote?: ErrorObject | undefined;
      readonly protocolName?: string | undefined;
    } = {},
  ) {
    // Of the details, `Error` takes the cause alone.
    super(shortened(message, longestMessage), details.cause === undefined ? undefined : details);
    this.code = code;
    if (details.rpcCode !== undefined) this.rpcCode = details.rpcCode;
    if (details.data !== undefined) this.data = details.data;
    if (details.remote) this.remote = details.remote;
    if (details.protocolName !== undefined) this.protocolName = details.protocolName;
  }
}

/**
 * The codes of errors that no revision defines. They lie outside the range that JSON-RPC reserves (2026-07-28, basic, error
 * codes).
 */
export const rateLimitedCode = -31429;
export const timeLimitCode = -31408;
/** In the place of status 403: the token lacks scopes. */
export const insufficientScopeCode = -31403;

/** The error of wrong parameters. */
export function invalidParams(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: rpc.invalidParams });
}

/** The error of a message that is not one of the protocol, or is not allowed now. */
export function invalidRequest(message: string): McpError {
  return new McpError("invalid-request", message, { rpcCode: rpc.invalidRequest });
}

/** The error of a text that is not JSON. */
export function parseError(problem: string): McpError {
  return new McpError("parse-error", `not JSON: ${problem}`, { rpcCode: rpc.parseError });
}

/**
 * The error for a request that this side fails to answer, such as for an invalid result of a handler. It has no stack: the stack
 * would show the runtime, not the handler.
 *
 * @param cause of the failure; it is not sent
 */
export function internalError(message: string, cause?: unknown): McpError {
  const error = new McpError("internal-error", message, { rpcCode: rpc.internalError, cause });
  delete error.stack;
  return error;
}

/**
 * Calls a function of a store.
 *
 * @throws {McpError} `store-failed`: the function threw or rejected
 */
export async function stored<T>(call: () => T | Promise<T>, what = "session store"): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const options = { rpcCode: rpc.internalError, cause };
    throw new McpError("store-failed", `the ${what} failed: try again later`, options);
  }
}

/** The text of a thrown value. Never throws: some JavaScript values have no text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "the value that was thrown has no text";
  }
}

/** Whether a value is an `McpError`. Never throws: a proxy may. */
export function isMcpError(thrown: unknown): thrown is McpError {
  try {
    return thrown instanceof McpError && typeof thrown.code === "string";
  } catch {
    return false;
  }
}

/**
 * The request was sent, and it is unknown whether the server processed it. `data.interrupted` is true.
 *
 * @param status of the response, if the server ended it in order
 */
export function interrupted(message: string, cause?: unknown, status?: number): McpError {
  const data = { interrupted: true, ...(status === undefined ? {} : { status }) };
  return new McpError("connection-closed", message, { data, cause });
}

export function isInterrupted(error: unknown): boolean {
  return error instanceof McpError && isObject(error.data) && error.data["interrupted"] === true;
}

/** The error of a response as it was received, if it is one of JSON-RPC. */
export function asRemote(error: unknown): ErrorObject | undefined {
  const { code, message }: Partial<ErrorObject> = isObject(error) ? error : {};
  return Number.isSafeInteger(code) && typeof message === "string" ? (error as ErrorObject) : undefined;
}

/** The error of a response: as the other side sent it, if the error came from there. */
export function errorObjectOf({ remote, rpcCode, message, data }: McpError): ErrorObject {
  if (remote) return remote;
  const code = Number.isSafeInteger(rpcCode) ? rpcCode! : rpc.internalError;
  return data === undefined ? { code, message } : { code, message, data };
}

/** Writes a warning to standard error, on one line. It may quote the peer. */
export function printWarning(message: string): void {
  console.error(visible(shortened(message, longestMessage)));
}

/** Writes an error with its stack and causes to standard error. Each line is escaped as by `printWarning`. */
export function printError(place: string, thrown: unknown): void {
  const text = shortened(`${place}: ${stackOf(thrown, 0)}`, longestMessage);
  console.error(text.split("\n").map(visible).join("\n"));
}

/** Causes that are printed: an error may be its own cause. */
const mostCauses = 4;

function stackOf(thrown: unknown, depth: number): string {
  try {
    if (!(thrown instanceof Error)) return messageOf(thrown);
    const { stack = messageOf(thrown), cause } = thrown;
    if (cause === undefined || depth === mostCauses) return stack;
    return `${stack}\n[cause]: ${stackOf(cause, depth + 1)}`;
  } catch {
    return messageOf(thrown);
  }
}

/** Wraps a listener of the application: one that throws or rejects breaks nothing. */
export function harmless<Given extends unknown[]>(
  listener: (...given: Given) => unknown,
): (...given: Given) => void {
  return (...given) => {
    try {
      void Promise.resolve(listener(...given)).catch(() => {});
    } catch {
      // A failing listener has nowhere to report its failure.
    }
  };
}

/** Whether only the specification may give a code a meaning (2026-07-28, basic, error codes). */
export function isReserved(code: number): boolean {
  return code >= -32099 && code <= -32020;
}
