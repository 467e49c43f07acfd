import { malformedMember, type Members, withoutNulls } from "@mcpgen/base";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { boundedBytes } from "../shared/bounded-bytes.js";
import { AuthError } from "../shared/errors.js";
import { isPassing } from "../shared/guarded-fetch.js";
import { issuerText } from "../shared/urls.js";
import { jsonObject } from "../shared/json-object.js";
import { Outgoing } from "../shared/outgoing.js";
import { revokeTokens } from "../shared/revocation.js";
import { successOf } from "../shared/token-response.js";

/** The upstream tokens of one login. */
export interface UpstreamTokens {
  readonly access: string;
  readonly refresh?: string;
  /** Milliseconds since 1970; absent for a token without expiry. */
  readonly expiresAt?: number;
}

/** The user's identity at the upstream. */
export interface Identity {
  /** A permanent identifier, unique at the upstream. */
  readonly subject: string;
  /** A name to show. */
  readonly name?: string;
}

/** The upstream's answer to a token request. */
export type TokenAnswer = Readonly<Record<string, unknown>>;

/** Fetches a JSON document of the upstream with the token of the user. */
export type UpstreamGet = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/** An authorization server without open registration, at which the operator has registered a client. */
export interface Upstream {
  /** Name on the consent page, such as `GitHub`. */
  readonly name: string;
  /** The metadata, or the URL of the issuer for discovery. */
  readonly server: oauth.AuthorizationServer | { readonly discover: string };
  readonly clientId: string;
  /** Absent for a public client. */
  readonly secret?: string;
  /** The method by which token requests send the secret. Default: `basic`. */
  readonly authentication?: "basic" | "post";
  /** Scopes to request, unless the option `scopes` maps them. */
  readonly scopes: readonly string[];
  /** Scopes that are always requested, because they identify the user or provide refresh tokens. */
  readonly identityScopes?: readonly string[];
  /** Further parameters of the authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Default: `scope`. */
  readonly scopeParameter?: string;
  /** Separator of scopes. Default: a space. */
  readonly scopeSeparator?: string;
  /** Converts an answer of the token endpoint to the form of RFC 6749. */
  readonly reshape?: (answer: TokenAnswer) => TokenAnswer;
  /** Finds the user. Default: the `sub` of the ID token. */
  readonly identify?: (answer: TokenAnswer, get: UpstreamGet) => Identity | Promise<Identity>;
  /** Returns the expected issuer of an ID token, if it differs from the metadata. */
  readonly idTokenIssuer?: (claims: Readonly<Record<string, unknown>>) => string;
}

/** The result of a login at the upstream. */
export interface UpstreamLogin {
  readonly tokens: UpstreamTokens;
  /**
   * Finds the user.
   *
   * @throws {AuthError} `auth-refused`: the upstream does not identify the user. `auth-unavailable`:
   *   temporarily impossible
   */
  readonly identify: () => Promise<Identity>;
}

/** The values of the authorization request that the callback needs. */
export interface UpstreamRequest {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
}

/**
 * Maximum number of concurrent and waiting requests to the upstream, separate for logins, refreshes and
 * revocations.
 */
const requests = { running: 32, perKey: 24, waiting: 512 };

/** Members of the metadata of an upstream. */
const serverMembers: Members = {
  ...{ issuer: "text", authorization_endpoint: "text", token_endpoint: "text" },
  ...{ jwks_uri: "text", revocation_endpoint: "text" },
};

const maxBytes = 65_536;
const timeoutMs = 10_000;

/** The proxy as a client of its upstream. */
export class UpstreamClient {
  readonly profile: Upstream;
  private readonly redirectUri: string;
  private readonly fetch: typeof fetch;
  private readonly outgoing = new Outgoing(requests);
  private metadata: Promise<oauth.AuthorizationServer> | undefined;

  constructor(profile: Upstream, redirectUri: string, fetch_: typeof fetch) {
    this.profile = profile;
    this.redirectUri = redirectUri;
    this.fetch = fetch_;
  }

