/** What went wrong, for programs: stable names. */
export type ErrorCode =
  /** The text is not JSON. */
  | "parse-error"
  /** JSON, but no message of the protocol. */
  | "invalid-request"
  | "method-not-found"
  | "invalid-params"
  | "internal-error"
  /** The two sides share no protocol revision. */
  | "unsupported-version"
  /** The other side has not declared what would be needed. */
  | "missing-capability"
  | "resource-not-found"
  /** The state of a multi round-trip request is forged, expired, too large or someone else's. */
  | "state-rejected"
  /** The message has no form at the revision that was negotiated. */
  | "not-expressible"
  /** The other side answered with an error of its own; `rpcCode` and `data` are what it sent. */
  | "remote-error"
  /** The other side's answer is not what the method is answered with. */
  | "invalid-result"
  | "timeout"
  | "cancelled"
  | "connection-closed"
  /** The server has forgotten the session; a new one is opened for the next request. */
  | "session-lost"
  | "spawn-failed"
  /** What was to authorize a request (`http.authorize`) failed; `cause` is what it threw. */
  | "authorize-failed"
  /** The port cannot be had; `cause` is what the platform says. */
  | "listen-failed"
  | "message-too-long"
  /** The other side asks for more than a limit allows; `data` names the limit. */
  | "limit-exceeded"
  /** A list repeats itself or passes a bound; `data` carries the items that were read, where all are collected. */
  | "list-incomplete"
  /** The tools, resources or revisions a server was defined with are wrong. */
  | "invalid-definition";

/** The one error class of the runtime. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly code: ErrorCode;
  /** JSON-RPC code: what was received, or what is to be sent. */
  readonly rpcCode?: number;
  /** Details: of a received error what its sender put there. */
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

/** Codes of JSON-RPC 2.0 itself, which no revision changes. */
export const rpc = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** The parameters of a request are wrong. */
export function invalidParams(message: string): McpError {
  return new McpError("invalid-params", message, { rpcCode: rpc.invalidParams });
}

/** What arrived is no message of the protocol, or not one that may come now. */
export function invalidRequest(message: string): McpError {
  return new McpError("invalid-request", message, { rpcCode: rpc.invalidRequest });
}

/** An error's text, whatever was thrown. Never throws: JavaScript has values that have no text. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "the value that was thrown has no text";
  }
}

/** Whether a value is an `McpError` that can be read. Never throws: a proxy may. */
export function isMcpError(thrown: unknown): thrown is McpError {
  try {
    return thrown instanceof McpError && typeof thrown.code === "string";
  } catch {
    return false;
  }
}
