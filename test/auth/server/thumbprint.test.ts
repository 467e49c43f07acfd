import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import { expect, test } from "vitest";
import { thumbprintOf } from "../../../runtime/auth/server/thumbprint.js";

test.each(["ES256", "ES512", "EdDSA", "RS256"])("RFC 7638: the thumbprint of a key for %s", async (alg) => {
  const { publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  // What does not name the key does not count.
  expect(await thumbprintOf({ ...jwk, kid: "1", use: "sig" })).toBe(await calculateJwkThumbprint(jwk));
});

test("RFC 7638, 3.1: the example of the specification", async () => {
  const n =
    "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
  const jwk = { kty: "RSA", n, e: "AQAB", alg: "RS256", kid: "2011-04-29" };
  expect(await thumbprintOf(jwk)).toBe("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
});
