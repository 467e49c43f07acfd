import { numericDate } from "../shared/encoding.js";
import { verifyAccessToken } from "./access-token.js";
import { authenticatedClient } from "./client-authentication.js";
import { changeGrant, readGrant, revokeGrant } from "./grants.js";
import type { Proxy } from "./proxy.js";
import { isRefreshToken, readRefreshToken } from "./refresh-token.js";
import { formOf } from "./requests.js";
import { emptyResponse, Refused } from "./responses.js";

/**
 * The revocation endpoint (RFC 7009). Revoking a refresh token ends the login and its upstream tokens;
 * revoking an access token ends only that token. The answer for an invalid token, or a token of another
 * client, is the same as for a revoked one.
 *
 * @throws {Refused}
 */
export async function revoke(proxy: Proxy, request: Request): Promise<Response> {
  const { settings } = proxy;
  const form = await formOf(request);
  const token = form.get("token") ?? "";
  const read = readRefreshToken(token);
  const verified = read ? undefined : await verifyAccessToken(settings, token);
  const stored = read ? await readGrant(settings, read.grant) : verified?.stored;
  const isOwner = async (id: string): Promise<boolean> => stored?.grant.client === id;
  const client = await authenticatedClient(proxy, request, form, isOwner);
  if (token === "") throw new Refused("invalid_request", "token is missing");
  if (!client || stored?.grant.client !== client.id) return emptyResponse(200);
  if (verified) await revokeAccessToken(proxy, stored.id, verified.claims.jti!, verified.claims.exp!);
  else if (await isRefreshToken(settings, read!, stored.grant))
    await revokeGrant(proxy, stored.id, "revoked by the client");
  return emptyResponse(200);
}

/** Maximum number of revoked tokens of one login. Revoking more ends the login. */
const maxRevoked = 100;

async function revokeAccessToken(proxy: Proxy, grantId: string, jti: string, exp: number): Promise<void> {
  const { settings } = proxy;
  const id = jti.slice(grantId.length + 1);
  const changed = await changeGrant(settings, grantId, (grant) => {
    const others = grant.revoked.filter(([, expires]) => expires > numericDate());
    return others.length < maxRevoked ? { ...grant, revoked: [...others, [id, exp]] } : undefined;
  });
  if (!changed) await revokeGrant(proxy, grantId, "too many access tokens were revoked");
}
