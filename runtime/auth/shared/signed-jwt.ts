import type { CryptoKey } from "jose";
import { base64Url } from "./base64url.js";

const prefixes: Readonly<Record<string, string>> = {
  ECDSA: "ES",
  "RSASSA-PKCS1-v1_5": "RS",
  "RSA-PSS": "PS",
};

/** How the platform names algorithms. */
interface KeyAlgorithm {
  readonly name: string;
  readonly namedCurve?: string;
  readonly hash?: { readonly name: string };
}

/** How a key signs: the name of its algorithm (RFC 7518, 3.1; RFC 9864), and the parameters of the platform. */
function signatureOf({ algorithm }: CryptoKey) {
  const { name, namedCurve, hash } = algorithm as KeyAlgorithm;
  const prefix = prefixes[name];
  if (prefix === undefined) return { alg: name, params: { name } };
  const size = (namedCurve ?? hash!.name).slice(-3);
  // P-521 goes with SHA-512.
  const bits = size === "521" ? 512 : Number(size);
  return { alg: prefix + bits, params: { name, hash: `SHA-${bits}`, saltLength: bits / 8 } };
}

/**
 * A JWT, signed with the private key of the application (RFC 7515).
 *
 * @param header without `alg`, which is that of the key
 */
export async function signedJwt(header: object, claims: object, key: CryptoKey): Promise<string> {
  const { alg, params } = signatureOf(key);
  const encoder = new TextEncoder();
  const text = [{ alg, ...header }, claims]
    .map((part) => base64Url(encoder.encode(JSON.stringify(part))))
    .join(".");
  return `${text}.${base64Url(await crypto.subtle.sign(params, key, encoder.encode(text)))}`;
}
