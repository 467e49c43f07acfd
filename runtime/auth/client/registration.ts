import type * as oauth from "oauth4webapi";
import { malformedMember, type Members, withoutNulls } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import { type Guard, guardedFetch, isPassing, passingError } from "../shared/guarded-fetch.js";
import { endpointUrl, hostOf, issuerText } from "../shared/urls.js";
import { jsonObject } from "../shared/json-object.js";
import { TokenRefusal, shown } from "../shared/token-response.js";
import { type Destination, belongsTo, checkDestination } from "./destination.js";
import type { AuthEvent, KnownClient, OAuthOptions } from "./options.js";
import { readRecord, writeRecord } from "./records.js";
import { type TokenStore, storeKey } from "./store.js";
import type { AuthenticatedClient } from "./token-request.js";

/** The stored form of a registration. */
interface Registration extends AuthenticatedClient {
  /** Expiry of the secret in seconds since 1970; 0 for none. */
  readonly secretExpires: number;
}

/** The store and the context for registrations. */
interface Registrar {
  readonly options: OAuthOptions;
  readonly store: TokenStore;
  readonly guard: Guard;
  readonly report: (event: AuthEvent) => void;
}

/**
 * Returns the key of a registration in the store. Applications that share a store, and different redirect URIs, have
 * separate registrations at one issuer.
 */
const registrationKey = ({ client = {} }: OAuthOptions, issuer: string, redirectUri: string): string =>
  storeKey("client", issuer, redirectUri, client.name ?? "", client.applicationType ?? "");

/**
 * Returns the client that an issuer knows without dynamic registration: pre-registered, or described at a URL
 * (2026-07-28, client registration).
 *
 * @throws {AuthError} `auth-issuer-mismatch`: the credentials belong to another issuer
 */
export async function knownClient(
  { options: { client = {} }, store }: Pick<Registrar, "options" | "store">,
  as: oauth.AuthorizationServer,
): Promise<AuthenticatedClient | undefined> {
  const { id, metadataUrl } = client;
  if (id !== undefined) {
    await bindIssuer(store, client as KnownClient, as.issuer);
    return { ...client, id, issuer: as.issuer };
  }
  if (metadataUrl !== undefined && as["client_id_metadata_document_supported"] === true)
    return {
      id: metadataUrl,
      issuer: as.issuer,
      method: client.key ? "private_key_jwt" : "none",
      ...(client.key && { key: client.key }),
    };
  return undefined;
}

/** Returns the client for a login: a known client, or a registration with this redirect URI. */
export async function clientFor(
  registrar: Registrar,
  destination: Destination,
  redirectUri: string,
): Promise<AuthenticatedClient> {
  const { as } = destination;
  const known = await knownClient(registrar, as);
  if (known) return known;
  const registration = registrationKey(registrar.options, as.issuer, redirectUri);
  const { value } = await readRecord<Registration>(registrar.store, registration, storedMembers, ["id"]);
  const isKnown =
    value && URL.canParse(String(value.endpoint)) && belongsTo(value, destination, "token_endpoint");
  const isCurrent = isKnown && (value.secretExpires === 0 || value.secretExpires * 1000 >= Date.now());
  return isCurrent ? value : registerClient(registrar, destination, redirectUri, registration);
}

/** Removes a registration if the issuer's error says that it no longer knows the client. */
export async function forgetRefused(
  store: TokenStore,
  client: AuthenticatedClient,
  error: unknown,
): Promise<void> {
  if (client.registration && error instanceof TokenRefusal && error.error === "invalid_client")
    await writeRecord(store, client.registration, undefined);
}

/** Binds credentials to the first issuer that they are used with. */
export async function bindIssuer(store: TokenStore, client: KnownClient, issuer: string): Promise<void> {
  const key = storeKey("issuer", client.id);
  let bound = client.issuer ?? (await store.get(key));
  if (bound === undefined && !(await store.put(key, issuer))) bound = await store.get(key);
  if (bound === undefined || bound === issuer) return;
  const text = `the credentials of the client belong to ${issuerText(bound)}, and the server now names ${issuerText(issuer)}: register there, and set client.issuer`;
  throw new AuthError("auth-issuer-mismatch", text);
}

