import { type CryptoKey, type JSONWebKeySet, type JWK, SignJWT, exportJWK, generateKeyPair } from "jose";
import type { JWTPayload } from "jose";
import { minted } from "./secrets.js";

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** Keys that sign tokens, with the set of their public keys. */
export class SigningKeys {
  private keys: SigningKey[] = [];
  private readonly made: number[] = [];

  static async create(...algorithms: readonly string[]): Promise<SigningKeys> {
    const keys = new SigningKeys();
    for (const alg of algorithms) await keys.add(alg);
    return keys;
  }

  /** Adds a key. From now on it is the signing key for its algorithm. */
  async add(alg: string): Promise<string> {
    const kid = `key-${this.made.push(0)}`;
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    minted((await exportJWK(privateKey)).d);
    this.keys.unshift({
      kid,
      alg,
      privateKey,
      publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" },
    });
    return kid;
  }

  remove(kid: string): void {
    this.keys = this.keys.filter((key) => key.kid !== kid);
  }

  jwks(): JSONWebKeySet {
    return { keys: this.keys.map(({ publicJwk }) => publicJwk) };
  }

  /** The private key that signs with an algorithm. */
  privateKey(alg: string): CryptoKey {
    return this.of(alg).privateKey;
  }

  sign(claims: JWTPayload, header: { readonly typ?: string; readonly alg: string }): Promise<string> {
    const { kid, privateKey } = this.of(header.alg);
    return new SignJWT(claims).setProtectedHeader({ ...header, kid }).sign(privateKey);
  }

  private of(alg: string): SigningKey {
    const key = this.keys.find((each) => each.alg === alg);
    if (!key) throw new Error(`there is no key for ${alg}`);
    return key;
  }
}
