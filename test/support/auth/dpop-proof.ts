import { createHash, randomUUID } from "node:crypto";
import { EmbeddedJWK, calculateJwkThumbprint, jwtVerify } from "jose";

export class DPoPFault extends Error {
  /** The nonce that the next proof must contain. */
  readonly nonce: string | undefined;

  constructor(text: string, nonce?: string) {
    super(text);
    this.nonce = nonce;
  }
}

/**
 * Checks DPoP proofs (RFC 9449, 4.3). Accepts each `jti` once and, if nonces are required, each nonce once.
 */
export class DPoPProofs {
  private readonly seen = new Set<string>();
  private readonly nonces = new Set<string>();
  private readonly needsNonce: boolean;
  private readonly now: () => number;

  constructor(needsNonce: boolean, now: () => number) {
    this.needsNonce = needsNonce;
    this.now = now;
  }

  /** Makes a nonce that the next proof may contain. */
  nonce(): string {
    const nonce = randomUUID();
    this.nonces.add(nonce);
    return nonce;
  }

  /**
   * @param url without query and fragment
   * @param token the access token that is sent with the proof
   * @returns the thumbprint of the key
   */
  async verify(headers: Headers, method: string, url: string, token?: string): Promise<string> {
    const proof = headers.get("dpop");
    if (proof === null || proof.includes(",")) throw new DPoPFault("expected one DPoP header");
    const verified = await jwtVerify(proof, EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms: ["ES256", "RS256", "PS256", "EdDSA", "Ed25519"],
      clockTolerance: 5,
      currentDate: new Date(this.now()),
    }).catch((error: unknown) => {
      throw new DPoPFault(String(error));
    });
    const { payload, protectedHeader } = verified;
    if (payload["htm"] !== method) throw new DPoPFault(`htm is ${String(payload["htm"])}`);
    if (payload["htu"] !== url) throw new DPoPFault(`htu is ${String(payload["htu"])}, not ${url}`);
    if (Math.abs((payload.iat ?? 0) - this.now() / 1000) > 300) throw new DPoPFault("iat is too old");
    if (typeof payload.jti !== "string" || this.seen.has(payload.jti)) throw new DPoPFault("jti is used");
    this.seen.add(payload.jti);
    const hash = token === undefined ? undefined : createHash("sha256").update(token).digest("base64url");
    if (payload["ath"] !== hash) throw new DPoPFault("ath does not fit");
    if (this.needsNonce && !this.nonces.delete(String(payload["nonce"])))
      throw new DPoPFault("use_dpop_nonce", this.nonce());
    return calculateJwkThumbprint(protectedHeader.jwk!);
  }
}
