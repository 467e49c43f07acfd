/** The claims of a verified token, or the members of an introspection response. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * The name of this server in an issuer's tokens. Texts are compared with `aud`; the default is the resource. For an
 * issuer whose tokens have no audience: another claim, and all accepted values of it.
 */
export type Audience =
  string | readonly string[] | { readonly claim: string; readonly oneOf: readonly string[] };

/** A route of the HTTP server (`routes` of its options). */
export interface ServerRoute {
  readonly path: string;
  handle(request: Request): Response | Promise<Response>;
}

/** An authorization server whose tokens a resource server accepts. */
export interface TokenIssuer {
  /** The issuer identifier. The metadata of the resource names it as an authorization server. */
  readonly issuer: string;
  /** Accepted values of `iss`, compared as text. Default: only `issuer`. */
  readonly accepts?: readonly string[];
  /** Whether the issuer verifies tokens that are not JWTs. */
  readonly opaque?: boolean;
  readonly audience?: Audience;
  /** Returns the granted scopes. Default: `scope` as a text, or `scp` as a text or list. */
  readonly scopes?: (claims: Claims) => readonly string[];
  /**
   * Whether tokens without `sub` are accepted, with the client as principal. Only for an issuer whose tokens for users
   * always have a `sub`. Default: they are refused.
   */
  readonly clientTokens?: boolean;
  /** Returns the client of the token. Default: `client_id`, or `azp`. */
  readonly client?: (claims: Claims) => string | undefined;
  /**
   * Verifies that a token is an access token of this issuer. The resource server then checks `iss`, times, audience,
   * scopes and sender.
   *
   * @throws {AuthError} `auth-token-refused`: the token is not valid; `auth-unavailable`: it cannot be verified now
   */
  verify(token: string): Promise<Claims>;
  /** Returns a token for the API behind the issuer; `context.auth.upstream()` calls it. */
  upstream?(claims: Claims): Promise<string>;
  /** The endpoints of an issuer that runs in this server; `http.routes` also includes them. */
  readonly routes?: readonly ServerRoute[];
}
