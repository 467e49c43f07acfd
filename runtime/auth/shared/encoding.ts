import type { createHash, hash } from "node:crypto";

/** Bytes in base64url, without padding. */
export function base64Url(bytes: ArrayBuffer | Uint8Array): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** The bytes that a text is in base64, also in base64url. @throws {Error} it is in neither */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
}

/** The SHA-256 digest of a text, in base64url. */
export async function sha256(text: string): Promise<string> {
  return base64Url(await crypto.subtle.digest("SHA-256", bytesOf(text)));
}

interface NodeCrypto {
  readonly createHash: typeof createHash;
  readonly hash?: typeof hash;
}

/** Node's own module, found at run time: so the module also loads on platforms that have none. */
const node = /* @__PURE__ */ (() => {
  type Host = { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } };
  return (globalThis as Host).process?.getBuiltinModule?.("node:crypto");
})();

/**
 * The SHA-256 digest of a text, in base64url. Synchronous where the platform has a function for it, so that a cached
 * token costs no turn of the event loop.
 */
export function digestOf(text: string): string | Promise<string> {
  if (node?.hash) return node.hash("sha256", text, "base64url");
  if (node) return node.createHash("sha256").update(text).digest("base64url");
  return sha256(text);
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** @param bytes number of random bytes */
export function randomText(bytes: number): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Compares two texts. The time depends on their lengths alone. */
export function sameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
