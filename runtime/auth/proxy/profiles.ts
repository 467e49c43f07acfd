import { AuthError } from "../shared/errors.js";
import type { TokenAnswer, Upstream } from "./upstream.js";

/** The client that the operator has registered at the upstream, with the redirect URI `<issuer>/oauth/callback`. */
export interface UpstreamClientOptions {
  readonly clientId: string;
  readonly secret: string;
  readonly scopes?: readonly string[];
}

/**
 * GitHub: an OAuth App or a GitHub App. Tokens of OAuth Apps do not expire and cannot be refreshed; they are used until
 * GitHub refuses them.
 *
 * @param options.host host of a GitHub Enterprise Server. Default: github.com
 */
export function github(
  options: UpstreamClientOptions & { readonly host?: string; readonly api?: string },
): Upstream {
  const { clientId, secret, scopes = [], host = "https://github.com" } = options;
  const api = options.api ?? (options.host === undefined ? "https://api.github.com" : `${host}/api/v3`);
  return {
    name: "GitHub",
    server: {
      issuer: `${host}/login/oauth`,
      authorization_endpoint: `${host}/login/oauth/authorize`,
      token_endpoint: `${host}/login/oauth/access_token`,
    },
    clientId,
    secret,
    authentication: "post",
    scopes,
    identityScopes: ["read:user"],
    reshape: (answer) => withGrantError(answer, "bad_refresh_token"),
    identify: async (_, get) => {
      const { id, login } = await get(`${api}/user`);
      return { subject: String(id ?? ""), ...(typeof login === "string" && { name: login }) };
    },
  };
}

/** Replaces the upstream's own error code for an ended refresh token by `invalid_grant` (RFC 6749, 5.2). */
function withGrantError(answer: TokenAnswer, code: string): TokenAnswer {
  return answer["error"] === code ? { ...answer, error: "invalid_grant" } : answer;
}

/**
 * Google. It issues a refresh token only with `access_type=offline`, and a new one only with `prompt=consent`. Its tokens
 * are not revoked, because a revocation ends all logins of the user at this server, including those of other clients.
 */
export function google({ clientId, secret, scopes = [] }: UpstreamClientOptions): Upstream {
  return {
    name: "Google",
    server: {
      issuer: "https://accounts.google.com",
      authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      token_endpoint: "https://oauth2.googleapis.com/token",
    },
    clientId,
    secret,
    authentication: "post",
    scopes,
    identityScopes: ["openid"],
    parameters: { access_type: "offline", prompt: "consent" },
  };
}

/**
 * Microsoft Entra ID, version 2.0. It gets no parameter `resource`, because the scopes name the API.
 *
 * @param options.tenant id or domain of the tenant, or `organizations` for all
 * @throws {AuthError} `auth-options`
 */
export function entra(options: UpstreamClientOptions & { readonly tenant: string }): Upstream {
  const { clientId, secret, scopes = [], tenant } = options;
  if (!/^[\w.-]+$/.test(tenant))
    throw new AuthError("auth-options", "entra: tenant: must be an id or a domain, such as contoso.com.");
  const base = `https://login.microsoftonline.com/${tenant}`;
  return {
    name: "Microsoft",
    server: {
      issuer: `${base}/v2.0`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      token_endpoint: `${base}/oauth2/v2.0/token`,
    },
    clientId,
    secret,
    authentication: "post",
    scopes,
    identityScopes: ["openid", "offline_access"],
    // The ID token has the id of the tenant, even if the URL has its domain.
    idTokenIssuer: ({ tid }) =>
      /^[\da-f-]{36}$/.test(String(tid)) ? `https://login.microsoftonline.com/${String(tid)}/v2.0` : "",
  };
}

/**
 * Slack, with user tokens: scopes go into the parameter `user_scope`, and the token is in a nested member of the answer.
 */
export function slack({ clientId, secret, scopes = [] }: UpstreamClientOptions): Upstream {
  return {
    name: "Slack",
    server: {
      issuer: "https://slack.com",
      authorization_endpoint: "https://slack.com/oauth/v2/authorize",
      token_endpoint: "https://slack.com/api/oauth.v2.access",
    },
    clientId,
    secret,
    authentication: "post",
    scopes,
    identityScopes: ["users:read"],
    scopeParameter: "user_scope",
    scopeSeparator: ",",
    reshape: slackAnswer,
    identify: ({ user, team }) => ({ subject: user && team ? `${String(team)}.${String(user)}` : "" }),
  };
}

function slackAnswer(answer: TokenAnswer): TokenAnswer {
  const { ok, error, authed_user: user, team } = answer as SlackAnswer;
  if (ok !== true)
    return withGrantError(
      { error: typeof error === "string" ? error : "invalid_grant" },
      "invalid_refresh_token",
    );
  // A refreshed user token is at the top level of the answer, where a first answer has the bot token.
  const { id, access_token, refresh_token, expires_in } =
    user ?? (answer as NonNullable<SlackAnswer["authed_user"]>);
  return {
    access_token,
    token_type: "bearer",
    ...(refresh_token !== undefined && { refresh_token }),
    ...(expires_in !== undefined && { expires_in }),
    user: id,
    team: team?.id,
  };
}

interface SlackAnswer {
  readonly ok?: unknown;
  readonly error?: unknown;
  readonly authed_user?: {
    readonly id?: string;
    readonly access_token?: string;
    readonly refresh_token?: string;
    readonly expires_in?: number;
  };
  readonly team?: { readonly id?: string };
}

/** Any OpenID Connect provider, by its discovery document. */
export function oidc(
  options: UpstreamClientOptions & {
    readonly name: string;
    readonly issuer: string;
    readonly authentication?: "basic" | "post";
    readonly parameters?: Readonly<Record<string, string>>;
  },
): Upstream {
  const { name, issuer, clientId, secret, scopes = [], authentication = "basic", parameters = {} } = options;
  return {
    name,
    server: { discover: issuer },
    clientId,
    secret,
    authentication,
    scopes,
    identityScopes: ["openid"],
    parameters,
  };
}