  /** Returns the URL at which the user logs in. Always uses PKCE. */
  async authorizationUrl(request: UpstreamRequest, scopes: readonly string[]): Promise<string> {
    const { parameters = {}, scopeParameter = "scope", scopeSeparator = " ", clientId } = this.profile;
    const url = new URL((await this.server()).authorization_endpoint!);
    const query = {
      ...parameters,
      response_type: "code",
      client_id: clientId,
      redirect_uri: this.redirectUri,
      [scopeParameter]: scopes.join(scopeSeparator),
      state: request.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: "S256",
      ...(scopes.includes("openid") && { nonce: request.nonce }),
    };
    for (const [name, value] of Object.entries(query)) if (value !== "") url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * Exchanges the code of a callback. A caller that does not use the tokens must revoke them.
   *
   * @throws {oauth.AuthorizationResponseError} the upstream or the user refused
   * @throws {AuthError} `auth-unavailable`: too many logins are in progress
   */
  login(callback: URL, request: UpstreamRequest, scopes: readonly string[]): Promise<UpstreamLogin> {
    return this.outgoing.run("login", () => this.exchange(callback, request, scopes));
  }

  /** @throws {TokenRefusal} the upstream refused. `AuthError` `auth-unavailable`: temporarily impossible */
  refresh(tokens: UpstreamTokens): Promise<UpstreamTokens> {
    return this.outgoing.run("refresh", () => this.rotate(tokens));
  }

  /**
   * Revokes the tokens of a login, if the upstream has a revocation endpoint (RFC 7009).
   *
   * @throws {Error} the upstream did not revoke them
   */
  async revoke(tokens: UpstreamTokens): Promise<void> {
    const as = await this.server();
    if (as.revocation_endpoint === undefined) return;
    const request = { as, client: this.client(), ...this.request() };
    await this.outgoing.run("revoke", () => revokeTokens(tokens, request));
  }

  private async exchange(
    callback: URL,
    request: UpstreamRequest,
    scopes: readonly string[],
  ): Promise<UpstreamLogin> {
    const as = await this.server();
    const client = this.client();
    const parameters = oauth.validateAuthResponse(as, client, callback, request.state);
    const { authentication, options } = this.request();
    const response = await oauth.authorizationCodeGrantRequest(
      ...([as, client, authentication, parameters, this.redirectUri, request.verifier, options] as const),
    );
    const { response: reshaped, answer } = await this.reshaped(as, response);
    const withIdToken = scopes.includes("openid") && this.profile.identify === undefined;
    const result = await oauth.processAuthorizationCodeResponse(this.issuing(as, answer), client, reshaped, {
      requireIdToken: withIdToken,
      ...(typeof answer["id_token"] === "string" &&
        scopes.includes("openid") && { expectedNonce: request.nonce }),
    });
    const identify = (): Promise<Identity> => this.identity(answer, result);
    return { tokens: this.tokens(result), identify: () => this.outgoing.run("login", identify) };
  }

  private async rotate(tokens: UpstreamTokens): Promise<UpstreamTokens> {
    const as = await this.server();
    const client = this.client();
    const { authentication, options } = this.request();
    const response = await oauth.refreshTokenGrantRequest(
      ...([as, client, authentication, tokens.refresh!, options] as const),
    );
    const { response: reshaped } = await this.reshaped(as, response);
    const refreshed = this.tokens(await oauth.processRefreshTokenResponse(as, client, reshaped));
    return { ...(tokens.refresh !== undefined && { refresh: tokens.refresh }), ...refreshed };
  }

  private client(): oauth.Client {
    return { client_id: this.profile.clientId };
  }

  private server(): Promise<oauth.AuthorizationServer> {
    const { server } = this.profile;
    if (!("discover" in server)) return Promise.resolve(server as oauth.AuthorizationServer);
    this.metadata ??= this.discover(server.discover as string).catch((error: unknown) => {
      this.metadata = undefined;
      throw error;
    });
    return this.metadata;
  }

  private async discover(issuer: string): Promise<oauth.AuthorizationServer> {
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const response = await this.fetch(url, {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    this.checkMoment(response);
    const found = withoutNulls(response.status === 200 ? await boundedJson(response) : {});
    const problem = malformedMember(found, serverMembers, [
      "issuer",
      "authorization_endpoint",
      "token_endpoint",
    ]);
    const named = found["issuer"];
    if (problem === undefined && named === issuer) return found as object as oauth.AuthorizationServer;
    const what = problem ?? `it names another issuer, ${issuerText(named)}`;
    throw new AuthError(
      "auth-metadata-invalid",
      `The metadata of the upstream ${issuerText(issuer)} cannot be used: ${what}. Give the issuer that it names, or the endpoints themselves as server.`,
    );
  }

  private request() {
    const { secret, authentication = "basic" } = this.profile;
    const insecure = isLoopbackServer(this.profile.server);
    return {
      authentication:
        secret === undefined
          ? oauth.None()
          : authentication === "post"
            ? oauth.ClientSecretPost(secret)
            : oauth.ClientSecretBasic(secret),
      options: {
        signal: () => AbortSignal.timeout(timeoutMs),
        [oauth.customFetch]: this.fetch as never,
        ...(insecure && { [oauth.allowInsecureRequests]: true }),
      },
    };
  }

  /**
   * Returns a successful answer in the form of RFC 6749.
   *
   * @throws {TokenRefusal} the answer is an error. `AuthError` `auth-unavailable`: the error is temporary
   */
  private async reshaped(
    { issuer }: oauth.AuthorizationServer,
    response: Response,
  ): Promise<{ response: Response; answer: TokenAnswer }> {
    this.checkMoment(response);
    const body = await boundedJson(response);
    const answer = successOf(issuer, response.status, this.profile.reshape?.(body) ?? body);
    return { response: Response.json(answer), answer };
  }

  /** @throws {AuthError} `auth-unavailable`: the status means a temporary error */
  private checkMoment({ status }: Response): void {
    if (isPassing(status))
      throw new AuthError(
        "auth-unavailable",
        `The upstream ${this.profile.name} answered ${status}. Try again later.`,
      );
  }

  /** Returns the metadata with the issuer that an ID token must name. */
  private issuing(
    as: oauth.AuthorizationServer,
    { id_token: token }: TokenAnswer,
  ): oauth.AuthorizationServer {
    const { idTokenIssuer } = this.profile;
    if (!idTokenIssuer || typeof token !== "string") return as;
    return { ...as, issuer: idTokenIssuer(decodeJwt(token)) };
  }

  private tokens(result: oauth.TokenEndpointResponse): UpstreamTokens {
    const { access_token: access, refresh_token: refresh, expires_in: seconds } = result;
    return {
      access,
      ...(refresh !== undefined && { refresh }),
      ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1000 }),
    };
  }

  private async identity(answer: TokenAnswer, result: oauth.TokenEndpointResponse): Promise<Identity> {
    const found = this.profile.identify
      ? await this.profile.identify(answer, (url) => this.get(url, result.access_token))
      : { subject: oauth.getValidatedIdTokenClaims(result)?.sub ?? "" };
    if (typeof found.subject === "string" && found.subject !== "") return found;
    throw new AuthError(
      "auth-refused",
      `The upstream ${this.profile.name} did not name the user. Add the scope that names the user, or give the profile identify.`,
    );
  }

  private async get(url: string, token: string): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.fetch(url, {
      headers: { accept: "application/json", authorization: `Bearer ${token}`, "user-agent": "mcpgen-auth" },
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    this.checkMoment(response);
    const body = await boundedJson(response);
    if (response.status === 200) return body;
    throw new AuthError("auth-refused", `The upstream ${this.profile.name} answered ${response.status}.`);
  }
}

function isLoopbackServer(server: Upstream["server"]): boolean {
  const url =
    "discover" in server ? (server.discover as string) : (server as oauth.AuthorizationServer).token_endpoint;
  return /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)[:/]/.test(url ?? "");
}

async function boundedJson(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await boundedBytes(response.body, maxBytes);
  if (!bytes)
    throw new AuthError("auth-metadata-invalid", `The upstream answered more than ${maxBytes} bytes.`);
  // An answer that is not JSON counts as an object without members, which is an error.
  return jsonObject(new TextDecoder().decode(bytes)) ?? {};
}
