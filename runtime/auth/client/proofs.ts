import * as oauth from "oauth4webapi";

/** Makes proofs of possession of one key (RFC 9449), for the token endpoint and the resource. */
export class Proofs {
  /** The library's handle for token requests; it stores nonces by server. */
  readonly handle: oauth.DPoPHandle;
  /** The private key as text, for the store. */
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

  /** @param stored the key of earlier proofs; if absent, makes a new key */
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

  /** Stores the nonce of a response. Returns whether it was a new one. */
  observe(headers: { get(name: string): string | null }): boolean {
    const nonce = headers.get("dpop-nonce");
    if (nonce === null || nonce.length > 1024 || nonce === this.#nonce) return false;
    this.#nonce = nonce;
    return true;
  }

  /** Returns the headers of one request with an access token. */
  async headers(method: string, url: string, token: string): Promise<Record<string, string>> {
    let sent: Record<string, string> = {};
    // The library can only send such a request. A custom `fetch` takes its headers.
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
