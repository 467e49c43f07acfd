import type { JWK } from "jose";
import { AuthError } from "../shared/errors.js";
import { type Client, type ClientMethod, clientName } from "./client.js";
import { redirectProblem } from "./redirects.js";

/**
 * Reads metadata documents of clients, and caches the data that is used.
 *
 * Each function throws an `AuthError`: `auth-metadata-invalid` or `auth-metadata-unsafe` if the document cannot be used;
 * `auth-unavailable` if too many documents are being read, or the host does not answer now.
 */
export interface ClientDocuments {
  /**
   * @param isKnown whether the request proves a login with this client; its read then does not wait behind reads for unknown
   *   clients
   */
  client(id: string, isKnown: boolean): Promise<Client>;
  /** Returns the public keys at the `jwks_uri` of a client. */
  keys(url: string): Promise<readonly JWK[]>;
  /** Called when a user has logged in with the client of a document: keeps it as long as its headers allow. */
  keep(id: string): void;
}

/** Whether a client id is the URL of a metadata document: https, with a path, in normalised form (CIMD, 3). */
export function isDocumentUrl(id: string): boolean {
  if (!id.startsWith("https://") || !URL.canParse(id)) return false;
  const { href, pathname, hash, username, password } = new URL(id);
  return href === id && pathname !== "/" && !hash && !username && !password && !id.includes("#");
}

const maxUris = 20;
const methods: readonly ClientMethod[] = ["none", "private_key_jwt"];

/**
 * Makes the client that a metadata document describes (CIMD, 4.1). Keeps nothing else of the document.
 *
 * @throws {AuthError} `auth-metadata-invalid`
 */
export function clientOfDocument(
  customSchemes: readonly string[],
  id: string,
  document: Readonly<Record<string, unknown>>,
): Client {
  const { client_id, client_name, redirect_uris, client_secret, grant_types } = document;
  if (client_id !== id) throw unusableDocument("its client_id is not the URL of the document");
  if (client_secret !== undefined) throw unusableDocument("it holds a client_secret");
  if (typeof client_name !== "string" || clientName(client_name) === "")
    throw unusableDocument("it has no client_name");
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > maxUris)
    throw unusableDocument(`redirect_uris must be a list of 1 to ${maxUris}`);
  for (const uri of redirect_uris) {
    const problem = redirectProblem(uri, customSchemes);
    if (problem !== undefined) throw unusableDocument(`a redirect URI ${problem}`);
  }
  const method = methodOf(document);
  return {
    id,
    kind: "document",
    name: clientName(client_name),
    redirectUris: redirect_uris as string[],
    method,
    refreshes: Array.isArray(grant_types) && grant_types.includes("refresh_token"),
    ...(method === "private_key_jwt" && { keys: keysOf(document) }),
  };
}

/** Returns the first supported method that the client lists. */
function methodOf(document: Readonly<Record<string, unknown>>): ClientMethod {
  const { token_endpoint_auth_method: asked = "none", token_endpoint_auth_methods_supported: offered } =
    document;
  const listed: readonly unknown[] = Array.isArray(offered) ? offered : [];
  if (listed.includes("none")) return "none";
  const method = methods.find((each) => each === asked);
  if (method === undefined)
    throw unusableDocument("its token_endpoint_auth_method must be none or private_key_jwt");
  return method;
}

function keysOf({ jwks, jwks_uri }: Readonly<Record<string, unknown>>): readonly JWK[] | string {
  const keys = (jwks as { keys?: unknown } | undefined)?.keys;
  if (Array.isArray(keys)) return publicKeysOf(keys);
  if (typeof jwks_uri === "string" && jwks_uri.length <= maxUrl && isDocumentUrl(jwks_uri)) return jwks_uri;
  throw unusableDocument("private_key_jwt needs jwks or jwks_uri");
}

const maxUrl = 4096;
const maxKeys = 20;
/** Maximum length of a key's member in characters. The modulus of an 8192-bit RSA key has 1366. */
const maxMember = 1400;
const keyMembers = ["kty", "crv", "x", "y", "n", "e", "kid", "alg", "use"] as const;

/**
 * Returns the public keys of a list, with only the members that are used.
 *
 * @throws {AuthError} `auth-metadata-invalid`
 */
export function publicKeysOf(list: unknown): readonly JWK[] {
  if (!Array.isArray(list) || list.length === 0 || list.length > maxKeys)
    throw unusableDocument(`its keys must be a list of 1 to ${maxKeys}`);
  return list.map((given: unknown) => {
    if (typeof given !== "object" || given === null) throw unusableDocument("a key is not an object");
    const key = given as Readonly<Record<string, unknown>>;
    const members = keyMembers.flatMap((name) =>
      key[name] === undefined ? [] : [[name, key[name]] as const],
    );
    if (!members.every(([, value]) => typeof value === "string" && value.length <= maxMember))
      throw unusableDocument(`a member of a key is not a text of at most ${maxMember} characters`);
    return Object.fromEntries(members) as JWK;
  });
}

export function unusableDocument(what: string): AuthError {
  return new AuthError(
    "auth-metadata-invalid",
    `The metadata document of the client cannot be used: ${what}. Correct the document at the client_id.`,
  );
}
