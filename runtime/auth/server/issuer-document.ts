import { AuthError } from "../shared/errors.js";
import { boundedBytes } from "../shared/bounded-bytes.js";
import { endpointUrl, isPublicName, issuerText, metadataPlaces } from "../shared/urls.js";
import { jsonObject } from "../shared/json-object.js";
import { checkTexts, wrongOption } from "../shared/option-check.js";

/** Bytes of the longest document that is read from an issuer. */
const mostBytes = 65_536;

/** Milliseconds that an issuer has to answer, body included. */
const mostMs = 5000;

/** The function that sends requests to issuers: `fetch`, or one that also guards addresses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Whether a URL is https, or http to this machine, without user, password and fragment. */
export const isSafeUrl = (text: unknown): text is string => endpointUrl(text, true) !== undefined;

/** @throws {AuthError} `auth-options`: the value is no https URL */
export function checkUrl(value: unknown, name: string): asserts value is string {
  if (!isSafeUrl(value) || /[\s|]/.test(value))
    throw wrongOption(
      name,
      "expected an https URL without user, password and fragment; http only for this machine",
    );
}

/** @throws {AuthError} `auth-options`: the value is no issuer identifier (RFC 8414, 2) */
export function checkIssuer(value: unknown, name: string): asserts value is string {
  checkUrl(value, name);
  if (value.includes("?")) throw wrongOption(name, "expected an issuer, which has no query (RFC 8414, 2)");
}

/** @throws {AuthError} `auth-options`: the value is no list of issuer identifiers, or empty */
export function checkIssuers(value: unknown, name: string): asserts value is readonly string[] {
  checkTexts(value, name);
  for (const each of value) checkIssuer(each, name);
}

/**
 * Sends a request to an issuer: no redirect is followed, and time and bytes are bounded.
 *
 * @throws {AuthError} `auth-unavailable`: there is no response of that size in time
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
 * Reads the metadata of an issuer. A document that names another issuer is not used.
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
      // Compared as it stands (RFC 8414, 3.3).
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
 * The URL of an endpoint of an issuer. Metadata must not lead requests into the network of this server: beside the host of the
 * issuer, which the options name, only public names are taken.
 *
 * @throws {AuthError} `auth-unavailable`: the metadata has no such URL
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

/** Milliseconds that an endpoint of the metadata is used, and that a failure to read them counts. */
const knownMs = 600_000;
const failedMs = 5000;

/** An endpoint of an issuer, read from its metadata: once at a time, and not again for a short time after a failure. */
export class IssuerEndpoint {
  readonly #read: () => Promise<string>;
  #found: Promise<string> | undefined;
  #until = Infinity;

  /** @param given the endpoint, if the options name it */
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
