import type { CryptoKey, JWK } from "jose";
import { base64Url, bytesOf, fromBase64Url, sameText } from "../shared/encoding.js";

/** The purpose of an encrypted text. The text does not decrypt for any other purpose. */
export type Purpose = "client" | "request" | "browser" | "login" | "approvals" | "code" | "grant";

/** The keys derived from one secret of the option `keys`. */
export interface Key {
  /** Identifies the key in its texts. Reveals nothing about the secret. */
  readonly id: string;
  readonly aes: CryptoKey;
  readonly hmac: CryptoKey;
  readonly signing: CryptoKey;
  readonly verifying: CryptoKey;
  readonly publicJwk: JWK;
}

/** The group order of P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** The start of a P-256 private key in PKCS #8, up to its scalar, without the public key. */
const pkcs8Head = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420";
/** Maximum length of an encrypted text from a client. */
const maxSealed = 8192;

/**
 * The keys of a proxy. The first key encrypts and signs; all keys decrypt and verify. Nodes with the same secrets have
 * the same keys, so that any node can continue a login that another one began.
 */
export class Keys {
  private readonly derived: Promise<readonly Key[]>;

  constructor(secrets: readonly string[]) {
    this.derived = Promise.all(secrets.map(deriveKey));
    // An error is thrown when the keys are used: this rejection must not count as unhandled.
    this.derived.catch(() => undefined);
  }

  all(): Promise<readonly Key[]> {
    return this.derived;
  }

  async newest(): Promise<Key> {
    return (await this.derived)[0]!;
  }

  async byId(id: string): Promise<Key | undefined> {
    return (await this.derived).find((key) => key.id === id);
  }

  /**
   * Encrypts a JSON value (AES-256-GCM).
   *
   * @param place the key of the record that will contain the text, if it must not decrypt anywhere else
   */
  async seal(purpose: Purpose, value: unknown, place = ""): Promise<string> {
    const { id, aes } = await this.newest();
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const algorithm = { name: "AES-GCM", iv, additionalData: boundTo(purpose, place) };
    const sealed = await crypto.subtle.encrypt(algorithm, aes, bytesOf(JSON.stringify(value)));
    return `${id}.${base64Url(iv)}${base64Url(sealed)}`;
  }

  /** Decrypts a value that `seal` encrypted for the same purpose and place; `undefined` for any other text. */
  async open(purpose: Purpose, text: string, place = ""): Promise<unknown> {
    // Grants come only from the store. Their size depends on the upstream's tokens, so it has no limit.
    const isTooLong = text.length > maxSealed && purpose !== "grant";
    const [, id = "", iv = "", sealed = ""] = (isTooLong ? null : sealedForm.exec(text)) ?? [];
    const key = await this.byId(id);
    if (!key) return undefined;
    try {
      const algorithm = { name: "AES-GCM", iv: fromBase64Url(iv), additionalData: boundTo(purpose, place) };
      const opened = await crypto.subtle.decrypt(algorithm, key.aes, fromBase64Url(sealed));
      return JSON.parse(new TextDecoder().decode(opened)) as unknown;
    } catch {
      return undefined;
    }
  }

  /** Computes a message authentication code. @param keyId default: the newest key */
  async mac(purpose: string, text: string, keyId?: string): Promise<string | undefined> {
    const key = keyId === undefined ? await this.newest() : await this.byId(keyId);
    if (!key) return undefined;
    const mac = await crypto.subtle.sign("HMAC", key.hmac, bytesOf(`${purpose}\n${text}`));
    return `${key.id}.${base64Url(mac)}`;
  }

  async isMac(purpose: string, text: string, mac: string): Promise<boolean> {
    const expected = await this.mac(purpose, text, mac.slice(0, mac.indexOf(".")));
    return expected !== undefined && sameText(expected, mac);
  }
}

/** Unambiguous, because no purpose contains a line feed. */
const boundTo = (purpose: Purpose, place: string): Uint8Array<ArrayBuffer> => bytesOf(`${purpose}\n${place}`);

const sealedForm = /^([\w-]{8})\.([\w-]{16})([\w-]+)$/;

async function deriveKey(secret: string): Promise<Key> {
  const base = await crypto.subtle.importKey("raw", bytesOf(secret), "HKDF", false, ["deriveBits"]);
  const derive = async (info: string, length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const salt = bytesOf("@mcpgen/auth proxy 1");
    const algorithm = { name: "HKDF", hash: "SHA-256", salt, info: bytesOf(info) };
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, base, length * 8));
  };
  const [id, aes, hmac, scalar] = await Promise.all([
    derive("id", 6),
    derive("seal", 32),
    derive("mac", 32),
    derive("sign", 48),
  ]);
  const mac = { name: "HMAC", hash: "SHA-256" };
  const pair = await signingKey(scalar);
  return {
    id: base64Url(id),
    aes: await crypto.subtle.importKey("raw", aes, "AES-GCM", false, ["encrypt", "decrypt"]),
    hmac: await crypto.subtle.importKey("raw", hmac, mac, false, ["sign"]),
    signing: pair.signing,
    verifying: pair.verifying,
    publicJwk: { ...pair.publicJwk, kid: base64Url(id), use: "sig", alg: "ES256" },
  };
}

/** Derives an ES256 key from 48 random bytes (FIPS 186-5, A.2.1). The platform computes the public key. */
async function signingKey(random: Uint8Array): Promise<Pick<Key, "signing" | "verifying" | "publicJwk">> {
  const scalar = (BigInt(`0x${hexOf(random)}`) % (order - 1n)) + 1n;
  const der = bytesOfHex(pkcs8Head + scalar.toString(16).padStart(64, "0"));
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const signing = await crypto.subtle.importKey("pkcs8", der, algorithm, true, ["sign"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", signing);
  const publicJwk = { kty: kty!, crv: crv!, x: x!, y: y! };
  const verifying = await crypto.subtle.importKey("jwk", publicJwk, algorithm, false, ["verify"]);
  return { signing, verifying, publicJwk };
}

function hexOf(data: Uint8Array): string {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
