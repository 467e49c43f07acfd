import { McpError, rpc } from "../jsonrpc/errors.js";

/** Limits on what a server can make a client keep or do. */
export interface ClientLimits {
  /** Questions of the server (forms, pages, sampling, roots) that the application gets at a time: 4. */
  readonly maxQuestions: number;
  /** Questions that wait for their turn: 256, with 16 Mi characters in all. Further ones are refused. */
  readonly maxWaitingQuestions: number;
  /** Questions in one round of a request: 32. A round with more fails the request. */
  readonly maxRoundQuestions: number;
  /** Notices that a subscription keeps until they are read: 1,000, with 1 Mi characters in all. */
  readonly maxNotices: number;
  /** Bytes that all cached results take: 16 MiB. The oldest are dropped; 0 caches nothing. */
  readonly maxCacheBytes: number;
  /** Bytes that one cached result takes: 1 MiB. A larger one is not cached. */
  readonly maxCacheEntryBytes: number;
}

const defaultLimits: ClientLimits = {
  maxQuestions: 4,
  maxWaitingQuestions: 256,
  maxRoundQuestions: 32,
  maxNotices: 1000,
  maxCacheBytes: 16 * 1_048_576,
  maxCacheEntryBytes: 1_048_576,
};

/**
 * Completes the limits with the defaults.
 *
 * @throws {McpError} `invalid-definition`: `maxQuestions` is below 1
 */
export function limitsOf(given: Partial<ClientLimits> = {}): ClientLimits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits = { ...defaultLimits, ...(Object.fromEntries(set) as Partial<ClientLimits>) };
  if (limits.maxQuestions < 1)
    throw new McpError("invalid-definition", "limits.maxQuestions: expected a number from 1 on");
  return limits;
}

/** The error for a server that exceeds a limit; `data` names the limit. */
export function limitExceeded(message: string, limit: keyof ClientLimits, value: number): McpError {
  return new McpError("limit-exceeded", message, { rpcCode: rpc.internalError, data: { limit, value } });
}
