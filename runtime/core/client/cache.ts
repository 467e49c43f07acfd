import type { Clock } from "../time/clock.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import type { ClientLimits } from "./limits.js";

/** Entries kept; the oldest goes first. */
const capacity = 1000;

/** Milliseconds that a result counts as fresh at most, whatever its server says: a day. */
const longestFresh = 86_400_000;

/** Bytes that an entry takes beside its texts, about. */
const overhead = 300;

const resourceUpdated = "notifications/resources/updated";

interface Entry {
  readonly key: string;
  /** The authorization that it was given to; absent where the result is public. */
  readonly authorization: string | undefined;
  readonly method: string;
  readonly uri: unknown;
  /** The result, as JSON. */
  readonly text: string;
  readonly bytes: number;
  /** When it stops being fresh, by the client's clock. */
  readonly expires: number;
}

/** A result that may be kept, and what it answers. */
interface Kept {
  readonly key: string;
  readonly method: string;
  readonly params: Params;
  readonly result: Params;
  /** What authorized the request. */
  readonly authorization: string;
}

/**
 * Results that their server said stay fresh for a while (2026-07-28, caching). A private result is given only to
 * requests with the authorization that it was fetched with.
 */
export class ResultCache {
  private readonly clock: Clock;
  private readonly limits: ClientLimits;
  /** The oldest first. */
  private readonly entries = new Set<Entry>();
  private readonly byKey = new Map<string, Map<string | undefined, Entry>>();
  private bytes = 0;
  private heardOf = 0;

  constructor(clock: Clock, limits: ClientLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** A copy of the result that does not depend on the authorization. */
  shared(key: string): Params | undefined {
    return this.read(key, undefined);
  }

  /** A copy of the result that was given to an authorization. */
  owned(key: string, authorization: string): Params | undefined {
    return this.read(key, authorization);
  }

  /** Whether there are results that were given to some authorization. */
  isOwned(key: string): boolean {
    return this.byKey.has(key);
  }

  /** How often something was forgotten: with `put`, tells results from before one. */
  get age(): number {
    return this.heardOf;
  }

  /**
   * Keeps a complete result, as long as it says, unless that takes more than the limits allow.
   *
   * @param age when it was asked for; what was on its way while something changed may be out of date
   */
  put({ key, method, params, result, authorization }: Kept, age: number): void {
    const ttl = result["ttlMs"];
    if (typeof ttl !== "number" || !(ttl > 0) || age !== this.heardOf) return;
    const text = textOf(result);
    const owner = result["cacheScope"] === "public" ? undefined : authorization;
    // A character takes two bytes at most.
    const bytes =
      text === undefined ? Infinity : overhead + 2 * (text.length + key.length + (owner?.length ?? 0));
    if (text === undefined || bytes > Math.min(this.limits.maxCacheEntryBytes, this.limits.maxCacheBytes))
      return;
    const siblings = this.byKey.get(key) ?? new Map<string | undefined, Entry>();
    for (const stale of [siblings.get(owner), siblings.get(undefined)]) if (stale) this.drop(stale);
    const expires = this.clock.now() + Math.min(ttl, longestFresh);
    const entry = { key, authorization: owner, method, uri: params["uri"], text, bytes, expires };
    this.entries.add(entry);
    this.byKey.set(key, siblings.set(owner, entry));
    this.bytes += bytes;
    for (const oldest of this.entries) {
      if (this.bytes <= this.limits.maxCacheBytes && this.entries.size <= capacity) break;
      this.drop(oldest);
    }
  }

  /** Forgets what a notification says has changed. */
  heard(notification: string, { uri }: Params): void {
    const list = /^notifications\/(.+)\/list_changed$/.exec(notification)?.[1];
    if (list === undefined && notification !== resourceUpdated) return;
    this.heardOf++;
    for (const entry of this.entries) {
      const changed =
        list === undefined
          ? entry.method === "resources/read" && entry.uri === uri
          : entry.method.startsWith(`${list}/`) && entry.method.endsWith("/list");
      if (changed) this.drop(entry);
    }
  }

  /** Forgets all, what is on its way included. */
  clear(): void {
    this.heardOf++;
    this.entries.clear();
    this.byKey.clear();
    this.bytes = 0;
  }

  private read(key: string, authorization: string | undefined): Params | undefined {
    const entry = this.byKey.get(key)?.get(authorization);
    if (!entry) return undefined;
    if (this.clock.now() < entry.expires) return JSON.parse(entry.text) as Params;
    this.drop(entry);
    return undefined;
  }

  private drop(entry: Entry): void {
    this.entries.delete(entry);
    this.bytes -= entry.bytes;
    const siblings = this.byKey.get(entry.key)!;
    siblings.delete(entry.authorization);
    if (siblings.size === 0) this.byKey.delete(entry.key);
  }
}

/** Method and the parameters that decide the result; metadata does not. Nothing where the parameters are no JSON. */
export function cacheKey(method: string, { _meta, ...params }: Params): string | undefined {
  return textOf([method, params], (_, value) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/** What is nested too deeply has no text. */
function textOf(value: unknown, replacer?: (key: string, value: unknown) => unknown): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return undefined;
  }
}
