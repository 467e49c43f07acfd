import { SignJWT, exportJWK, generateKeyPair } from "jose";

/** The resource and the issuer of the token. */
export const resource = "https://api.example.com/mcp";
export const issuer = "https://auth.example.com";

/** Returns a token of the usual size, and the keys that verify it. */
export async function accessToken() {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "bench", alg: "ES256" };
  const claims = { client_id: "bench-client", scope: "mcp echo", roles: Array(20).fill("department") };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: "bench", typ: "at+jwt" })
    .setIssuer(issuer)
    .setAudience(resource)
    .setSubject("5f8f2c1e-9f0a-4a39-8d53-2b8f4d6c0a11")
    .setIssuedAt()
    .setExpirationTime("2h")
    .sign(privateKey);
  return { token, keys: { keys: [jwk] } };
}
