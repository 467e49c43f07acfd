/** The claims of a verified token, or the members of an introspection response. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * How the tokens of an issuer name this server. Texts are compared with `aud`; absent means the resource itself. Issuers
 * that put no audience into their tokens name another claim, and all of its values that this server accepts.
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
  /** Values of `iss` in its tokens, compared as they stand. Default: `issuer` alone. */
  readonly accepts?: readonly string[];
  /** Whether it verifies tokens that are no JWT. */
  readonly opaque?: boolean;
  readonly audience?: Audience;
  /** The granted scopes. Default: `scope` as a text, or `scp` as a text or list. */
  readonly scopes?: (claims: Claims) => readonly string[];
  /**
   * Whether tokens without `sub` are accepted: the client is their principal. Only for an issuer whose tokens for users always
   * have a `sub`. Default: they are refused.
   */
  readonly clientTokens?: boolean;
  /** The client that the token was issued to. Default: `client_id`, or `azp`. */
  readonly client?: (claims: Claims) => string | undefined;
  /**
   * Verifies that this issuer issued the token, and that it is an access token. The resource server then checks `iss`,
   * times, audience, scopes and sender.
   *
   * @throws {AuthError} `auth-token-refused`: the token is not valid; `auth-unavailable`: that cannot be found out now
   */
  verify(token: string): Promise<Claims>;
  /** A token for the API behind the issuer, as `context.auth.upstream()` gives it. */
  upstream?(claims: Claims): Promise<string>;
  /** The endpoints of an issuer that this server itself is: `http.routes` has them, too. */
  readonly routes?: readonly ServerRoute[];
}
