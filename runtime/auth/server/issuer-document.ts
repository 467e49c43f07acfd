import { AuthError } from "../shared/errors.js";
import { wrongOption } from "../shared/option-check.js";
import { isPublicName } from "../shared/public-name.js";
import { isLoopback } from "../shared/urls.js";

/** Bytes of the longest document that is read from an issuer. */
const mostBytes = 65_536;

/** Milliseconds that an issuer has to answer, body included. */
const mostMs = 5000;

/** The function that sends requests to issuers: `fetch`, or one that also guards addresses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Whether a URL is https, or http to this machine, without user, password and fragment. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "" || hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** @throws {AuthError} `auth-options`: the value is no https URL */
export function checkUrl(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string" || !isSafeUrl(value) || /[\s|#]/.test(value))
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
    const text = await boundedText(response);
    const { status, headers } = response;
    return new Response(status === 204 ? null : text, { status, headers });
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw unavailable("the issuer does not answer", error);
  }
}

/** Reads a body that has at most `mostBytes`. */
async function boundedText(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  if (!reader) return "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > mostBytes) {
      void reader.cancel().catch(() => undefined);
      throw unavailable(`the answer of the issuer is longer than ${mostBytes} bytes`);
    }
    pieces.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return new TextDecoder().decode(whole);
}

/**
 * Reads a JSON object of an issuer.
 *
 * @throws {AuthError} `auth-unavailable`
 */
export async function fetchObject(send: Fetch, url: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await boundedFetch(send, url, { headers: { accept: "application/json" } });
  if (response.status !== 200) throw unavailable(`the issuer answered with status ${response.status}`);
  let found: unknown;
  try {
    found = await response.json();
  } catch {
    throw unavailable("the issuer answered with no JSON");
  }
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw unavailable("the issuer answered with no JSON object");
  return found as Record<string, unknown>;
}

/** The locations of the metadata of an issuer, in order (2026-07-28, authorization server discovery). */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
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
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = await fetchObject(send, url);
      // Compared as it stands (RFC 8414, 3.3).
      if (metadata["issuer"] === issuer) return metadata;
      last = unavailable("the metadata names another issuer");
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
  if (typeof url === "string" && isSafeUrl(url)) {
    const { hostname, protocol } = new URL(url);
    if (hostname === new URL(issuer).hostname || (protocol === "https:" && isPublicName(hostname)))
      return url;
  }
  throw unavailable(`the metadata of the issuer has no safe ${member}; give it in the options`);
}

export function unavailable(why: string, cause?: unknown): AuthError {
  return new AuthError("auth-unavailable", `tokens cannot be verified now: ${why}`, { cause });
}
