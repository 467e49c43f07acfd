import type { JWK } from "jose";
import { AuthError } from "../shared/errors.js";
import { type Client, type ClientMethod, clientName } from "./client.js";
import { redirectProblem } from "./redirects.js";
import type { Settings } from "./options.js";

/** Reads metadata documents of clients, and keeps them for a time. */
export interface ClientDocuments {
  /** @throws {AuthError} `auth-metadata-invalid`, `auth-metadata-unsafe` */
  read(url: string): Promise<Readonly<Record<string, unknown>>>;
}

/** Whether a client id is the URL of a metadata document: https, with a path, as it stands in URLs (CIMD, 3). */
export function isDocumentUrl(id: string): boolean {
  if (!id.startsWith("https://") || !URL.canParse(id)) return false;
  const { href, pathname, hash, username, password } = new URL(id);
  return href === id && pathname !== "/" && !hash && !username && !password && !id.includes("#");
}

const maxUris = 20;
const methods: readonly ClientMethod[] = ["none", "private_key_jwt"];

/**
 * The client that a metadata document describes (CIMD, 4.1).
 *
 * @throws {AuthError} `auth-metadata-invalid`
 */
export function clientOfDocument(
  settings: Settings,
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
    const problem = redirectProblem(uri, settings.clients.customSchemes);
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

/** A client that lists several methods gets the first that is supported here. */
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
  if (Array.isArray(keys) && keys.length > 0 && keys.length <= maxUris) return keys as JWK[];
  if (typeof jwks_uri === "string" && isDocumentUrl(jwks_uri)) return jwks_uri;
  throw unusableDocument("private_key_jwt needs jwks or jwks_uri");
}

export function unusableDocument(what: string): AuthError {
  return new AuthError(
    "auth-metadata-invalid",
    `The metadata document of the client cannot be used: ${what}. Correct the document at the client_id.`,
  );
}
