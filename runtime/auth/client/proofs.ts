import type { CryptoKey } from "jose";
import { base64Url, sha256 } from "../shared/base64url.js";
import { signedJwt } from "../shared/signed-jwt.js";

interface PublicKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

/** Proofs of possession of one key (RFC 9449), for one server: the token endpoint, or the resource. */
export class Proofs {
  /** The private key as a text to store. */
  readonly key: string;
  readonly #private: CryptoKey;
  readonly #public: PublicKey;
  #nonce: string | undefined;

  private constructor(key: string, privateKey: CryptoKey, { kty, crv, x, y }: PublicKey) {
    this.key = key;
    this.#private = privateKey;
    this.#public = { kty, crv, x, y };
  }

  /** @param stored the key of earlier proofs; without it, a new key is made */
  static async of(stored?: string): Promise<Proofs> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const { subtle } = crypto;
    const made = stored === undefined && (await subtle.generateKey(algorithm, true, ["sign", "verify"]));
    const key = made ? JSON.stringify(await subtle.exportKey("jwk", made.privateKey)) : stored!;
    const jwk = JSON.parse(key) as PublicKey;
    return new Proofs(key, await subtle.importKey("jwk", jwk, algorithm, false, ["sign"]), jwk);
  }

  /** The thumbprint of the key (RFC 7638). */
  thumbprint(): Promise<string> {
    return sha256(JSON.stringify(this.#public, ["crv", "kty", "x", "y"]));
  }

  /** Remembers the nonce of a response; returns whether there was a new one. */
  observe(headers: { get(name: string): string | null }): boolean {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null || nonce.length > 1024 || nonce === this.#nonce) return false;
    this.#nonce = nonce;
    return true;
  }

  /** The proof of one request (RFC 9449, 4.2), with an access token where one is sent. */
  async proof(method: string, url: string, token?: string): Promise<string> {
    const { origin, pathname } = new URL(url);
    const claims = {
      jti: base64Url(crypto.getRandomValues(new Uint8Array(16))),
      htm: method,
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1000),
      ath: token === undefined ? undefined : await sha256(token),
      nonce: this.#nonce,
    };
    return signedJwt({ typ: "dpop+jwt", jwk: this.#public }, claims, this.#private);
  }

  /** The headers of one request with an access token. */
  async headers(method: string, url: string, token: string): Promise<Record<string, string>> {
    return { authorization: `DPoP ${token}`, dpop: await this.proof(method, url, token) };
  }
}
