import type { JSONWebKeySet, JWTPayload } from "jose";
import type { Answer, Call } from "./calls.js";

export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
export const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";

export type ClientAuthentication = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** A client of the authorization server. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string;
  /** Default: `client_secret_basic` with a secret, else `none`. */
  readonly method?: ClientAuthentication;
  /** Public keys, for `private_key_jwt`. */
  readonly jwks?: JSONWebKeySet;
  readonly redirectUris?: readonly string[];
  /** Default: all. */
  readonly grants?: readonly string[];
}

/** An issuer of assertions that the grant jwt-bearer accepts. */
export interface TrustedIssuer {
  readonly issuer: string;
  readonly jwks: () => JSONWebKeySet;
  /** `id-jag` needs client authentication, and `typ: oauth-id-jag+jwt`. */
  readonly kind: "id-jag" | "workload";
}

/** The strictness and features of a fixture authorization server. All defaults follow the specification. */
export interface AuthorizationServerOptions {
  /** The https URL of its host, for access through a proxy. Default: http on this machine. */
  readonly host?: string;
  /** Path of the issuer, `/tenant1`. Default: none. */
  readonly path?: string;
  /** URLs of the metadata. Default: `oauth` and `oidc`, both with the path inserted, and `oidc-appended`. */
  readonly forms?: readonly ("oauth" | "oidc" | "oidc-appended")[];
  /** Replaces members of the metadata document; `undefined` removes one. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Dynamic client registration. Default: true. */
  readonly registration?: boolean;
  /** The authentication method that registration prescribes. Default: the method that the client requests. */
  readonly registrationMethod?: ClientAuthentication;
  /** Fetches a client id metadata document. Without it, such client ids are unknown. */
  readonly cimd?: (url: string) => unknown;
  readonly clients?: readonly RegisteredClient[];
  /** Accepted values of `resource`. Default: any absolute URL without fragment. */
  readonly resources?: readonly string[];
  /** Whether `resource` is required (2025-06-18 and later). Default: true. */
  readonly resourceRequired?: boolean;
  readonly scopes?: readonly string[];
  /** Access tokens as JWT (RFC 9068) or opaque. Default: `jwt`. */
  readonly tokens?: "jwt" | "opaque";
  readonly algorithm?: "ES256" | "RS256";
  /** Seconds that access tokens are valid. Default: 3,600. */
  readonly expiresIn?: number;
  /** Refresh tokens. Default: `rotate`; using an old refresh token revokes its family. */
  readonly refresh?: "rotate" | "keep" | "none";
  readonly dpop?: "off" | "offered" | "required";
  /** Whether proofs need a nonce; each is valid for one request. Default: false. */
  readonly nonces?: boolean;
  /** The parameter `iss` of authorization responses (RFC 9207). Default: `sent`, and advertised. */
  readonly iss?: "sent" | "omitted";
  /** Whether the PKCE verifier is compared. Default: true. */
  readonly pkce?: boolean;
  /** The user's decision about an authorization request. Default: the subject `user-1`. */
  readonly decide?: (
    params: URLSearchParams,
  ) => { readonly subject: string; readonly scope?: string } | { readonly error: string };
  /** Returns additional claims for access tokens. */
  readonly claims?: (claims: JWTPayload) => JWTPayload;
  readonly trusted?: readonly TrustedIssuer[];
  /** Seconds between polls of the device grant. Default: 1. */
  readonly pollSeconds?: number;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Changes an answer, to simulate a fault. `hang` never answers; `cut` closes the connection. */
  readonly fault?: (call: Call, answer: Answer) => Answer | "hang" | "cut" | Promise<Answer | "hang" | "cut">;
}
