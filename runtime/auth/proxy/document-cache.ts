import { boundedBytes } from "../shared/bounded-bytes.js";
import { AuthError } from "../shared/errors.js";
import type { Fetch } from "../shared/guarded-fetch.js";
import type { ClientDocuments } from "./client-documents.js";

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
    throw error instanceof AuthError ? error : unusable("it cannot be fetched");
  });
  if (response.status !== 200) throw unusable(`the answer has status ${response.status}`);
  const bytes = await boundedBytes(response.body, maxBytes);
  if (!bytes) throw unusable(`it has more than ${maxBytes} bytes`);
  return {
    document: parsed(new TextDecoder().decode(bytes)),
    maxAgeMs: maxAgeOf(response.headers.get("cache-control")),
  };
}

function parsed(text: string): Document {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Document;
  } catch {
    // Handled below.
  }
  throw unusable("it is not a JSON object");
}

function maxAgeOf(header: string | null): number {
  if (header !== null && /(?:^|[\s,])no-(?:store|cache)/i.test(header)) return leastMs;
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header ?? "") ?? [];
  return Math.min(Math.max(Number(seconds ?? 3600) * 1000, leastMs), mostMs);
}

function unusable(what: string): AuthError {
  return new AuthError(
    "auth-metadata-invalid",
    `The metadata document of the client cannot be used: ${what}. Correct the document at the client_id.`,
  );
}
