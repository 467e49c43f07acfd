import { generateKeyPair, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { signedJwt } from "../../../runtime/auth/shared/signed-jwt.js";

const all = ["ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "Ed25519"];

test.each(all)("a JWT is signed with the algorithm of the key: %s", async (alg) => {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const jwt = await signedJwt({ typ: "dpop+jwt", kid: undefined }, { sub: "é" }, privateKey);
  const { payload, protectedHeader } = await jwtVerify(jwt, publicKey, { algorithms: [alg] });
  expect([payload, protectedHeader]).toEqual([{ sub: "é" }, { alg, typ: "dpop+jwt" }]);
});
