import { type ErrorCode, isInterrupted, isObject, McpError } from "@mcpgen/base";
import { type RevisionView, runsTools } from "../protocol/revision-view.js";
import { eraOf } from "./client-profile.js";
import { httpStatusOf, isMisunderstood, isTransient } from "./decode.js";

/** A failed request. */
export interface Failure {
  readonly error: McpError;
  readonly method: string;
  /** Whether the server may run the request twice. */
  readonly repeatable: boolean;
  /** Whether its connection is still open; absent if there was none. */
  readonly open: boolean | undefined;
  /** Whether the client can open another connection. */
  readonly renewable: boolean;
  readonly view: RevisionView<"client">;
}

/** A row of the table for another attempt, once and at once. */
interface Once<Failed> {
  /** Whether the row applies to a failure. */
  readonly when: (failed: Failed) => boolean;
}

/** A row of the table for attempts after pauses. */
interface Retry<Failed> extends Once<Failed> {
  /** Milliseconds before each further attempt; there are as many attempts as pauses. */
  readonly pauses: readonly number[];
}

/**
 * When the client sends a request again. docs/http.md has the same table ("When a request is sent again"), with the rows of
 * the HTTP transport: refused connections, authorization, redirects and streams.
 */
export const retries = {
  /** The server forgot the session and so did not take the request: again in a new session. */
  session: {
    when: ({ error, renewable }) => error.code === "session-lost" && renewable,
  },
  /** The exchange broke, and the server may have run the request: again on the same connection. The pauses let a broken connection be closed first. */
  exchange: {
    when: ({ error, open, repeatable }) => isInterrupted(error) && open === true && repeatable,
    pauses: [50, 100, 200],
  },
  /** The connection broke, and the server may have run the request: again on a new connection. */
  connection: {
    when: ({ error, open, renewable, repeatable }) =>
      isInterrupted(error) && open === false && renewable && repeatable,
  },
  /** The headers of a tool are out of date: again after `tools/list`. */
  headers: {
    when: ({ error, method, view }) =>
      runsTools(view.table.outgoingRequests.get(method)) && isHeaderMismatch(error, view),
  },
  /**
   * Another server may have replaced the first: again after another negotiation, if that results in another revision.
   */
  era: {
    when: ({ error, open, renewable, view }) =>
      open !== undefined && renewable && !isInterrupted(error) && isOfAnotherEra(error, view),
  },
} satisfies Readonly<Record<string, Once<Failure> | Retry<Failure>>>;

export type RetryReason = keyof typeof retries;

/**
 * The probe was refused with a temporary HTTP status, which does not show the era. `Retry-After` takes precedence over
 * the pauses.
 */
export const probeRetry: Retry<Error | undefined> = {
  when: (refusal) => isTransient(httpStatusOf(refusal)),
  pauses: [100, 200, 400],
};

/** The server's process exited on the probe: once more, with a new process and without a probe. */
export const startRetry: Once<{ readonly error: unknown; readonly answered: boolean }> = {
  when: ({ error, answered }) =>
    error instanceof McpError && error.code === "connection-closed" && !answered && !wasReached(error),
};

/** Errors that a new connection may resolve. */
const losses: ReadonlySet<ErrorCode> = new Set([
  "connection-closed",
  "session-lost",
  "spawn-failed",
  "timeout",
]);

/** A subscription lost its connection: again on a new one. The count of attempts starts at zero after `steadyMs`. */
export const subscriptionRetry: Retry<unknown> & { readonly steadyMs: number } = {
  when: (error) => error instanceof McpError && losses.has(error.code),
  pauses: [100, 200, 400, 800, 1600],
  steadyMs: 10_000,
};

/** The row that applies to a failed request. */
export function retryReason(failure: Failure): RetryReason | undefined {
  return reasons.find((reason) => retries[reason].when(failure));
}

const reasons = Object.keys(retries) as readonly RetryReason[];

function isHeaderMismatch({ rpcCode }: McpError, { table }: RevisionView<"client">): boolean {
  const code = table.errors["HEADER_MISMATCH"]?.code;
  return code !== undefined && rpcCode === code;
}

/**
 * Whether a server of the legacy era refused a modern request: with an HTTP status, and without an error code of modern
 * servers (2026-07-28, versioning, compatibility matrix).
 */
function isOfAnotherEra(error: McpError, view: RevisionView<"client">): boolean {
  const { table } = view;
  if (!eraOf(view).discovery || !isMisunderstood(httpStatusOf(error))) return false;
  const { rpcCode } = error;
  if (rpcCode === undefined || rpcCode === table.errors["UNSUPPORTED_PROTOCOL_VERSION"]?.code) return true;
  return Object.values(table.errors).every(({ code }) => code !== rpcCode);
}

/** Whether an HTTP server answered without a message, or does not exist. It then did not exit on the probe. */
function wasReached({ data }: McpError): boolean {
  return isObject(data) && (typeof data["status"] === "number" || data["unreachable"] === true);
}

/**
 * Which requests the server may run twice, so that the client sends them again after the connection broke: requests
 * that do not run a tool (`safe`); also calls of tools with `readOnlyHint` or `idempotentHint` (`hinted`, for trusted
 * servers); all (`always`); or none (`never`).
 */
export type Resend = "safe" | "hinted" | "always" | "never";

/**
 * Whether the server may run a request twice.
 *
 * @param option `resend` of the request's options
 * @param runs whether the method runs tools
 * @param isHinted whether the tool's hints allow it to be called twice; only `hinted` uses this
 */
export function isRepeatable(
  resend: Resend,
  option: boolean | undefined,
  runs: boolean,
  isHinted: () => boolean,
): boolean {
  if (option !== undefined) return option;
  if (resend === "always" || resend === "never") return resend === "always";
  return !runs || (resend === "hinted" && isHinted());
}
