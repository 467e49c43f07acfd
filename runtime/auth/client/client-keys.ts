import type { CryptoKey, PrivateKey } from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import type { ClientKey } from "./options.js";

/** How the platform names the algorithms that clients sign with. */
const algorithms: Readonly<Record<string, Parameters<typeof crypto.subtle.importKey>[2]>> = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  Ed25519: { name: "Ed25519" },
  EdDSA: { name: "Ed25519" },
};

/**
 * The private key of a client.
 *
 * @throws {AuthError} `auth-options`: it cannot be read; the text holds nothing of the key
 */
export async function importKey({ pem, jwk, alg, kid }: ClientKey): Promise<PrivateKey> {
  const name = alg ?? (jwk?.["alg"] as string | undefined) ?? "ES256";
  const algorithm = algorithms[name];
  try {
    if (!algorithm || (pem === undefined) === (jwk === undefined)) throw new Error("unusable");
    const key = (await (jwk
      ? crypto.subtle.importKey("jwk", { ...(jwk as object), key_ops: ["sign"] }, algorithm, false, ["sign"])
      : crypto.subtle.importKey("pkcs8", bytesOf(pem!), algorithm, false, ["sign"]))) as CryptoKey;
    const id = kid ?? (jwk?.["kid"] as string | undefined);
    return id === undefined ? { key } : { key, kid: id };
  } catch {
    throw new AuthError(
      "auth-options",
      `client.key: expected a private key as pem (PKCS #8) or jwk, of one of ${Object.keys(algorithms).join(", ")}`,
    );
  }
}

function bytesOf(pem: string): Uint8Array<ArrayBuffer> {
  const text = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem)![1]!;
  return Uint8Array.from(atob(text.replace(/\s/g, "")), (char) => char.charCodeAt(0));
}
