import type { JWK } from "jose";
import { sha256 } from "../shared/base64url.js";

/** What names a public key, by its type, in the order of a thumbprint (RFC 7638, 3.2; RFC 8037, 2). */
const members: Readonly<Record<string, string[]>> = {
  EC: ["crv", "kty", "x", "y"],
  OKP: ["crv", "kty", "x"],
  RSA: ["e", "kty", "n"],
};

/**
 * The thumbprint of a public key, with SHA-256 (RFC 7638).
 *
 * @param jwk a key that the platform has imported
 */
export const thumbprintOf = (jwk: JWK): Promise<string> =>
  sha256(JSON.stringify(jwk, members[jwk.kty!] ?? []));
