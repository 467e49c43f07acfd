import { boundedBytes } from "./bounded-bytes.js";
import { AuthError, isUnavailable } from "./errors.js";
import { jsonObject } from "./json-object.js";
import type { Fetch } from "./pinned-fetch.js";
import { timeLimit } from "./time-limit.js";
import { endpointUrl, hostOf } from "./urls.js";

/** Limits of a request to a server that another server has named. */
export interface Guard {
  /**
   * Sends the request, after all addresses of the host were found to be public. Default: connects only to the internet, see
   * `pinnedFetch`.
   */
  readonly fetch?: Fetch | undefined;
  /** Accepts addresses of private networks. */
  readonly privateNetwork?: boolean | undefined;
  /** Accepts `http:` to this machine. */
  readonly local: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Maximum time including the body, in milliseconds. Default: 5,000. */
  readonly timeout?: number;
}

/** Maximum size of a body in bytes. */
const longestBody = 65_536;

/** The response headers that are kept. No others reach the platform's parsers. */
const kept = ["content-type", "dpop-nonce", "cache-control"];

/**
 * Sends a request. Follows no redirects, and reads at most 64 KB of the answer, within five seconds.
 *
 * @throws {AuthError} `auth-metadata-unsafe`: because of the URL, a redirect, or the size. `auth-unavailable`: no answer in
 *   time
 */
export async function guardedFetch(url: string, init: RequestInit, guard: Guard): Promise<Response> {
  const { local, signal, timeout = 5000 } = guard;
  if (!endpointUrl(url, local)) {
    const text = `${hostOf(url)}: authorization needs a URL with https`;
    throw new AuthError("auth-metadata-unsafe", text);
  }
  const fetch = await fetchOf(guard);
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: timeLimit(timeout, signal),
    });
    const { status } = response;
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      throw new AuthError("auth-metadata-unsafe", `${hostOf(url)}: redirects are not followed`);
    }
    const headers = new Headers();
    for (const name of kept) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    // Pass bytes, because a string body would set a content type.
    const body = await boundedBytes(response.body, longestBody);
    if (!body) throw new AuthError("auth-metadata-unsafe", `${hostOf(url)}: the answer is longer than 64 KB`);
    return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
  } catch (error) {
    if (error instanceof AuthError) throw error;
    signal?.throwIfAborted();
    const cause = connectionFault(error);
    const why = cause ? `: ${cause.message || cause.code}` : `, or no answer within ${timeout} ms`;
    throw new AuthError("auth-unavailable", `${hostOf(url)}: no connection${why}`, { cause });
  }
}

/**
 * Returns the local system's error if there was no connection: refused, no address for the name, or no tunnel through the
 * proxy.
 */
function connectionFault(error: unknown): NodeJS.ErrnoException | undefined {
  const failure = ((error as { readonly cause?: unknown }).cause ?? error) as NodeJS.ErrnoException;
  return /^(connect|getaddrinfo)$/.test(String(failure.syscall)) ? failure : undefined;
}

let standard: Fetch | undefined;

/**
 * Returns the function that sends requests. A `fetch` of the application does not disable the check of addresses; only
 * `privateNetwork` does.
 */
async function fetchOf({ fetch: given, privateNetwork, local }: Guard): Promise<Fetch> {
  if (privateNetwork) return given ?? globalThis.fetch;
  const { judgedFetch, pinnedFetch } = await import("./pinned-fetch.js");
  return given ? judgedFetch(given, local) : (standard ??= pinnedFetch(true));
}

/**
 * Reads the JSON object in a response; `undefined` if the body is not a JSON object, or the content type is not JSON. A
 * missing content type counts as JSON.
 */
export async function objectIn(response: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  const type = response.headers.get("content-type") ?? "application/json";
  const isJson = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type);
  return isJson ? jsonObject(await response.text()) : undefined;
}

/**
 * Whether a status means a temporary error: too many requests, too slow, too early, or a fault of the server (RFC 6585, 4;
 * RFC 9110, 15.5.9 and 15.6; RFC 8470, 5.2). Such an answer decides nothing, regardless of its body.
 */
export function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408 || status === 425;
}

/** Makes the error for a temporary error: see `isPassing`. @param answer status, or code of the received error */
export function passingError(url: string, answer: number | string): AuthError {
  return new AuthError("auth-unavailable", `${hostOf(url)} answered ${answer}; try again later`);
}

/**
 * Fetches the JSON object at a URL; `undefined` if the server has none there (4xx).
 *
 * @throws {AuthError} as `guardedFetch`; `auth-unavailable`: a temporary error; `auth-metadata-invalid`: any other answer
 */
export async function fetchDocument(
  url: string,
  guard: Guard,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const response = await guardedFetch(url, { headers: { accept: "application/json", ...headers } }, guard);
  if (isPassing(response.status)) throw passingError(url, response.status);
  if (response.status >= 400 && response.status < 500) return undefined;
  const document = response.status === 200 ? await objectIn(response) : undefined;
  if (document) return document;
  throw new AuthError("auth-metadata-invalid", `${hostOf(url)}: expected metadata as a JSON object`);
}

/** A document, and the URL where it was found. */
export interface FoundDocument {
  readonly place: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Callbacks of `firstDocument`. */
export interface Search {
  readonly isHint?: (place: string) => boolean;
  readonly check?: (document: FoundDocument["document"]) => void;
  readonly missed?: (place: string, fault?: AuthError) => void;
}

/**
 * Fetches the first document among several URLs. A URL with an unusable answer, such as a page or a redirect, counts as one
 * without a document. A temporary error ends the search, because the next URL may have another document.
 *
 * @param isHint whether a URL is a hint of another party, whose errors never end the search
 * @param check checks the document of a hint; throws an `AuthError` if it is unusable
 * @param missed receives each URL without a usable document, with the error
 * @returns `undefined` if no URL has a document
 * @throws {AuthError} the first error, if no URL has a document
 */
export async function firstDocument(
  places: readonly string[],
  guard: Guard,
  { isHint, check, missed }: Search = {},
): Promise<FoundDocument | undefined> {
  let first: AuthError | undefined;
  for (const place of places) {
    try {
      const document = await fetchDocument(place, guard);
      if (document && isHint?.(place)) check?.(document);
      if (document) return { place, document };
      missed?.(place);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      missed?.(place, error);
      if (isUnavailable(error) && !isHint?.(place)) throw error;
      first ??= error;
    }
  }
  if (first) throw first;
  return undefined;
}
