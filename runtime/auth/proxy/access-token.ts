import { type CryptoKey, errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { numericDate, randomText } from "../shared/encoding.js";
import { type Grant, readGrant, type StoredGrant } from "./grants.js";
import type { Settings } from "./options.js";

/** Life of an access token in seconds. */
export const accessSeconds = 1800;

/** Issues an access token of the proxy: a JWT (RFC 9068) for one resource. It contains nothing of the upstream. */
export async function issueAccessToken(
  settings: Settings,
  grantId: string,
  grant: Grant,
  scopes: readonly string[],
): Promise<string> {
  const key = await settings.keys.newest();
  const now = numericDate();
  const claims = { client_id: grant.client, scope: scopes.join(" ") };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: key.id })
    .setIssuer(settings.issuer)
    .setSubject(grant.subject)
    .setAudience(grant.resource)
    .setIssuedAt(now)
    .setExpirationTime(now + accessSeconds)
    .setJti(`${grantId}.${randomText(9)}`)
    .sign(key.signing);
}

/** A verified access token, and its login. */
export interface VerifiedToken {
  readonly claims: JWTPayload;
  readonly stored: StoredGrant;
}

/**
 * Verifies an access token. Resolves with `undefined` if the token is expired, revoked, for another resource, or not
 * of this proxy.
 */
export async function verifyAccessToken(
  settings: Settings,
  token: string,
): Promise<VerifiedToken | undefined> {
  const claims = await claimsOf(settings, token);
  const [grantId = "", id = ""] = claims?.jti?.split(".") ?? [];
  if (!claims || grantId === "" || id === "") return undefined;
  const stored = await readGrant(settings, grantId);
  if (!stored || stored.grant.client !== claims["client_id"]) return undefined;
  return stored.grant.revoked.some(([revoked]) => revoked === id) ? undefined : { claims, stored };
}

async function claimsOf(settings: Settings, token: string): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, ({ kid = "" }) => keyOf(settings, kid), {
      algorithms: ["ES256"],
      typ: "at+jwt",
      issuer: settings.issuer,
      audience: [...settings.resources],
      requiredClaims: ["sub", "exp", "iat", "jti", "client_id"],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

async function keyOf(settings: Settings, id: string): Promise<CryptoKey> {
  const key = await settings.keys.byId(id);
  if (key) return key.verifying;
  throw new errors.JWKSNoMatchingKey();
}

/** Returns the public keys of the proxy. */
export async function jwksOf(settings: Settings) {
  return { keys: (await settings.keys.all()).map(({ publicJwk }) => publicJwk) };
}
