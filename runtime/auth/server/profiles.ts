// The access tokens of providers, by their documentation. docs/tasks/protect-a-server.md has the table.
import { type Rules, text, texts } from "@mcpgen/base";
import { jsonObject } from "../shared/json-object.js";
import { checkOptions } from "../shared/option-rules.js";
import { Outgoing, toIssuer } from "../shared/outgoing.js";
import { scopesOf } from "../shared/scopes.js";
import { checkKinds, refused } from "./claims.js";
import { type Fetch, boundedFetch, unavailable } from "./issuer-document.js";
import { type JwksOptions, jwks } from "./jwks.js";
import type { Audience, Claims, TokenIssuer } from "./token-issuer.js";

/** Options of every profile. */
interface ProfileOptions {
  /** Accepts tokens without `sub`, as `clientTokens` of `jwks`. Default: `false`. */
  readonly clientTokens?: boolean;
  /** Sends the requests for metadata and keys. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/** Options of profiles of issuers at which this server has a name. */
interface NamedOptions extends ProfileOptions {
  /** The name of this server in `aud`. Default: the resource. */
  readonly audience?: string | readonly string[];
}

export interface EntraOptions extends ProfileOptions {
  /** Id of the tenant. `common`, `organizations` and `consumers` are refused, because anyone can create a tenant. */
  readonly tenant: string;
  /** Application (client) id of this server's registration. */
  readonly clientId: string;
  /** Application id URI. Default: `api://` and the client id. */
  readonly applicationIdUri?: string;
}

/** Valid values of the options of every profile. */
const common: Rules<ProfileOptions> = { clientTokens: "boolean", fetch: "function" };

/** Valid values of the options of a profile at which this server has a name. */
const namedRules: Rules<NamedOptions> = {
  ...common,
  audience: (value) => (typeof value === "string" ? text(value) : texts(value)),
};

/** Makes a rule for a text of a form. Mark the call as pure. */
function textLike(form: RegExp, expected: string): (value: unknown) => string | undefined {
  return (value) => (form.test(String(value)) ? undefined : expected);
}

const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const entraRules: Rules<EntraOptions> = {
  ...common,
  tenant: /* @__PURE__ */ textLike(guid, "the id of a tenant, such as 8eaef023-2b34-4da1-9baa-8bc8c9d6a490"),
  clientId: /* @__PURE__ */ textLike(guid, "an application (client) id"),
  applicationIdUri: text,
};

/**
 * Microsoft Entra ID. Clients request its scopes with the application id URI as a prefix, but tokens contain the scopes
 * without it. Write the long form, such as `api://…/files.read`, in options and definitions. Application permissions
 * (`roles`) count as scopes of tokens without a user.
 *
 * @throws {AuthError} `auth-options`
 */
export function entra(options: EntraOptions): TokenIssuer {
  checkOptions(options, entraRules, "entra.", ["tenant", "clientId"]);
  const { tenant, clientId, applicationIdUri = `api://${clientId}` } = options;
  const tenantUrl = `https://login.microsoftonline.com/${tenant}`;
  const issuer = jwks(`${tenantUrl}/v2.0`, {
    algorithms: ["RS256"],
    types: ["at+jwt", "JWT"],
    // The version of tokens depends on the registration.
    alsoIssuers: [`https://sts.windows.net/${tenant}/`],
    jwksUri: `${tenantUrl}/discovery/v2.0/keys`,
    audience: [clientId, applicationIdUri],
    scopes: (claims) => entraGrants(claims).map((name) => `${applicationIdUri}/${name}`),
    client: ({ azp, appid }) => (azp ?? appid) as string | undefined,
    ...commonOf(options),
  });
  // ID tokens have the same issuer and keys and, if client and server share a registration, the same audience. Only this
  // profile checks `roles`, because at other issuers `roles` has another meaning.
  return checked(issuer, (claims) => entraGrants(claims).length > 0, "it has neither scp nor roles");
}

/**
 * Returns the delegated permissions of a user, or the application permissions of a client. @throws {AuthError}
 * `auth-token-refused`
 */
function entraGrants(claims: Claims): readonly string[] {
  checkKinds(claims, { scp: "string", roles: "texts" });
  const { scp, roles = [] } = claims as { readonly scp?: string; readonly roles?: readonly string[] };
  return scp === undefined ? roles : scopesOf(scp);
}

export interface CognitoOptions extends ProfileOptions {
  readonly region: string;
  /** Id of the user pool, such as `eu-west-1_AbCdEfGhI`. */
  readonly userPool: string;
  /**
   * App clients whose tokens are accepted, if tokens have no `aud`. Default: `aud` must contain the resource, which needs
   * resource binding in the user pool.
   */
  readonly clients?: readonly string[];
}

const cognitoRules: Rules<CognitoOptions> = {
  ...common,
  region: /* @__PURE__ */ textLike(/^[a-z]{2}(-[a-z]+)+-\d$/, "a region, such as eu-west-1"),
  userPool: /* @__PURE__ */ textLike(/^[\w-]+_\w+$/, "the id of a user pool, such as eu-west-1_AbCdEfGhI"),
  clients: texts,
};

/** Amazon Cognito user pools. @throws {AuthError} `auth-options` */
export function cognito(options: CognitoOptions): TokenIssuer {
  checkOptions(options, cognitoRules, "cognito.", ["region", "userPool"]);
  const { region, userPool, clients } = options;
  const issuer = jwks(`https://cognito-idp.${region}.amazonaws.com/${userPool}`, {
    algorithms: ["RS256"],
    ...(clients && { audience: { claim: "client_id", oneOf: clients } }),
    ...commonOf(options),
  });
  return checked(issuer, ({ token_use: use }) => use === "access", "it is not an access token");
}

/** Auth0. @param options `audience` is the identifier of the API @throws {AuthError} `auth-options` */
export function auth0(options: NamedOptions & { readonly domain: string }): TokenIssuer {
  checkOptions(options, { ...namedRules, domain: host }, "auth0.", ["domain"]);
  // The issuer ends with a slash, and is compared as text.
  return jwks(`https://${options.domain}/`, {
    algorithms: ["RS256", "PS256"],
    ...audienceOf(options),
  });
}

/**
 * Okta, with a custom authorization server. Tokens of the org authorization server are only for Okta itself.
 *
 * @param options `server` is the id of the authorization server; default: `default`
 * @throws {AuthError} `auth-options`
 */
export function okta(
  options: NamedOptions & { readonly domain: string; readonly server?: string },
): TokenIssuer {
  checkOptions(options, { ...namedRules, domain: host, server: segment }, "okta.", ["domain"]);
  const { domain, server = "default" } = options;
  return jwks(`https://${domain}/oauth2/${server}`, {
    algorithms: ["RS256"],
    client: ({ cid }) => cid as string | undefined,
    ...audienceOf(options),
  });
}

/** Keycloak. @param options `url` is the URL of the server, before `/realms` @throws {AuthError} `auth-options` */
export function keycloak(
  options: NamedOptions & { readonly url: string; readonly realm: string },
): TokenIssuer {
  checkOptions(options, { ...namedRules, url: text, realm: segment }, "keycloak.", ["url", "realm"]);
  const { url, realm } = options;
  return jwks(`${url.replace(/\/$/, "")}/realms/${realm}`, {
    algorithms: ["RS256", "PS256", "ES256", "EdDSA"],
    ...audienceOf(options),
  });
}

/**
 * PingOne.
 *
 * @param options `domain` of the region; default: `auth.pingone.com`
 * @throws {AuthError} `auth-options`
 */
export function pingOne(
  options: NamedOptions & { readonly environment: string; readonly domain?: string },
): TokenIssuer {
  checkOptions(options, { ...namedRules, environment: segment, domain: host }, "pingOne.", ["environment"]);
  const { environment, domain = "auth.pingone.com" } = options;
  return jwks(`https://${domain}/${environment}/as`, {
    algorithms: ["RS256"],
    ...audienceOf(options),
  });
}

/** WorkOS AuthKit. The resource must be one of its resource indicators. @throws {AuthError} `auth-options` */
export function authKit(options: NamedOptions & { readonly domain: string }): TokenIssuer {
  checkOptions(options, { ...namedRules, domain: host }, "authKit.", ["domain"]);
  return jwks(`https://${options.domain}`, {
    algorithms: ["RS256"],
    ...audienceOf(options),
  });
}

/** Logto. The resource must be one of its API resources. @throws {AuthError} `auth-options` */
export function logto(options: NamedOptions & { readonly domain: string }): TokenIssuer {
  checkOptions(options, { ...namedRules, domain: host }, "logto.", ["domain"]);
  return jwks(`https://${options.domain}/oidc`, {
    algorithms: ["ES384", "RS256"],
    ...audienceOf(options),
  });
}

/**
 * ZITADEL. Roles of the project count as scopes, because its JWT access tokens have no `scope`.
 *
 * @param options `project` is the id of the project, which tokens name in `aud`
 * @throws {AuthError} `auth-options`
 */
export function zitadel(
  options: ProfileOptions & { readonly domain: string; readonly project: string },
): TokenIssuer {
  checkOptions(options, { ...common, domain: host, project: segment }, "zitadel.", ["domain", "project"]);
  const { domain, project } = options;
  return jwks(`https://${domain}`, {
    algorithms: ["RS256", "ES256", "EdDSA"],
    audience: project,
    scopes: (claims) => zitadelGrants(claims, project),
    ...commonOf(options),
  });
}

/** @throws {AuthError} `auth-token-refused` */
function zitadelGrants(claims: Claims, project: string): string[] {
  const name = `urn:zitadel:iam:org:project:${project}:roles`;
  checkKinds(claims, { scope: "string", [name]: "object" });
  const { scope = "" } = claims as { readonly scope?: string };
  return [...scopesOf(scope), ...Object.keys(claims[name] ?? {})];
}

/** Adds a check of claims to the verification of an issuer. */
function checked(issuer: TokenIssuer, fits: (claims: Claims) => boolean, why: string): TokenIssuer {
  const verify = async (token: string): Promise<Claims> => {
    const claims = await issuer.verify(token);
    if (!fits(claims)) throw refused(why);
    return claims;
  };
  return { ...issuer, verify };
}

function audienceOf({
  audience,
  ...options
}: NamedOptions): Pick<JwksOptions, "audience" | "clientTokens" | "fetch"> {
  const given: Audience | undefined = audience;
  return { ...(given !== undefined && { audience: given }), ...commonOf(options) };
}

function commonOf({ clientTokens, fetch }: ProfileOptions): Pick<JwksOptions, "clientTokens" | "fetch"> {
  return { ...(clientTokens !== undefined && { clientTokens }), ...(fetch && { fetch }) };
}

/** The rule for a host, without scheme and path. */
function host(value: unknown): string | undefined {
  const url = `https://${String(value)}`;
  return URL.canParse(url) && new URL(url).host === value
    ? undefined
    : "a host in lower case, without https:// and path";
}

/** The rule for a segment of a path. */
function segment(value: unknown): string | undefined {
  return typeof value === "string" && /^[\w.~-]+$/.test(value) && !/^\.+$/.test(value)
    ? undefined
    : "a name of letters, digits and hyphens";
}

export interface GoogleOptions {
  /** OAuth clients of your project whose tokens are accepted, because Google's tokens name no resource. */
  readonly clients: readonly string[];
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

const tokenInfo = "https://oauth2.googleapis.com/tokeninfo";

/**
 * Google. Its access tokens are opaque, and name the client instead of a resource, so that each of your servers accepts
 * tokens for all others. Prefer a proxy that issues its own tokens. Clients must request the scope `openid`, or tokens have
 * no `sub`.
 *
 * @throws {AuthError} `auth-options`
 */
export function google(options: GoogleOptions): TokenIssuer {
  const rules: Rules<GoogleOptions> = { clients: texts, fetch: "function" };
  checkOptions(options, rules, "google.", ["clients"]);
  const { clients, fetch: send = fetch } = options;
  const outgoing = new Outgoing(toIssuer);
  return {
    issuer: "https://accounts.google.com",
    opaque: true,
    audience: { claim: "aud", oneOf: clients },
    client: ({ azp, aud }) => (typeof azp === "string" ? azp : typeof aud === "string" ? aud : undefined),
    verify: (token) => outgoing.run(tokenInfo, () => informed(send, token)),
  };
}

async function informed(send: Fetch, token: string): Promise<Claims> {
  const response = await boundedFetch(send, tokenInfo, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ access_token: token }).toString(),
  });
  if (response.status === 400) throw refused("its issuer says that it is not active");
  if (response.status !== 200) throw unavailable(`the issuer answered with status ${response.status}`);
  const answer = jsonObject(await response.text());
  if (!answer) throw unavailable("the issuer answered with no JSON object");
  const { iss, exp } = answer;
  // Only answers about ID tokens have an `iss`.
  if (iss !== undefined) throw refused("it is not an access token");
  // Google sends numbers as strings.
  return { ...answer, exp: typeof exp === "string" && /^\d{1,12}$/.test(exp) ? Number(exp) : exp };
}
