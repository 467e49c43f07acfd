import { AuthError } from "../shared/errors.js";
import { boundedBytes } from "../shared/bounded-bytes.js";
import { endpointUrl, isPublicName, issuerText, metadataPlaces } from "../shared/urls.js";
import { jsonObject } from "../shared/json-object.js";

/** Maximum size of a document of an issuer in bytes. */
const mostBytes = 65_536;

/** Maximum time for an answer of an issuer, including the body, in milliseconds. */
const mostMs = 5000;

/** Sends requests to issuers: `fetch`, or a function that also checks addresses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Whether a URL is https, or http to this machine, and has no user, password or fragment. */
export const isSafeUrl = (text: unknown): text is string => endpointUrl(text, true) !== undefined;

/**
 * Sends a request to an issuer. Follows no redirects, and limits time and size.
 *
 * @throws {AuthError} `auth-unavailable`: no response in time, or a response that is too large
 */
export async function boundedFetch(send: Fetch, url: string, init: RequestInit): Promise<Response> {
  if (!isSafeUrl(url)) throw unavailable("a URL of the issuer is not https");
  try {
    const signal = AbortSignal.timeout(mostMs);
    const response = await send(url, { ...init, redirect: "manual", signal });
    // A redirect may lead to another host.
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      throw unavailable("the issuer redirected");
    const body = await boundedBytes(response.body, mostBytes);
    if (!body) throw unavailable(`the answer of the issuer is longer than ${mostBytes} bytes`);
    const { status, headers } = response;
    return new Response(status === 204 ? null : body, { status, headers });
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw unavailable("the issuer does not answer", error);
  }
}

/**
 * Reads a JSON object of an issuer.
 *
 * @throws {AuthError} `auth-unavailable`
 */
export async function fetchObject(send: Fetch, url: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await boundedFetch(send, url, { headers: { accept: "application/json" } });
  const { status } = response;
  if (status !== 200) throw unavailable(`the issuer answered with status ${status}`);
  const found = jsonObject(await response.text());
  if (!found) throw unavailable("the issuer answered with no JSON object");
  return found;
}

/**
 * Reads the metadata of an issuer. Refuses a document that names another issuer.
 *
 * @throws {AuthError} `auth-unavailable`
 */
export async function issuerMetadata(
  send: Fetch,
  issuer: string,
): Promise<Readonly<Record<string, unknown>>> {
  let last: unknown;
  for (const url of metadataPlaces(issuer)) {
    try {
      const metadata = await fetchObject(send, url);
      // Issuers are compared as text (RFC 8414, 3.3).
      if (metadata["issuer"] === issuer) return metadata;
      last = unavailable(
        `the metadata of the issuer ${issuerText(issuer)} names another issuer, ${issuerText(metadata["issuer"])}`,
      );
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/**
 * Returns the URL of an endpoint of an issuer. Metadata must not lead requests into this server's network, so the host
 * must be a public name, or the issuer's host in the options.
 *
 * @throws {AuthError} `auth-unavailable`: the metadata has no acceptable URL
 */
export async function issuerEndpoint(send: Fetch, issuer: string, member: string): Promise<string> {
  const url = (await issuerMetadata(send, issuer))[member];
  if (isSafeUrl(url)) {
    const { hostname, protocol } = new URL(url);
    if (hostname === new URL(issuer).hostname || (protocol === "https:" && isPublicName(hostname)))
      return url;
  }
  throw unavailable(`the metadata of the issuer has no safe ${member}; give it in the options`);
}

/** Milliseconds for which an endpoint from metadata, or a failure to read it, is cached. */
const knownMs = 600_000;
const failedMs = 5000;

/**
 * An endpoint of an issuer, read from its metadata. Concurrent calls share one read; after a failure, there is a pause.
 */
export class IssuerEndpoint {
  readonly #read: () => Promise<string>;
  #found: Promise<string> | undefined;
  #until = Infinity;

  /** @param given the endpoint, if it is in the options */
  constructor(send: Fetch, issuer: string, member: string, given: string | undefined) {
    this.#read = () => (given === undefined ? issuerEndpoint(send, issuer, member) : Promise.resolve(given));
  }

  /** @throws {AuthError} `auth-unavailable` */
  url(): Promise<string> {
    if (this.#found && Date.now() < this.#until) return this.#found;
    const lasts = (ms: number) => (): void => void (this.#until = Date.now() + ms);
    this.#until = Infinity;
    this.#found = this.#read();
    this.#found.then(lasts(knownMs), lasts(failedMs));
    return this.#found;
  }
}

export function unavailable(why: string, cause?: unknown): AuthError {
  return new AuthError("auth-unavailable", `tokens cannot be verified now: ${why}`, { cause });
}
