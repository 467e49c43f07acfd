// What providers write into the metadata of their authorization servers: the members that a client reads. Each record is written
// from the public source that `source` names, with the names of accounts replaced. None was recorded here from a live provider.
import type { IssuerException } from "../../../runtime/auth/client.js";

export interface ProviderMetadata {
  readonly name: string;
  readonly source: string;
  /** `capture`: the source shows an answer of the provider; `documentation`: an example of its pages. */
  readonly kind: "capture" | "documentation";
  /** The issuer, as a protected resource names it. */
  readonly issuer: string;
  /**
   * The place of the metadata, one of the places that the specification lists. If the source does not say more, other
   * places may have it, too.
   */
  readonly place: "oauth" | "oidc" | "oidc-appended";
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The error that a client without an id gets. Absent: the client can register. */
  readonly fails?:
    | "auth-registration-impossible"
    | "auth-pkce-unsupported"
    | "auth-issuer-mismatch"
    | "auth-metadata-invalid";
  /** The status of its answer to an open registration; default: 201. */
  readonly registration?: number;
  /** Whether a client with an id, and with the exception, can log in. Default: true. */
  readonly usable?: false;
  readonly exception?: IssuerException;
  /** How the client authenticates at the token endpoint, after a registration or with a secret. */
  readonly method?: "none" | "client_secret_basic" | "client_secret_post";
}

const at = (base: string, paths: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [`${name}_endpoint`, base + path]));

const tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";
const entraHost = `https://login.microsoftonline.com/${tenant}`;
const entraMethods = ["client_secret_post", "private_key_jwt", "client_secret_basic"];
const entraPaths = {
  authorization: "/oauth2/v2.0/authorize",
  token: "/oauth2/v2.0/token",
  device_authorization: "/oauth2/v2.0/devicecode",
};
const pool = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEfGhI";
const realm = "https://keycloak.example.com/realms/myrealm";
const environment = "5caa81af-ec05-41ff-a709-c7378007a99c";
const descope = "P2abcdefghijklmnopqrstuvwxyz/MS2abcdefghijklmnopqrstuvwxyz";
const secretMethods = ["client_secret_basic", "client_secret_post"];

