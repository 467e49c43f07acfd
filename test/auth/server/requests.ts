import { expect } from "vitest";
import {
  type AuthDenial,
  type AuthPrincipal,
  type AuthRequest,
  type ResourceServer,
  type ResourceServerOptions,
  jwks,
  resourceServer,
} from "@mcpgen/auth/server";
import type { AuthorizationServer } from "../../support/auth/authorization-server.js";
import { minted, shown } from "../../support/auth/secrets.js";

export const resource = "https://api.example.com/mcp";

export const metadataUrl = "https://api.example.com/.well-known/oauth-protected-resource/mcp";

/** A resource server for the tokens of a fixture. */
export function guardOf(as: AuthorizationServer, more: Partial<ResourceServerOptions> = {}): ResourceServer {
  return resourceServer({ resource, issuers: [jwks(as.issuer)], ...more });
}

/** A request as the HTTP server passes it on. */
export function request(
  headers: Readonly<Record<string, string>> = {},
  method = "POST",
  url = resource,
): AuthRequest {
  return { method, url, header: (name) => headers[name] };
}

export function bearer(token: string): AuthRequest {
  return request({ authorization: `Bearer ${token}` });
}

/** The caller whom a token identifies. */
export async function callerOf(guard: ResourceServer, token: string): Promise<AuthPrincipal> {
  const found = shown(await guard.http.authenticate(bearer(minted(token))));
  if ("status" in found) throw new Error(`refused with ${found.status}: ${found.text}`);
  return found;
}

/** The answer that refuses a request. */
export async function denialOf(guard: ResourceServer, given: AuthRequest | string): Promise<AuthDenial> {
  const found = shown(await guard.http.authenticate(typeof given === "string" ? bearer(given) : given));
  if (!("status" in found)) throw new Error("not refused");
  return found;
}

/** Expects 401 with the error of an invalid token. */
export async function expectRefused(guard: ResourceServer, token: string, why?: RegExp): Promise<void> {
  const { status, headers, text } = await denialOf(guard, token);
  expect({ status, text }).toMatchObject({ status: 401 });
  expect(headers["www-authenticate"]).toContain('error="invalid_token"');
  if (why) expect(text).toMatch(why);
}

/** Claims that are accepted; a member that is `undefined` is left out. */
export function claimsFor(
  as: AuthorizationServer,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: as.issuer,
    sub: "user-1",
    client_id: "client-1",
    aud: resource,
    iat: now,
    exp: now + 600,
    ...more,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
