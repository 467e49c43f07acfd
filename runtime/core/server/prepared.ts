import type { Spoken } from "../protocol/spoken.js";
import type { Params } from "../jsonrpc/message.js";

/** How long and for whom a result may be cached (2026-07-28, caching). */
export interface CacheHints {
  /** Milliseconds the result stays fresh. */
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** Nothing is said to be fresh or shared unless its author says so. */
export const uncached: CacheHints = { ttlMs: 0, cacheScope: "private" };

/**
 * A result that does not depend on the request: it is lowered and serialised once a revision, however
 * often it is asked for.
 */
export class Prepared {
  readonly value: Params;
  readonly hints: CacheHints;
  private readonly texts = new Map<Spoken, string>();

  constructor(value: Params, hints: CacheHints = uncached) {
    this.value = value;
    this.hints = hints;
  }

  /** @param serialise makes the text when a revision is met for the first time */
  text(spoken: Spoken, serialise: () => string): string {
    let text = this.texts.get(spoken);
    if (text === undefined) this.texts.set(spoken, (text = serialise()));
    return text;
  }
}
