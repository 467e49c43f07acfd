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
  /** The state of a multi round-trip request is forged, expired, too large or from another principal. */
  | "state-rejected"
  /** The message has no form at the revision that was negotiated. */
  | "not-expressible"
  /** The other side answered with an error; `rpcCode` and `data` are from there. */
  | "remote-error"
  /** The answer of the other side is not a result of the method. */
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
  /** The pages of a list repeat or exceed a bound; `data` has the items that were read, if all are collected. */
  | "list-incomplete"
  /** An option, or a definition of a server, is wrong. */
  | "invalid-definition";

/** The one error class of the runtime. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: ErrorCode;
  /** The JSON-RPC code that was received, or that is sent. */
  readonly rpcCode?: number;
  /** Details; those of a received error are from its sender. */
  readonly data?: unknown;

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      readonly rpcCode?: number | undefined;
      readonly data?: unknown;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    if (details.rpcCode !== undefined) this.rpcCode = details.rpcCode;
    if (details.data !== undefined) this.data = details.data;
  }
}

/** The error codes of JSON-RPC 2.0. */
export const rpc = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** The error of wrong parameters. */
export function invalidParams(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: rpc.invalidParams });
}

/** The error of a message that is not one of the protocol, or is not allowed now. */
export function invalidRequest(message: string): McpError {
  return new McpError("invalid-request", message, { rpcCode: rpc.invalidRequest });
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