/**
 * Registers the client at an issuer, or asks the user for a client id.
 *
 * @throws {AuthError} `auth-registration-impossible`; `auth-unavailable`: temporarily impossible
 */
async function registerClient(
  registrar: Registrar,
  destination: Destination,
  redirectUri: string,
  key: string,
): Promise<AuthenticatedClient> {
  const { as } = destination;
  const { options, store, guard, report } = registrar;
  const host = hostOf(as.issuer);
  if (as.registration_endpoint === undefined) {
    const given = await options.askClient?.(as.issuer, guard.signal!);
    // The user types the id only once, because the grant keeps it.
    if (given) return { ...given, issuer: as.issuer, registration: "" };
    const text = `${host} registers no clients: register one there, and set client.id`;
    throw new AuthError("auth-registration-impossible", text);
  }
  const given = { issuer: as.issuer, endpoint: as.registration_endpoint };
  checkDestination(given, destination, "token_endpoint", "the registration");
  const response = await guardedFetch(
    as.registration_endpoint,
    {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(clientMetadata(options, as, redirectUri)),
    },
    { ...guard, timeout: 30_000 },
  );
  if (isPassing(response.status)) throw passingError(as.registration_endpoint, response.status);
  const made = withoutNulls(jsonObject(await response.text()) ?? {});
  const problem = malformedMember(made, responseMembers);
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = made as Registered;
  if (!response.ok || problem !== undefined || id === undefined) {
    const isRefused = !response.ok || made["error"] !== undefined;
    const why = isRefused ? shown(made["error"]) : (problem ?? "no client_id");
    const text = `${host} did not register the client: ${why}. Check redirect URI and client.applicationType, or set client.id`;
    throw new AuthError("auth-registration-impossible", text);
  }
  const registration: Registration = {
    id,
    issuer: as.issuer,
    endpoint: as.registration_endpoint,
    registration: key,
    // Some servers omit this member, although RFC 7591 requires it.
    secretExpires: (made as Registered).client_secret_expires_at ?? 0,
    ...(secret !== undefined && secret !== "" && { secret }),
    ...(method !== undefined && { method }),
  };
  await writeRecord(store, key, registration);
  report({ type: "registered", issuer: as.issuer });
  return registration;
}

/** Members of a stored registration. */
const storedMembers: Members = {
  id: "text",
  issuer: "text",
  endpoint: "text",
  secret: "text",
  method: "text",
  secretExpires: "time",
};

/** Members of a registration response (RFC 7591, 3.2.1). */
const responseMembers: Members = {
  // A public client may have an empty secret.
  ...{ client_id: "text", client_secret: "string", client_secret_expires_at: "time" },
  ...{ token_endpoint_auth_method: "text" },
};

interface Registered {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_secret_expires_at?: number;
  readonly token_endpoint_auth_method?: string;
}

function clientMetadata(
  { client = {}, device }: OAuthOptions,
  as: oauth.AuthorizationServer,
  redirectUri: string,
): Record<string, oauth.JsonValue> {
  // If the metadata lists no method, the default is client_secret_basic (RFC 8414, 2).
  const listed = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const methods = ["none", "client_secret_basic", "client_secret_post"];
  return {
    client_name: client.name ?? "MCP client",
    redirect_uris: [redirectUri],
    grant_types: [
      "authorization_code",
      "refresh_token",
      ...(device ? ["urn:ietf:params:oauth:grant-type:device_code"] : []),
    ],
    response_types: ["code"],
    token_endpoint_auth_method: methods.find((method) => listed.includes(method)) ?? "none",
    application_type: client.applicationType ?? (endpointUrl(redirectUri, false) ? "web" : "native"),
  };
}
