import * as oauth from "oauth4webapi";
import type { CryptoKey, PrivateKey } from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import { type Guard, guardedFetch } from "../shared/guarded-fetch.js";
import { TokenRefusal, type Tokens, tokenResponse, unusable } from "../shared/token-response.js";
import { hostOf } from "../shared/urls.js";
import { type Destination, type Provenance, checkDestination } from "./destination.js";
import { ownMetadata } from "./issuer-names.js";
import type { ClientKey, KnownClient } from "./options.js";
import type { Proofs } from "./proofs.js";

/** A client with its authentication method at the token endpoint, and the issuer of its secret. */
export interface AuthenticatedClient extends Omit<KnownClient, "issuer">, Provenance {
  readonly method?: string | undefined;
  /**
   * The key of its dynamic registration in the store; empty if the user typed the id in; absent if the options name the
   * client.
   */
  readonly registration?: string;
}

/** The token endpoint, with the client and proofs for requests. */
export interface TokenEndpoint extends Destination {
  readonly client: AuthenticatedClient;
  readonly guard: Guard;
  readonly proofs?: Proofs | undefined;
}

type Send = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>;

/**
 * Sends a token request, and repeats it once if the server demands a DPoP nonce. Resolves with the tokens.
 *
 * @throws {AuthError} contains nothing of the answer except an error code
 */
export async function requestTokens(endpoint: TokenEndpoint, send: Send): Promise<Tokens> {
  const { as, proofs } = endpoint;
  const options: oauth.TokenEndpointRequestOptions = {
    ...transport(endpoint.guard),
    ...(proofs && { DPoP: proofs.handle }),
  };
  for (let again = proofs !== undefined; ; again = false) {
    try {
      const body = await tokenResponse(as.issuer, await send(options));
      if (proofs && body.type !== "dpop") throw new TokenRefusal(as.issuer, "no DPoP token");
      if (!proofs && body.type !== "bearer") throw unusable(as.issuer, "token_type");
      return body;
    } catch (error) {
      if (again && error instanceof TokenRefusal && error.error === "use_dpop_nonce") continue;
      throw refusal(as.issuer, error);
    }
  }
}

/** Returns the library's request options: bounded, without redirects, for endpoints that discovery has checked. */
export function transport(guard: Guard): oauth.HttpRequestOptions<"POST", URLSearchParams> {
  return {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) =>
      guardedFetch(url, init as RequestInit, { ...guard, timeout: 30_000 }),
    ...(guard.signal && { signal: guard.signal }),
  };
}

/** Converts an error of the library. The original may contain secrets, so it is not passed on, not even as a cause. */
export function refusal(issuer: string, error: unknown): unknown {
  if (error instanceof AuthError || !(error instanceof Error)) return error;
  if (error.name === "AbortError" || error.name === "TimeoutError") return error;
  return new AuthError(
    "auth-metadata-invalid",
    `${hostOf(issuer)}: no token can be asked for with its metadata`,
  );
}

/**
 * Returns the authentication of a client (RFC 6749, 2.3).
 *
 * @param to the endpoint that receives the secret
 * @throws {AuthError} the client's secret must not be sent to that endpoint
 */
export async function authentication(
  { client, ...destination }: Pick<TokenEndpoint, "as" | "isNamed" | "client">,
  to: Parameters<typeof checkDestination>[2] = "token_endpoint",
): Promise<oauth.ClientAuth> {
  const { id, key, secret, method } = client;
  const { as } = destination;
  checkDestination(client, destination, to, "the client");
  if (key) {
    const proof = oauth.PrivateKeyJwt(await importKey(key));
    return (_as, ...rest) => proof(ownMetadata(as), ...rest);
  }
  const listed = as.token_endpoint_auth_methods_supported;
  const basic = !listed || listed.includes("client_secret_basic");
  const way =
    secret === undefined ? "none" : (method ?? (basic ? "client_secret_basic" : "client_secret_post"));
  return (_as, _client, body, headers) => {
    // Form-encodes only what the encoding requires, because some servers do not decode (RFC 6749, 2.3.1).
    if (way === "client_secret_basic")
      return headers.set("authorization", `Basic ${btoa(`${formText(id)}:${formText(secret!)}`)}`);
    body.set("client_id", id);
    if (way === "client_secret_post") body.set("client_secret", secret!);
  };
}

const formText = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

/** Parameters of Web Crypto for the signature algorithms of clients. */
const algorithms: Readonly<Record<string, Parameters<typeof crypto.subtle.importKey>[2]>> = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  ES384: { name: "ECDSA", namedCurve: "P-384" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256" },
  Ed25519: { name: "Ed25519" },
  EdDSA: { name: "Ed25519" },
};

/**
 * Imports the private key of a client.
 *
 * @throws {AuthError} `auth-options`: the key cannot be read; the message contains nothing of the key
 */
export async function importKey({ pem, jwk, alg, kid }: ClientKey): Promise<PrivateKey> {
  const name = alg ?? (jwk?.["alg"] as string | undefined) ?? "ES256";
  const algorithm = algorithms[name];
  try {
    if (!algorithm || (pem === undefined) === (jwk === undefined)) throw new Error("unusable");
    const key = (await (jwk
      ? crypto.subtle.importKey("jwk", { ...(jwk as object), key_ops: ["sign"] }, algorithm, false, ["sign"])
      : crypto.subtle.importKey("pkcs8", bytesOf(pem!), algorithm, false, ["sign"]))) as CryptoKey;
    const id = kid ?? (jwk?.["kid"] as string | undefined);
    return id === undefined ? { key } : { key, kid: id };
  } catch {
    throw new AuthError(
      "auth-options",
      `client.key: expected a private key as pem (PKCS #8) or jwk, of one of ${Object.keys(algorithms).join(", ")}`,
    );
  }
}

function bytesOf(pem: string): Uint8Array<ArrayBuffer> {
  const text = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem)![1]!;
  return Uint8Array.from(atob(text.replace(/\s/g, "")), (char) => char.charCodeAt(0));
}