export const providers: readonly ProviderMetadata[] = [
  {
    name: "Auth0",
    source:
      "qiita.com/smesh/items/db9b90bc6735cf9381af; the copy in tests of the Redpanda broker (security::oidc)",
    kind: "capture",
    // It ends with a slash.
    issuer: "https://my-domain.eu.auth0.com/",
    place: "oidc",
    metadata: {
      ...at("https://my-domain.eu.auth0.com", {
        authorization: "/authorize",
        token: "/oauth/token",
        device_authorization: "/oauth/device/code",
        registration: "/oidc/register",
        revocation: "/oauth/revoke",
      }),
      code_challenge_methods_supported: ["S256", "plain"],
      token_endpoint_auth_methods_supported: [...secretMethods, "private_key_jwt"],
      scopes_supported: ["openid", "profile", "offline_access", "email"],
    },
    method: "client_secret_basic",
  },
  {
    name: "Okta, the org authorization server",
    source:
      "github.com/api-evangelist/okta, well-known/; a registration needs an administrator's token: envoyproxy/ai-gateway#2074",
    kind: "capture",
    issuer: "https://example.okta.com",
    place: "oauth",
    metadata: {
      ...at("https://example.okta.com/oauth2/v1", {
        authorization: "/authorize",
        token: "/token",
        registration: "/clients",
        introspection: "/introspect",
        revocation: "/revoke",
        device_authorization: "/device/authorize",
      }),
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: [
        ...secretMethods,
        "client_secret_jwt",
        "private_key_jwt",
        "none",
      ],
      dpop_signing_alg_values_supported: ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"],
      scopes_supported: ["openid", "profile", "offline_access", "groups"],
      client_id_metadata_document_supported: true,
    },
    registration: 403,
    fails: "auth-registration-impossible",
    method: "client_secret_basic",
  },
  {
    name: "Microsoft Entra ID, version 2",
    source: "github.com/Drenso/symfony-oidc issue 93; github.com/erlef/oidcc issue 376",
    kind: "capture",
    issuer: `${entraHost}/v2.0`,
    place: "oidc-appended",
    metadata: {
      ...at(entraHost, entraPaths),
      token_endpoint_auth_methods_supported: entraMethods,
      scopes_supported: ["openid", "profile", "email", "offline_access"],
    },
    fails: "auth-pkce-unsupported",
    exception: { pkce: "assumed", resource: "omit" },
    method: "client_secret_basic",
  },
  {
    name: "Microsoft Entra ID, common",
    source: "github.com/geldata/gel pull request 6028",
    kind: "capture",
    issuer: "https://login.microsoftonline.com/common/v2.0",
    place: "oidc-appended",
    metadata: {
      // The braces stand in the document.
      issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
      ...at("https://login.microsoftonline.com/common", entraPaths),
      token_endpoint_auth_methods_supported: entraMethods,
    },
    fails: "auth-issuer-mismatch",
    usable: false,
  },
  {
    name: "Google",
    source: "github.com/iamgbsmith/til, security/get-openid-connect-provider-configuration.md",
    kind: "capture",
    issuer: "https://accounts.google.com",
    place: "oidc",
    metadata: {
      authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      token_endpoint: "https://oauth2.googleapis.com/token",
      device_authorization_endpoint: "https://oauth2.googleapis.com/device/code",
      revocation_endpoint: "https://oauth2.googleapis.com/revoke",
      code_challenge_methods_supported: ["plain", "S256"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
      scopes_supported: ["openid", "email", "profile"],
    },
    fails: "auth-registration-impossible",
    method: "client_secret_basic",
  },
  {
    name: "Keycloak",
    source: "github.com/api-evangelist, metadata of the realm of 4screen",
    kind: "capture",
    issuer: realm,
    place: "oidc-appended",
    metadata: {
      ...at(realm, {
        authorization: "/protocol/openid-connect/auth",
        token: "/protocol/openid-connect/token",
        introspection: "/protocol/openid-connect/token/introspect",
        device_authorization: "/protocol/openid-connect/auth/device",
        revocation: "/protocol/openid-connect/revoke",
        registration: "/clients-registrations/openid-connect",
      }),
      code_challenge_methods_supported: ["plain", "S256"],
      token_endpoint_auth_methods_supported: [
        "private_key_jwt",
        "client_secret_basic",
        "client_secret_post",
        "tls_client_auth",
        "client_secret_jwt",
      ],
    },
    method: "client_secret_basic",
  },
  {
    name: "Amazon Cognito",
    source: "github.com/api-evangelist/covatic, well-known/covatic-openid-configuration.json",
    kind: "capture",
    issuer: pool,
    place: "oidc-appended",
    metadata: {
      ...at("https://example.auth.eu-west-1.amazoncognito.com/oauth2", {
        authorization: "/authorize",
        token: "/token",
        revocation: "/revoke",
      }),
      token_endpoint_auth_methods_supported: secretMethods,
      scopes_supported: ["openid", "email", "phone", "profile"],
    },
    fails: "auth-pkce-unsupported",
    exception: { pkce: "assumed" },
    method: "client_secret_basic",
  },
  {
    name: "WorkOS AuthKit",
    source: "github.com/api-evangelist/workos, well-known/workos-signin-oauth-authorization-server.json",
    kind: "capture",
    issuer: "https://example.authkit.app",
    place: "oauth",
    metadata: {
      ...at("https://example.authkit.app/oauth2", {
        authorization: "/authorize",
        token: "/token",
        registration: "/register",
        introspection: "/introspection",
        device_authorization: "/device_authorization",
      }),
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_post", "client_secret_basic"],
      scopes_supported: ["email", "offline_access", "openid", "profile"],
      client_id_metadata_document_supported: true,
    },
    method: "none",
  },
  {
    name: "Stytch, the OpenID Connect document",
    source: "stytch.com/docs/b2b/api/connected-app-openid-configuration",
    kind: "documentation",
    issuer: "https://login.example.com",
    place: "oidc",
    metadata: {
      authorization_endpoint: "https://example.com/oauth2/authorize",
      token_endpoint: "https://login.example.com/v1/oauth2/token",
      token_endpoint_auth_methods_supported: secretMethods,
      scopes_supported: ["openid", "profile", "email", "phone", "offline_access"],
    },
    fails: "auth-pkce-unsupported",
    exception: { pkce: "assumed" },
    method: "client_secret_basic",
  },
  {
    name: "Descope",
    source: "docs.descope.com/agentic-identity-hub/mcp-servers/discovery-url",
    kind: "documentation",
    issuer: `https://api.descope.com/v1/apps/agentic/${descope}`,
    place: "oidc-appended",
    metadata: {
      authorization_endpoint: `https://api.descope.com/oauth2/v1/apps/agentic/${descope}/authorize`,
      token_endpoint: `https://api.descope.com/oauth2/v1/apps/agentic/${descope}/token`,
      revocation_endpoint: `https://api.descope.com/oauth2/v1/apps/${descope.split("/")[0]}/revoke`,
      registration_endpoint: `https://api.descope.com/v1/mgmt/mcp/client/${descope}/register`,
      code_challenge_methods_supported: ["S256"],
      scopes_supported: ["mcp:schedule_meetings", "mcp:read_contacts"],
    },
    // The example names no methods: RFC 8414, 2.
    method: "client_secret_basic",
  },
  {
    name: "PingOne",
    source:
      "developer.pingidentity.com/pingone-api/auth/openid-connect-oauth-2/auth-server-metadata.html (the place)",
    kind: "documentation",
    issuer: `https://auth.pingone.com/${environment}/as`,
    place: "oauth",
    metadata: {
      ...at(`https://auth.pingone.com/${environment}/as`, { authorization: "/authorize", token: "/token" }),
      // The page shows the place and the endpoints. We assume that the document lists these endpoints.
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: secretMethods,
    },
    fails: "auth-registration-impossible",
    method: "client_secret_basic",
  },
  {
    name: "GitLab, the OpenID Connect document",
    source: "github.com/api-evangelist/gitlab, well-known/gitlab-openid-configuration.json",
    kind: "capture",
    issuer: "https://gitlab.com",
    place: "oidc",
    metadata: {
      ...at("https://gitlab.com/oauth", {
        authorization: "/authorize",
        token: "/token",
        introspection: "/introspect",
        revocation: "/revoke",
      }),
      code_challenge_methods_supported: ["plain", "S256"],
      token_endpoint_auth_methods_supported: secretMethods,
      scopes_supported: ["api", "read_user", "mcp", "openid", "profile", "email"],
    },
    fails: "auth-registration-impossible",
    method: "client_secret_basic",
  },
  {
    name: "ZITADEL",
    source: "github.com/api-evangelist, metadata of the instances of aescape and woowup",
    kind: "capture",
    issuer: "https://example-abc123.zitadel.cloud",
    place: "oidc",
    metadata: {
      ...at("https://example-abc123.zitadel.cloud/oauth/v2", {
        authorization: "/authorize",
        token: "/token",
        introspection: "/introspect",
        revocation: "/revoke",
        device_authorization: "/device_authorization",
      }),
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", ...secretMethods, "private_key_jwt"],
    },
    fails: "auth-registration-impossible",
    method: "client_secret_basic",
  },
  {
    name: "Slack, Sign in with Slack",
    source: "a discovery document that tests of several public repositories copy: openid/connect/authorize",
    kind: "capture",
    issuer: "https://slack.com",
    place: "oidc",
    metadata: {
      authorization_endpoint: "https://slack.com/openid/connect/authorize",
      token_endpoint: "https://slack.com/api/openid.connect.token",
      scopes_supported: ["openid", "profile", "email"],
    },
    fails: "auth-pkce-unsupported",
    usable: false,
  },
  {
    name: "Salesforce",
    source: "github.com/api-evangelist/salesforce, well-known/salesforce-openid-configuration.json",
    kind: "capture",
    issuer: "https://login.salesforce.com",
    place: "oidc",
    metadata: {
      ...at("https://login.salesforce.com/services/oauth2", {
        authorization: "/authorize",
        token: "/token",
        registration: "/register",
        introspection: "/introspect",
        revocation: "/revoke",
      }),
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic", "private_key_jwt"],
      scopes_supported: ["api", "refresh_token", "offline_access", "openid", "mcp_api"],
    },
    fails: "auth-pkce-unsupported",
    exception: { pkce: "assumed" },
    method: "client_secret_basic",
  },
  {
    name: "Atlassian, `api.atlassian.com`",
    source: "github.com/api-evangelist/atlassian, well-known/atlassian-well-known.yml: all places answer 404",
    kind: "capture",
    issuer: "https://api.atlassian.com",
    place: "oauth",
    metadata: {},
    fails: "auth-metadata-invalid",
    usable: false,
  },
];
