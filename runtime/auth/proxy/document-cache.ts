import { boundedBytes } from "../shared/bounded-bytes.js";
import { AuthError } from "../shared/errors.js";
import { type Fetch, objectIn } from "../shared/guarded-fetch.js";
import { type ClientDocuments, unusableDocument } from "./client-documents.js";

type Document = Readonly<Record<string, unknown>>;

const maxBytes = 65_536;
const timeoutMs = 5000;
const maxEntries = 1000;
const leastMs = 60_000;
const mostMs = 24 * 3_600_000;
/** Milliseconds that a failure is remembered: a request for a page must not start a fetch each time. */
const failureMs = 10_000;

/** Fetches metadata documents, once at a time for each URL, and keeps them as their headers say. */
export function documentCache(fetch_: Fetch, now: () => number): ClientDocuments {
  const entries = new Map<string, { readonly document: Promise<Document>; expiresAt: number }>();
  return {
    read(url) {
      const known = entries.get(url);
      if (known && known.expiresAt > now()) return known.document;
      entries.delete(url);
      const entry = { document: Promise.resolve<Document>({}), expiresAt: now() + mostMs };
      entry.document = fetched(fetch_, url).then(
        ({ document, maxAgeMs }) => {
          entry.expiresAt = now() + maxAgeMs;
          return document;
        },
        (error: unknown) => {
          entry.expiresAt = now() + failureMs;
          throw error;
        },
      );
      entries.set(url, entry);
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value!);
      return entry.document;
    },
  };
}

async function fetched(fetch_: Fetch, url: string): Promise<{ document: Document; maxAgeMs: number }> {
  const response = await fetch_(url, {
    redirect: "manual",
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw error instanceof AuthError ? error : unusableDocument("it cannot be fetched");
  });
  if (response.status !== 200) throw unusableDocument(`the answer has status ${response.status}`);
  const bytes = await boundedBytes(response.body, maxBytes);
  if (!bytes) throw unusableDocument(`it has more than ${maxBytes} bytes`);
  const { headers } = response;
  const document = await objectIn(new Response(bytes, { headers }));
  if (!document) throw unusableDocument("it is not a JSON object of the type application/json");
  return {
    document,
    maxAgeMs: maxAgeOf(headers.get("cache-control")),
  };
}

function maxAgeOf(header: string | null): number {
  if (header !== null && /(?:^|[\s,])no-(?:store|cache)/i.test(header)) return leastMs;
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header ?? "") ?? [];
  return Math.min(Math.max(Number(seconds ?? 3600) * 1000, leastMs), mostMs);
}
