import { hash, hkdfSync, timingSafeEqual } from "node:crypto";

/** Length of a code in characters. The characters encode 72 bits. */
export const codeLength = 12;

/** Length of a key in bytes. In base64url, the key fills one block of SHA-256 (64 bytes). */
const keyBytes = 48;

/**
 * Short authentication codes of texts, which only processes with the secrets can make. A code is the SHA-256 of the key
 * followed by the SHA-256 of the text. The part after the key has a fixed length, which prevents length-extension attacks.
 * It takes half the time of `createHmac`, which makes an object for each text and hashes a long text again for each key.
 */
export class AuthenticationCodes {
  readonly #keys: readonly string[];

  /**
   * @param secrets the first one makes codes; codes by any of them are valid
   * @param purpose of the codes: a text has different codes for different purposes
   */
  constructor(secrets: readonly string[], purpose: string) {
    this.#keys = secrets.map((secret) =>
      Buffer.from(hkdfSync("sha256", secret, "", purpose, keyBytes)).toString("base64url"),
    );
  }

  codeOf(text: string): string {
    return codeOf(this.#keys[0]!, hash("sha256", text));
  }

  /** The index of the secret that made the code; -1 if none did. */
  secretOf(text: string, code: string): number {
    const hashed = hash("sha256", text);
    return this.#keys.findIndex((key) => isEqual(codeOf(key, hashed), code));
  }
}

function codeOf(key: string, hashed: string): string {
  return hash("sha256", key + hashed, "base64url").slice(0, codeLength);
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
