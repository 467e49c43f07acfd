import type { MethodFacts } from "@mcpgen/protocol/model";
import { BoundedMap, type Clock, type Params, sortedText } from "@mcpgen/base";
import type { ClientLimits } from "./client-profile.js";
import type { Decoded } from "./decode.js";

/** Most requests with results; the oldest is dropped first. */
const maxEntries = 1000;

/** The longest time in milliseconds that a result is fresh: a day. */
const maxFreshMs = 86_400_000;

/** Approximate bytes of an entry without its texts. */
const overhead = 300;

interface Entry {
  /** The decoded result as JSON. */
  readonly text: string;
  readonly bytes: number;
  /** The time at which it is no longer fresh, by the client's clock. */
  readonly expires: number;
}

/** The results of equal requests. */
interface Entries {
  readonly method: string;
  /** Keyed by the authorization of the request; `undefined` is the key of the public result. */
  readonly byAuthorization: ReadonlyMap<string | undefined, Entry>;
}

/** A result to keep, and its request. */
interface Kept {
  readonly key: string;
  readonly method: string;
  readonly result: Params;
  readonly listed?: Decoded["listed"];
  /** The authorization of the request; `undefined` if it cannot be compared: a private result is then not kept. */
  readonly authorization: string | undefined;
}

/**
 * Results that are fresh for a time that the server names (2026-07-28, caching). A private result is returned only for
 * the authorization that fetched it.
 */
export class ResultCache {
  readonly #clock: Clock;
  readonly #limits: ClientLimits;
  readonly #byKey: BoundedMap<string, Entries>;
  #invalidations = 0;

  constructor(clock: Clock, limits: ClientLimits) {
    this.#clock = clock;
    this.#limits = limits;
    const bounds = { count: maxEntries, bytes: limits.maxCacheBytes, full: "evict" } as const;
    this.#byKey = new BoundedMap({ ...bounds, now: () => clock.now() });
  }

  /** A copy of a public result. */
  shared(key: string): Decoded | undefined {
    return this.#read(key, undefined);
  }

  /** A copy of a private result of an authorization. */
  owned(key: string, authorization: string | undefined): Decoded | undefined {
    return authorization === undefined ? undefined : this.#read(key, authorization);
  }

  /** Whether there is a result for any authorization. */
  isOwned(key: string): boolean {
    return this.#byKey.peek(key) !== undefined;
  }

  /** Counts the invalidations. Read it before a request and pass it to `put`. */
  get generation(): number {
    return this.#invalidations;
  }

  /**
   * Keeps a complete result while it is fresh, within the limits.
   *
   * @param generation when the request was sent. A result from before an invalidation may be out of date and is not kept
   */
  put({ key, method, result, listed, authorization }: Kept, generation: number): void {
    const ttl = result["ttlMs"];
    if (typeof ttl !== "number" || !(ttl > 0) || generation !== this.#invalidations) return;
    const isPublic = result["cacheScope"] === "public";
    if (!isPublic && authorization === undefined) return;
    const text = textOf({ result, rejected: [], listed });
    const owner = isPublic ? undefined : authorization;
    // A character takes at most two bytes.
    const bytes =
      text === undefined ? Infinity : overhead + 2 * (text.length + key.length + (owner?.length ?? 0));
    if (text === undefined || bytes > Math.min(this.#limits.maxCacheEntryBytes, this.#limits.maxCacheBytes))
      return;
    const now = this.#clock.now();
    const entry = { text, bytes, expires: now + Math.min(ttl, maxFreshMs) };
    const others = [...(this.#byKey.peek(key)?.byAuthorization ?? [])].filter(
      ([other, { expires }]) => other !== undefined && other !== owner && expires > now,
    );
    // If the results of other authorizations leave no room, they are dropped.
    if (!this.#keep(key, method, [...others, [owner, entry]])) this.#keep(key, method, [[owner, entry]]);
  }

  #keep(key: string, method: string, entries: readonly (readonly [string | undefined, Entry])[]): boolean {
    const bytes = entries.reduce((sum, [, entry]) => sum + entry.bytes, 0);
    const expires = Math.max(...entries.map(([, entry]) => entry.expires));
    const kept = { method, byAuthorization: new Map(entries) };
    return this.#byKey.set(key, kept, { bytes, lifeMs: expires - this.#clock.now() });
  }

  /**
   * Drops the results that a notification declares changed: all results of the methods that its facts name, and of the
   * methods with its capability. If it names one resource, it drops results of the latter methods only for that
   * resource.
   *
   * @param requests the facts of all requests
   */
  invalidate(notification: MethodFacts, params: Params, requests: ReadonlyMap<string, MethodFacts>): void {
    const { filterKey, invalidates } = notification;
    const isAbout = (key: string): boolean => {
      if (filterKey === undefined) return true;
      const [, asked] = JSON.parse(key) as [string, Params];
      return Object.values(asked).includes(params[filterKey]);
    };
    const stale = new Map<string, (key: string) => boolean>();
    for (const [method, facts] of requests) {
      if (invalidates?.includes(method)) stale.set(method, () => true);
      else if (facts.cacheable && sharesCapability(facts, notification)) stale.set(method, isAbout);
    }
    if (stale.size > 0) this.#drop((key, method) => stale.get(method)?.(key) === true);
  }

  /** Drops all results, including results of pending requests. */
  clear(): void {
    this.#drop(() => true);
  }

  #read(key: string, authorization: string | undefined): Decoded | undefined {
    const entry = this.#byKey.peek(key)?.byAuthorization.get(authorization);
    return entry && this.#clock.now() < entry.expires ? (JSON.parse(entry.text) as Decoded) : undefined;
  }

  #drop(isStale: (key: string, method: string) => boolean): void {
    this.#invalidations++;
    for (const [key, { method }] of this.#byKey) if (isStale(key, method)) this.#byKey.delete(key);
  }
}

/** Whether a notification's capability equals a method's capability or is a part of it. */
function sharesCapability({ capability: whole }: MethodFacts, { capability: part }: MethodFacts): boolean {
  return whole !== undefined && whole.of === part?.of && whole.path.every((key, at) => part.path[at] === key);
}

/**
 * The method and the parameters without `_meta`; `undefined` if the parameters cannot be written as JSON.
 *
 * @param part whether the result is read as a part of a list
 */
export function cacheKey(
  method: string,
  { _meta, ...params }: Params,
  part: boolean = false,
): string | undefined {
  return textOf([method, params, ...(part ? [part] : [])], sortedText);
}

/** The JSON text; `undefined` if the value is nested too deeply. */
export function textOf(value: unknown, write: (of: unknown) => string = JSON.stringify): string | undefined {
  try {
    return write(value);
  } catch {
    return undefined;
  }
}
