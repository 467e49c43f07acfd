import type { StoredLogin } from "../../login/auth-package.js";

/** Facts of a stored login for programs: no secret. */
export function loginFacts(url: string, login: StoredLogin, store: string): Record<string, unknown> {
  const { issuer, resource, scopes, clientId, expires, refreshable } = login;
  return {
    ...{ server: url, issuer, resource, scopes, clientId, store, refreshable },
    ...(expires !== undefined && { expires: new Date(expires).toISOString() }),
  };
}

/** The same for people, as lines. */
export function loginText(url: string, login: StoredLogin, store: string, now: number): string {
  const { issuer, scopes, expires, refreshable } = login;
  const renewed = refreshable ? "; it is renewed by itself" : "";
  return [
    url,
    `  issuer:  ${issuer}`,
    `  scopes:  ${scopes.length > 0 ? scopes.join(" ") : "those that the server grants by default"}`,
    `  token:   ${expires === undefined ? "no expiry known" : expiryText(expires - now)}${renewed}`,
    `  kept in: ${store}`,
  ].join("\n");
}

function expiryText(ms: number): string {
  if (ms <= 0) return "expired";
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `expires in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `expires in ${hours} h` : `expires in ${Math.round(hours / 24)} days`;
}
