import type { Clock } from "../peer/clock.js";
import { type Params, isObject } from "../peer/message.js";

/** Entries kept; the oldest goes first. */
const capacity = 1000;

const resourceUpdated = "notifications/resources/updated";

interface Entry {
  readonly method: string;
  readonly uri: unknown;
  readonly result: Params;
  /** When it stops being fresh, by the client's clock. */
  readonly expires: number;
}

/** Results that their server said stay fresh for a while (2026-07-28, caching). One client, one authorization. */
export class ResultCache {
  private readonly entries = new Map<string, Entry>();
  private readonly clock: Clock;
  private heardOf = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A copy: what its reader makes of it is not what the next one reads. */
  get(method: string, params: Params): Params | undefined {
    const key = keyOf(method, params);
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (this.clock.now() < entry.expires) return structuredClone(entry.result);
    this.entries.delete(key);
    return undefined;
  }

  /** How often something was forgotten: with `put`, tells results from before one. */
  get age(): number {
    return this.heardOf;
  }

  /**
   * Keeps a complete result, as long as it says.
   *
   * @param age when it was asked for; what was on its way while something changed may be out of date
   */
  put(method: string, params: Params, result: Params, age: number): void {
    const ttl = result["ttlMs"];
    if (typeof ttl !== "number" || !(ttl > 0) || age !== this.heardOf) return;
    this.entries.set(keyOf(method, params), {
      method,
      uri: params["uri"],
      result: structuredClone(result),
      expires: this.clock.now() + ttl,
    });
    if (this.entries.size > capacity) this.entries.delete(this.entries.keys().next().value!);
  }

  /** Forgets what a notification says has changed. */
  heard(notification: string, { uri }: Params): void {
    const list = /^notifications\/(.+)\/list_changed$/.exec(notification)?.[1];
    if (list !== undefined || notification === resourceUpdated) this.heardOf++;
    for (const [key, entry] of this.entries) {
      const changed =
        list === undefined
          ? notification === resourceUpdated && entry.method === "resources/read" && entry.uri === uri
          : entry.method.startsWith(`${list}/`) && entry.method.endsWith("/list");
      if (changed) this.entries.delete(key);
    }
  }

  /** Forgets all, what is on its way included. */
  clear(): void {
    this.heardOf++;
    this.entries.clear();
  }
}

/** Method and the parameters that decide the result; metadata does not. */
function keyOf(method: string, { _meta, ...params }: Params): string {
  return JSON.stringify([method, params], (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
