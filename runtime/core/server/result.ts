import type { RevisionView } from "../protocol/revision-view.js";
import type { Params } from "../jsonrpc/message.js";
import { McpError, rpc } from "../jsonrpc/errors.js";

/** How long and for whom a result may be cached (2026-07-28, caching). */
export interface CacheHints {
  /** Milliseconds that the result stays fresh. */
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** Default: a result is neither fresh nor shared. */
export const uncached: CacheHints = { ttlMs: 0, cacheScope: "private" };

/**
 * A result that does not depend on the request. It is lowered and serialised once for each revision.
 */
export class SerialisedResult {
  readonly value: Params;
  readonly hints: CacheHints;
  private readonly texts = new Map<RevisionView, string>();

  constructor(value: Params, hints: CacheHints = uncached) {
    this.value = value;
    this.hints = hints;
  }

  /** @param serialise makes the text for a revision that has none yet */
  text(revision: RevisionView, serialise: () => string): string {
    let text = this.texts.get(revision);
    if (text === undefined) this.texts.set(revision, (text = serialise()));
    return text;
  }
}

/**
 * The error for an invalid result of a handler; the client gets it in place of the result. It has no stack: the stack
 * would show the runtime, not the handler.
 */
export function unusableResult(problem: string): McpError {
  const error = new McpError("internal-error", problem, { rpcCode: rpc.internalError });
  delete error.stack;
  return error;
}
