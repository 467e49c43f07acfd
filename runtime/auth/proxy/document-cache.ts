import { BoundedMap } from "@mcpgen/base";
import type { JWK } from "jose";
import { boundedBytes } from "../shared/bounded-bytes.js";
import { AuthError } from "../shared/errors.js";
import { isPassing, objectIn } from "../shared/guarded-fetch.js";
import type { Fetch } from "../shared/pinned-fetch.js";
import { Outgoing, type OutgoingLimits } from "../shared/outgoing.js";
import type { Client } from "./client.js";
import {
  type ClientDocuments,
  clientOfDocument,
  publicKeysOf,
  unusableDocument,
} from "./client-documents.js";

type Document = Readonly<Record<string, unknown>>;

const maxBytes = 65_536;
const timeoutMs = 5000;
const leastMs = 60_000;
const hourMs = 3_600_000;
/** Milliseconds for which a failure is cached, so that not every page request starts a fetch. */
const failureMs = 10_000;

/** Limits of a cache: entries, bytes, time, and concurrent fetches. */
interface Bounds extends OutgoingLimits {
  readonly count: number;
  readonly bytes: number;
  readonly mostMs: number;
}

/** Limits for clients with which no user has logged in. Anyone can name any number of such documents. */
const ofAnybody: Bounds = {
  ...{ count: 1000, bytes: 4_000_000, mostMs: 5 * 60_000 },
  ...{ running: 16, perKey: 4, waiting: 256 },
};

/** Limits for clients with which a user has logged in, and for their keys. */
const ofKnown: Bounds = {
  ...{ count: 10_000, bytes: 16_000_000, mostMs: 24 * hourMs },
  ...{ running: 16, perKey: 4, waiting: 256 },
};

/** Bytes of an entry in addition to its characters. */
const overhead = 500;

/** The content of a document, or the reason why it cannot be used. */
type Reading<Value> = { readonly value: Value } | { readonly fault: AuthError };

interface Kept<Value> {
  readonly reading: Reading<Value>;
  /** Time at which the document is read again, by its headers. */
  readonly staleAt: number;
}

/** Reads documents, and caches the data that is used. Concurrent reads of a document share one fetch. */
class Shelf<Value> {
  readonly #bounds: Bounds;
  readonly #fetch: Fetch;
  readonly #use: (document: Document, url: string) => Value;
  readonly #kept: BoundedMap<string, Kept<Value>>;
  /** Current reads by URL. `Outgoing` bounds their number. */
  readonly #running = new Map<string, Promise<Kept<Value>>>();
  readonly #outgoing: Outgoing;

  /** @param use extracts the data from a document; throws an `AuthError` if it cannot be used */
  constructor(bounds: Bounds, fetch_: Fetch, use: (document: Document, url: string) => Value) {
    this.#bounds = bounds;
    this.#fetch = fetch_;
    this.#use = use;
    const { count, bytes } = bounds;
    this.#kept = new BoundedMap({ count, bytes, full: "evict", now: () => Date.now() });
    this.#outgoing = new Outgoing(bounds);
  }

  known(url: string): Kept<Value> | undefined {
    return this.#kept.get(url);
  }

  keep(url: string, kept: Kept<Value>): void {
    const { reading, staleAt } = kept;
    const bytes = "fault" in reading ? overhead : 2 * JSON.stringify(reading.value).length + overhead;
    const lifeMs = Math.min(staleAt - Date.now(), this.#bounds.mostMs);
    this.#kept.set(url, kept, { bytes, lifeMs, principal: new URL(url).host });
  }

  read(url: string): Promise<Kept<Value>> {
    const known = this.#kept.get(url);
    if (known) return Promise.resolve(known);
    const running = this.#running.get(url);
    if (running) return running;
    const reading = this.#outgoing
      .run(new URL(url).host, () => this.#fetched(url))
      .finally(() => this.#running.delete(url));
    this.#running.set(url, reading);
    return reading;
  }

  async #fetched(url: string): Promise<Kept<Value>> {
    const kept = await fetched(this.#fetch, url).then(
      ({ document, maxAgeMs }) => this.#usable(document, url, Date.now() + maxAgeMs),
      (error: unknown) => this.#failed(error),
    );
    this.keep(url, kept);
    return kept;
  }

  #usable(document: Document, url: string, staleAt: number): Kept<Value> {
    try {
      return { reading: { value: this.#use(document, url) }, staleAt };
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Kept<Value> {
    if (!(error instanceof AuthError)) throw error;
    return { reading: { fault: error }, staleAt: Date.now() + failureMs };
  }
}

function valueOf<Value>({ reading }: Kept<Value>): Value {
  if ("fault" in reading) throw reading.fault;
  return reading.value;
}

/**
 * Makes the cache of clients' metadata documents. Documents of unknown clients cannot displace those of clients with
 * which users have logged in.
 *
 * @param customSchemes schemes of redirect URIs that the operator allows
 */
export function documentCache(fetch_: Fetch, customSchemes: readonly string[]): ClientDocuments {
  const use = (document: Document, url: string): Client => clientOfDocument(customSchemes, url, document);
  const strangers = new Shelf(ofAnybody, fetch_, use);
  const known = new Shelf(ofKnown, fetch_, use);
  const keys = new Shelf<readonly JWK[]>(ofKnown, fetch_, ({ keys: list }) => publicKeysOf(list));
  return {
    async client(id, isKnown) {
      const shelf = isKnown || known.known(id) ? known : strangers;
      return valueOf(await shelf.read(id));
    },
    keys: async (url) => valueOf(await keys.read(url)),
    keep(id) {
      const found = strangers.known(id);
      if (found) known.keep(id, found);
    },
  };
}

/**
 * Fetches a document.
 *
 * @throws {AuthError} `auth-metadata-invalid`, `auth-metadata-unsafe`; `auth-unavailable`: no answer, or a temporary
 *   error. A client must not lose its login because the host of its document is busy
 */
async function fetched(fetch_: Fetch, url: string): Promise<{ document: Document; maxAgeMs: number }> {
  const signal = AbortSignal.timeout(timeoutMs);
  const text = "The metadata document of the client cannot be used: its host does not answer now.";
  const away = new AuthError("auth-unavailable", text);
  const unreadable = (error: unknown): never => {
    throw error instanceof AuthError ? error : away;
  };
  const headers = { accept: "application/json" };
  const response = await fetch_(url, { redirect: "manual", headers, signal }).catch(unreadable);
  if (response.status !== 200) {
    void response.body?.cancel().catch(() => undefined);
    throw isPassing(response.status) ? away : unusableDocument(`the answer has status ${response.status}`);
  }
  const bytes = await boundedBytes(response.body, maxBytes).catch(unreadable);
  if (!bytes) throw unusableDocument(`it has more than ${maxBytes} bytes`);
  const document = await objectIn(new Response(bytes, { headers: response.headers }));
  if (!document) throw unusableDocument("it is not a JSON object of the type application/json");
  return { document, maxAgeMs: maxAgeOf(response.headers.get("cache-control")) };
}

function maxAgeOf(header: string | null): number {
  if (header !== null && /(?:^|[\s,])no-(?:store|cache)/i.test(header)) return leastMs;
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header ?? "") ?? [];
  return Math.min(Math.max(Number(seconds ?? 3600) * 1000, leastMs), ofKnown.mostMs);
}
