import { calculatePKCECodeChallenge } from "oauth4webapi";
import { accessSeconds, issueAccessToken } from "./access-token.js";
import type { Client } from "./client.js";
import { authenticatedClient } from "./client-authentication.js";
import { type Code, type Grant, type StoredGrant, changeGrant, readGrant, revokeGrant } from "./grants.js";
import { numericDate, sameText } from "../shared/encoding.js";
import type { Settings } from "./options.js";
import type { Proxy } from "./proxy.js";
import { isResource } from "./redirects.js";
import { type ReadToken, isRefreshToken, readRefreshToken, refreshToken } from "./refresh-token.js";
import { type Parameters, formOf } from "./requests.js";
import { Refused, jsonResponse } from "./responses.js";

/** The token endpoint. @throws {Refused} */
export async function token(proxy: Proxy, request: Request): Promise<Response> {
  const { settings } = proxy;
  const form = await formOf(request);
  const grantType = form.get("grant_type");
  const isCode = grantType === "authorization_code";
  const code = isCode ? await settings.keys.open("code", form.get("code") ?? "") : undefined;
  const read = isCode ? (code as Code | undefined) : readRefreshToken(form.get("refresh_token") ?? "");
  const stored = read && (await readGrant(settings, read.grant));
  const isOwner = async (id: string): Promise<boolean> => stored?.grant.client === id;
  const client = await authenticatedClient(proxy, request, form, isOwner);
  if (grantType === undefined) throw new Refused("invalid_request", "grant_type is missing");
  if (!isCode && grantType !== "refresh_token")
    throw new Refused("unsupported_grant_type", "grant_type must be authorization_code or refresh_token");
  if (!read || !stored) throw invalidGrant(isCode ? "The code is not valid" : refreshFault);
  const asked = { client, form, stored };
  return "challenge" in read ? redeem(proxy, read, asked) : refresh(proxy, read, asked);
}

/** A token request for a login. */
interface Asked {
  readonly client: Client | undefined;
  readonly form: Parameters;
  readonly stored: StoredGrant;
}

/**
 * Exchanges a code. After a mistake of the right client, the code stays valid. A second use, or a use by another client,
 * means that the code was stolen, and ends the login.
 */
async function redeem(proxy: Proxy, code: Code, { client, form, stored }: Asked): Promise<Response> {
  const { settings } = proxy;
  const { grant } = stored;
  if (grant.redeemed || grant.client !== client?.id) {
    await revokeGrant(proxy, stored.id, grant.redeemed ? "code used twice" : "code of another client");
    throw invalidGrant("The code is not valid");
  }
  if (code.expires <= numericDate()) throw invalidGrant("The code has expired");
  if ((form.get("redirect_uri") ?? code.redirectUri) !== code.redirectUri)
    throw invalidGrant("The redirect_uri is not that of the authorization request");
  const verifier = form.get("code_verifier") ?? "";
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw invalidGrant("The code_verifier is missing or malformed");
  if (!sameText(await calculatePKCECodeChallenge(verifier), code.challenge))
    throw invalidGrant("The code_verifier does not match");
  checkResource(grant, form);
  const scopes = narrowed(grant.scopes, form, false);
  const redeemed = await changeGrant(settings, stored.id, (current) =>
    current.redeemed ? undefined : { ...current, redeemed: true, expires: expiryOf(settings, current) },
  );
  if (redeemed) {
    proxy.unredeemed.delete(stored.id);
    return tokens(settings, redeemed, scopes, 0);
  }
  await revokeGrant(proxy, stored.id, "code used twice");
  throw invalidGrant("The code is not valid");
}

/** Seconds after the first use of a refresh token in which it returns the same successor again. */
const graceSeconds = 30;

/**
 * Rotates a refresh token (OAuth 2.1, 4.3.1; RFC 9700, 4.14.2). Because an answer can be lost, a token returns the same
 * successor again for some seconds after its first use, until the successor is used. A later use means that the token was
 * stolen, and ends the login.
 */
async function refresh(proxy: Proxy, read: ReadToken, { client, form, stored }: Asked): Promise<Response> {
  const { settings } = proxy;
  if (stored.grant.client !== client?.id || !(await isRefreshToken(settings, read, stored.grant)))
    throw invalidGrant(refreshFault);
  checkResource(stored.grant, form);
  const scopes = narrowed(stored.grant.scopes, form, true);
  const rotated = await changeGrant(settings, read.grant, (current) => {
    const now = numericDate();
    if (read.number === current.used) return now - current.usedAt <= graceSeconds ? current : undefined;
    if (read.number !== current.used + 1) return undefined;
    return { ...current, used: read.number, usedAt: now, expires: expiryOf(settings, current) };
  });
  if (rotated) {
    settings.emit({ type: "refreshed", client: client.name });
    return tokens(settings, rotated, scopes, read.number + 1);
  }
  await revokeGrant(proxy, read.grant, "refresh token used again");
  throw invalidGrant(refreshFault);
}

function expiryOf({ refreshSeconds }: Settings, { refreshes }: Grant): number {
  return numericDate() + (refreshes ? refreshSeconds : accessSeconds);
}

/** @param number of the refresh token in the answer */
async function tokens(
  settings: Settings,
  { id, grant }: StoredGrant,
  scopes: readonly string[],
  number: number,
): Promise<Response> {
  return jsonResponse({
    access_token: await issueAccessToken(settings, id, grant, scopes),
    token_type: "Bearer",
    expires_in: accessSeconds,
    scope: scopes.join(" "),
    ...(grant.refreshes && { refresh_token: await refreshToken(settings, id, number, grant) }),
  });
}

function checkResource(grant: Grant, form: Parameters): void {
  if (form.all("resource").some((resource) => !isResource(resource, grant.resource)))
    throw new Refused("invalid_target", "The login is for another resource");
}

/** Returns the scopes of the answer: never more than the user has allowed. */
function narrowed(granted: readonly string[], form: Parameters, isStrict: boolean): readonly string[] {
  const asked = form.get("scope")?.split(" ");
  if (!asked) return granted;
  const scopes = granted.filter((scope) => asked.includes(scope));
  if (scopes.length === 0 || (isStrict && asked.some((scope) => !granted.includes(scope))))
    throw new Refused("invalid_scope", "The user did not allow a scope");
  return scopes;
}

const refreshFault = "The refresh token is not valid";

function invalidGrant(what: string): Refused {
  return new Refused("invalid_grant", what);
}
