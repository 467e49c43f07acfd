import * as oauth from "oauth4webapi";

/** Proofs of possession of one key (RFC 9449), for the token endpoint and for requests of the resource. */
export class Proofs {
  /** For requests of tokens; it remembers the nonces of their servers. */
  readonly handle: oauth.DPoPHandle;
  /** The private key as a text to store. */
  readonly key: string;
  readonly #resource: oauth.DPoPHandle;
  #nonce: string | undefined;

  private constructor(pair: oauth.CryptoKeyPair, key: string) {
    this.key = key;
    this.handle = oauth.DPoP({}, pair);
    this.#resource = oauth.DPoP({}, pair, {
      [oauth.modifyAssertion]: (_, claims) => {
        if (this.#nonce !== undefined) claims["nonce"] = this.#nonce;
      },
    });
  }

  /** @param stored the key of earlier proofs; without it, a new key is made */
  static async of(stored?: string): Promise<Proofs> {
    if (stored === undefined) {
      const pair = await oauth.generateKeyPair("ES256", { extractable: true });
      return new Proofs(pair, JSON.stringify(await crypto.subtle.exportKey("jwk", pair.privateKey)));
    }
    const jwk = JSON.parse(stored) as { kty: string; crv: string; x: string; y: string };
    const { kty, crv, x, y } = jwk;
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const [privateKey, publicKey] = await Promise.all([
      crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]),
      crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, true, ["verify"]),
    ]);
    return new Proofs({ privateKey, publicKey } as oauth.CryptoKeyPair, stored);
  }

  /** Remembers the nonce of a response; returns whether there was a new one. */
  observe(headers: { get(name: string): string | null }): boolean {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null || nonce.length > 1024 || nonce === this.#nonce) return false;
    this.#nonce = nonce;
    return true;
  }

  /** The headers of one request with an access token. */
  async headers(method: string, url: string, token: string): Promise<Record<string, string>> {
    let sent: Record<string, string> = {};
    // The library sends requests of the resource; only their headers are needed here.
    await oauth.protectedResourceRequest(token, method, new URL(url), undefined, undefined, {
      DPoP: this.#resource,
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (_, { headers }) => {
        sent = headers;
        return new Response();
      },
    });
    return { authorization: sent["authorization"]!, dpop: sent["dpop"]! };
  }
}
