import { boundedBytes } from "./bounded-bytes.js";
import { AuthError, isUnavailable } from "./errors.js";
import { jsonObject } from "./json-object.js";
import type { Fetch } from "./pinned-fetch.js";
import { endpointUrl, hostOf } from "./urls.js";

/** Bounds of a request to a server that another server named. */
export interface Guard {
  /** Gets URLs whose addresses are all public. Default: connections to the internet alone, see `pinnedFetch`. */
  readonly fetch?: Fetch | undefined;
  /** Accepts addresses of private networks. */
  readonly privateNetwork?: boolean | undefined;
  /** Accepts `http:` to this machine. */
  readonly local: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the body is read. Default: 5,000. */
  readonly timeout?: number;
}

/** Bytes of a body at most. */
const longestBody = 65_536;

/** The headers that callers need; the platform's parsers get no other. */
const kept = ["content-type", "dpop-nonce", "cache-control"];

/**
 * Sends a request without following redirects, and reads at most 64 KB of the answer in five seconds.
 *
 * @throws {AuthError} `auth-metadata-unsafe`: the URL, a redirect, the size. `auth-unavailable`: no answer in time
 */
export async function guardedFetch(url: string, init: RequestInit, guard: Guard): Promise<Response> {
  const { local, signal, timeout = 5000 } = guard;
  if (!endpointUrl(url, local)) {
    const text = `${hostOf(url)}: authorization needs a URL with https`;
    throw new AuthError("auth-metadata-unsafe", text);
  }
  const fetch = await fetchOf(guard);
  const limits = [AbortSignal.timeout(timeout), ...(signal ? [signal] : [])];
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.any(limits) });
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
    // Bytes, for a text would set a content type.
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

/** Why there is no connection, as this machine says it: a refusal, a name without addresses, a proxy that opens no tunnel. */
function connectionFault(error: unknown): NodeJS.ErrnoException | undefined {
  const failure = ((error as { readonly cause?: unknown }).cause ?? error) as NodeJS.ErrnoException;
  return /^(connect|getaddrinfo)$/.test(String(failure.syscall)) ? failure : undefined;
}

let standard: Fetch | undefined;

/** What sends the requests. A `fetch` of the application does not switch the guard off: `privateNetwork` does. */
async function fetchOf({ fetch: given, privateNetwork, local }: Guard): Promise<Fetch> {
  if (privateNetwork) return given ?? globalThis.fetch;
  const { judgedFetch, pinnedFetch } = await import("./pinned-fetch.js");
  return given ? judgedFetch(given, local) : (standard ??= pinnedFetch(true));
}

/**
 * The JSON object that a response holds; `undefined` if its body is another, or its content type is not JSON. A document
 * without content type counts as JSON.
 */
export async function objectIn(response: Response): Promise<Readonly<Record<string, unknown>> | undefined> {
  const type = response.headers.get("content-type") ?? "application/json";
  const isJson = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type);
  return isJson ? jsonObject(await response.text()) : undefined;
}

/**
 * Whether the status of an answer is about the moment, not about what was asked: too many requests, too slow, a fault of the
 * server (RFC 6585, 4; RFC 9110, 15.5.9 and 15.6; RFC 8470, 5.2). It decides nothing, whatever the body says.
 */
export function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408 || status === 425;
}

/** The error of an answer that decides nothing: see `isPassing`. @param answer its status, or the code of its error */
export function passingError(url: string, answer: number | string): AuthError {
  return new AuthError("auth-unavailable", `${hostOf(url)} answered ${answer}; try again later`);
}

/**
 * The JSON object at a URL; `undefined` if the server has none there (4xx).
 *
 * @throws {AuthError} as `guardedFetch`; `auth-unavailable`: an answer that decides nothing; `auth-metadata-invalid`: another one
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

/** A document, and the place where it was found. */
export interface FoundDocument {
  readonly place: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** How documents are looked for: see `firstDocument`. */
export interface Search {
  readonly isHint?: (place: string) => boolean;
  readonly check?: (document: FoundDocument["document"]) => void;
  readonly missed?: (place: string, fault?: AuthError) => void;
}

/**
 * The first document of several places. One with an unusable answer, such as a page or a redirect, counts as one without a
 * document; one that cannot answer now ends the search, because the next one may hold another document.
 *
 * @param isHint whether another party named a place: nothing that is wrong with it ends the search
 * @param check judges the document of a hint; throws an `AuthError` if it is unusable
 * @param missed gets each place without a document, and why it is unusable
 * @returns `undefined` if there is a document nowhere
 * @throws {AuthError} the first fault of a place, if there is a document nowhere
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
