import type { createHash, hash } from "node:crypto";

/** Encodes bytes as base64url without padding. */
export function base64Url(bytes: ArrayBuffer | Uint8Array): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** Decodes base64 or base64url. @throws {Error} the text is neither */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
}

/** Returns the SHA-256 digest of a text in base64url. */
export async function sha256(text: string): Promise<string> {
  return base64Url(await crypto.subtle.digest("SHA-256", bytesOf(text)));
}

interface NodeCrypto {
  readonly createHash: typeof createHash;
  readonly hash?: typeof hash;
}

/** Node's crypto module, found at run time, so that this module also loads on other platforms. */
const node = /* @__PURE__ */ (() => {
  type Host = { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } };
  return (globalThis as Host).process?.getBuiltinModule?.("node:crypto");
})();

/**
 * Returns the SHA-256 digest of a text in base64url. Synchronous if the platform allows it, so that a cached token
 * costs no turn of the event loop.
 */
export function digestOf(text: string): string | Promise<string> {
  if (node?.hash) return node.hash("sha256", text, "base64url");
  if (node) return node.createHash("sha256").update(text).digest("base64url");
  return sha256(text);
}

/** Returns the time as tokens have it: seconds since 1970 (RFC 7519, NumericDate). */
export const numericDate = (): number => Math.floor(Date.now() / 1000);

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Returns random bytes in base64url. @param bytes their number */
export function randomText(bytes: number): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Compares two texts in a time that depends only on their lengths. */
export function sameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
