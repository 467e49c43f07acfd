import type { Guard } from "../shared/guarded-fetch.js";
import { revokeTokens } from "../shared/revocation.js";
import { isLoopback } from "../shared/urls.js";
import { checkDestination, isNamedIssuer } from "./destination.js";
import { discoverServer } from "./discovery.js";
import { type Grant, expiryOf } from "./grant.js";
import type { OAuthOptions } from "./options.js";
import { knownClient } from "./registration.js";
import { readGrant, readPointer, writeRecord } from "./records.js";
import { type TokenStore, storeKey } from "./store.js";
import { authentication, transport } from "./token-request.js";

/** Facts about a stored login, without its secrets. */
export interface StoredLogin {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** Expiry of the access token in milliseconds since 1970; absent if unknown. */
  readonly expires?: number;
  /** Whether tokens can be renewed without the user. */
  readonly refreshable: boolean;
}

/** The options of `oauth()` that identify a stored login. */
export type LoginOptions = Pick<OAuthOptions, "client" | "issuer" | "issuers" | "fetch" | "privateNetwork">;

/** Reads the stored login of `oauth()` for a server. */
export async function storedLogin(
  store: TokenStore,
  server: string,
  options: LoginOptions = {},
): Promise<StoredLogin | undefined> {
  const { grant } = await loginOf(store, server, options);
  if (!grant) return undefined;
  const { issuer, resource = server, clientId, scopes, tokens } = grant;
  const expires = expiryOf(grant);
  return {
    ...{ issuer, resource, clientId, scopes, refreshable: tokens.refresh !== undefined },
    ...(expires !== Infinity && { expires }),
  };
}

/**
 * Removes the login for a server from the store, and revokes its tokens (RFC 7009).
 *
 * @returns `revoked`, although a JWT access token may stay valid until it expires; `removed` if the
 *   authorization server revoked no token
 */
export async function forgetLogin(
  store: TokenStore,
  server: string,
  options: LoginOptions = {},
): Promise<"revoked" | "removed" | "absent"> {
  const { grant, keys } = await loginOf(store, server, options);
  if (!grant) return "absent";
  const isRevoked = await revoke(store, server, options, grant).catch(() => false);
  const { registration } = grant.client ?? {};
  for (const key of registration ? [...keys, registration] : keys) await writeRecord(store, key, undefined);
  return isRevoked ? "revoked" : "removed";
}

/** Reads the grant for a server, with its keys in the store (`Renewal` writes them). */
async function loginOf(
  store: TokenStore,
  server: string,
  { client = {} }: LoginOptions,
): Promise<{ readonly grant: Grant | undefined; readonly keys: readonly string[] }> {
  const { origin, pathname, search } = new URL(server);
  const url = origin + pathname + search;
  const name = client.id ?? client.metadataUrl ?? client.name ?? "";
  const pointer = storeKey("server", url, name);
  const value = await readPointer(store, pointer);
  if (!value) return { grant: undefined, keys: [] };
  const key = storeKey("tokens", value.issuer, value.resource ?? url, name);
  return { grant: await readGrant(store, key), keys: [key, pointer] };
}

async function revoke(
  store: TokenStore,
  server: string,
  options: LoginOptions,
  grant: Grant,
): Promise<boolean> {
  const { issuer, tokens, client: kept } = grant;
  const { fetch, privateNetwork, client: named } = options;
  const guard: Guard = { fetch, privateNetwork, local: isLoopback(new URL(server).hostname) };
  const as = await discoverServer(issuer, guard, options.issuers);
  const client = kept ?? (await knownClient({ options, store }, as));
  if (as.revocation_endpoint === undefined || !client) return false;
  const isNamed = isNamedIssuer(issuer, { ...options, issuer: options.issuer ?? named?.issuer });
  checkDestination(grant, { as, isNamed }, "revocation_endpoint", "the login");
  await revokeTokens(tokens, {
    as,
    client: { client_id: client.id },
    authentication: await authentication({ as, isNamed, client }, "revocation_endpoint"),
    options: transport(guard),
  });
  return true;
}
