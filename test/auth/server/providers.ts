// Shapes of metadata and access tokens of providers. All are written from the public documentation that `source` names; none
// was recorded from a live provider. Values are invented; members and their types are those of the documentation.
import type { TokenIssuer } from "@mcpgen/auth/server";
import {
  auth0,
  authKit,
  cognito,
  entra,
  jwks,
  keycloak,
  logto,
  okta,
  pingOne,
  zitadel,
} from "@mcpgen/auth/server";
import { resource } from "./requests.js";

type Members = Readonly<Record<string, unknown>>;

export interface Provider {
  readonly name: string;
  readonly source: string;
  /** The members of the metadata document that a resource server reads. */
  readonly metadata: { readonly issuer: string; readonly jwks_uri: string };
  /** Whether the metadata is read; otherwise the profile knows the keys. */
  readonly discovers?: false;
  readonly header: Members;
  /** Claims without times. */
  readonly claims: Members;
  readonly issuer: (send: typeof fetch) => TokenIssuer;
  readonly expected: {
    readonly principal: string;
    readonly clientId: string | undefined;
    readonly scopes: readonly string[];
  };
  /** Tokens of the same provider that must be refused: changes of the claims. */
  readonly refused: Readonly<Record<string, Members>>;
}

const tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";
const api = "6731de76-14a6-49ae-97bc-6eba6914391e";
const caller = "b14a7505-96e9-4927-91e8-0601d0fc9caa";
const entraMetadata = {
  issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
  jwks_uri: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
};
const entraSource = "https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference";
const entraIssuer = (send: typeof fetch): TokenIssuer => entra({ tenant, clientId: api, fetch: send });
const pool = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEfGhI";
const cognitoSource =
  "https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html";

export const providers: readonly Provider[] = [
  {
    name: "Entra, token version 2",
    source: entraSource,
    metadata: entraMetadata,
    discovers: false,
    header: { typ: "JWT", alg: "RS256" },
    claims: {
      aud: api,
      iss: entraMetadata.issuer,
      aio: "AXQAi/8IAAAA",
      azp: caller,
      azpacr: "0",
      name: "Jane Doe",
      oid: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
      preferred_username: "jane@contoso.com",
      rh: "I",
      scp: "files.read files.write",
      sub: "HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ",
      tid: tenant,
      uti: "fqiBqXLPj0eQa82S-IYFAA",
      ver: "2.0",
    },
    issuer: entraIssuer,
    expected: {
      principal: `${entraMetadata.issuer}|HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ`,
      clientId: caller,
      scopes: [`api://${api}/files.read`, `api://${api}/files.write`],
    },
    refused: {
      "for Microsoft Graph": { aud: "00000003-0000-0000-c000-000000000000" },
      "of another tenant": {
        iss: "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
      },
      "an ID token for the same registration": { scp: undefined, nonce: "n" },
    },
  },
  {
    name: "Entra, token version 1",
    source: entraSource,
    metadata: entraMetadata,
    discovers: false,
    header: { typ: "JWT", alg: "RS256", x5t: "i6lGk3FZzxRcUb2C3nEQ7syHJlY" },
    claims: {
      aud: `api://${api}`,
      iss: `https://sts.windows.net/${tenant}/`,
      acr: "1",
      appid: caller,
      appidacr: "0",
      ipaddr: "192.0.2.1",
      oid: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
      scp: "files.read",
      sub: "HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ",
      tid: tenant,
      unique_name: "jane@contoso.com",
      ver: "1.0",
    },
    issuer: entraIssuer,
    expected: {
      principal: `https://sts.windows.net/${tenant}/|HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ`,
      clientId: caller,
      scopes: [`api://${api}/files.read`],
    },
    refused: { "without the slash of the issuer": { iss: `https://sts.windows.net/${tenant}` } },
  },
  {
    name: "Entra, application without user",
    source: entraSource,
    metadata: entraMetadata,
    discovers: false,
    header: { typ: "JWT", alg: "RS256" },
    claims: {
      aud: api,
      iss: entraMetadata.issuer,
      azp: caller,
      azpacr: "1",
      idtyp: "app",
      oid: "7d6a5d3c-1111-4222-8333-444455556666",
      roles: ["files.read"],
      sub: "7d6a5d3c-1111-4222-8333-444455556666",
      tid: tenant,
      ver: "2.0",
    },
    issuer: entraIssuer,
    expected: {
      principal: `${entraMetadata.issuer}|7d6a5d3c-1111-4222-8333-444455556666`,
      clientId: caller,
      scopes: [`api://${api}/files.read`],
    },
    refused: { "without roles": { roles: undefined } },
  },
  {
    name: "Cognito, without resource binding",
    source: cognitoSource,
    metadata: { issuer: pool, jwks_uri: `${pool}/.well-known/jwks.json` },
    header: { alg: "RS256" },
    claims: {
      sub: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      device_key: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      "cognito:groups": ["testgroup"],
      iss: pool,
      version: 2,
      client_id: "xxxxxxxxxxxxexample",
      origin_jti: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      event_id: "64f513be-32db-42b0-b78e-b02127b4f463",
      token_use: "access",
      scope: "phone openid profile email",
      username: "my-test-user",
    },
    issuer: (send) =>
      cognito({
        region: "eu-west-1",
        userPool: "eu-west-1_AbCdEfGhI",
        clients: ["xxxxxxxxxxxxexample"],
        fetch: send,
      }),
    expected: {
      principal: `${pool}|aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee`,
      clientId: "xxxxxxxxxxxxexample",
      scopes: ["phone", "openid", "profile", "email"],
    },
    refused: {
      "of another app client": { client_id: "other" },
      "an ID token": { token_use: "id", aud: "xxxxxxxxxxxxexample", client_id: undefined },
      "without token_use": { token_use: undefined },
    },
  },
  {
    name: "Cognito, with resource binding",
    source: cognitoSource,
    metadata: { issuer: pool, jwks_uri: `${pool}/.well-known/jwks.json` },
    header: { alg: "RS256" },
    claims: {
      sub: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      iss: pool,
      version: 2,
      aud: resource,
      client_id: "xxxxxxxxxxxxexample",
      token_use: "access",
      scope: "files/read",
      username: "my-test-user",
    },
    issuer: (send) => cognito({ region: "eu-west-1", userPool: "eu-west-1_AbCdEfGhI", fetch: send }),
    expected: {
      principal: `${pool}|aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee`,
      clientId: "xxxxxxxxxxxxexample",
      scopes: ["files/read"],
    },
    refused: {
      "without aud": { aud: undefined },
      "for another resource": { aud: "https://other.example.com" },
    },
  },
  ...(["azp", "client_id"] as const).map((client): Provider => ({
    name: client === "azp" ? "Auth0, its own token profile" : "Auth0, the token profile of RFC 9068",
    source: "https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles",
    metadata: {
      issuer: "https://my-domain.eu.auth0.com/",
      jwks_uri: "https://my-domain.eu.auth0.com/.well-known/jwks.json",
    },
    header: { alg: "RS256", typ: client === "azp" ? "JWT" : "at+jwt" },
    claims: {
      iss: "https://my-domain.eu.auth0.com/",
      sub: "auth0|123456",
      aud: [resource, "https://my-domain.eu.auth0.com/userinfo"],
      [client]: "my_client_id",
      scope: "openid profile read:patients",
      permissions: ["read:patients"],
    },
    issuer: (send) => auth0({ domain: "my-domain.eu.auth0.com", fetch: send }),
    expected: {
      principal: "https://my-domain.eu.auth0.com/|auth0|123456",
      clientId: "my_client_id",
      scopes: ["openid", "profile", "read:patients"],
    },
    refused: {
      "for userinfo alone": { aud: "https://my-domain.eu.auth0.com/userinfo" },
      "of an issuer without slash": { iss: "https://my-domain.eu.auth0.com" },
    },
  })),
  {
    name: "Okta, a custom authorization server",
    source: "https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/",
    metadata: {
      issuer: "https://example.okta.com/oauth2/default",
      jwks_uri: "https://example.okta.com/oauth2/default/v1/keys",
    },
    header: { alg: "RS256" },
    claims: {
      ver: 1,
      jti: "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE",
      iss: "https://example.okta.com/oauth2/default",
      aud: "api://default",
      sub: "jane@example.com",
      cid: "nmdP1fcyvdVO11AL7ECm",
      uid: "00ulthapbErVUwVJy4x6",
      scp: ["openid", "files.read"],
    },
    issuer: (send) => okta({ domain: "example.okta.com", audience: "api://default", fetch: send }),
    expected: {
      principal: "https://example.okta.com/oauth2/default|jane@example.com",
      clientId: "nmdP1fcyvdVO11AL7ECm",
      scopes: ["openid", "files.read"],
    },
    refused: {
      "of the org authorization server": { iss: "https://example.okta.com", aud: "https://example.okta.com" },
    },
  },
  {
    name: "Keycloak",
    source: "https://www.keycloak.org/docs/latest/server_admin/",
    metadata: {
      issuer: "https://keycloak.example.com/realms/myrealm",
      jwks_uri: "https://keycloak.example.com/realms/myrealm/protocol/openid-connect/certs",
    },
    header: { alg: "RS256", typ: "JWT" },
    claims: {
      jti: "abc123",
      iss: "https://keycloak.example.com/realms/myrealm",
      aud: [resource, "account"],
      sub: "0e9d7a1e-4a55-4b3a-a0ee-6b9a1c0b5a11",
      typ: "Bearer",
      azp: "my-client",
      sid: "2a88c258-f73a-4103-b862-e1fbd8f4e04e",
      acr: "1",
      "allowed-origins": ["https://app.example.com"],
      realm_access: { roles: ["offline_access", "uma_authorization"] },
      resource_access: { account: { roles: ["view-profile"] } },
      scope: "email profile",
      email_verified: true,
      preferred_username: "jane",
    },
    issuer: (send) => keycloak({ url: "https://keycloak.example.com", realm: "myrealm", fetch: send }),
    expected: {
      principal: "https://keycloak.example.com/realms/myrealm|0e9d7a1e-4a55-4b3a-a0ee-6b9a1c0b5a11",
      clientId: "my-client",
      scopes: ["email", "profile"],
    },
    refused: {
      "without an audience mapper": { aud: "account" },
      "an ID token": { typ: "ID" },
      "of another realm": { iss: "https://keycloak.example.com/realms/other" },
    },
  },
  {
    name: "PingOne",
    source:
      "https://developer.pingidentity.com/pingone-api/foundations/authentication-concepts/access-tokens-and-id-tokens/token-claims.html",
    metadata: {
      issuer: "https://auth.pingone.eu/5caa81af-ec05-41ff-a709-c7378007a99c/as",
      jwks_uri: "https://auth.pingone.eu/5caa81af-ec05-41ff-a709-c7378007a99c/as/jwks",
    },
    header: { alg: "RS256", typ: "at+jwt" },
    claims: {
      client_id: "0d35e2e9-4ddb-4fd7-9cf1-5d1a7cf51e7e",
      iss: "https://auth.pingone.eu/5caa81af-ec05-41ff-a709-c7378007a99c/as",
      aud: ["files-api"],
      scope: "read write",
      sub: "3dec9f63-cf5b-4d6a-9d2f-0d1a5c0f3c9e",
      sid: "a6c1e0f4-0d2e-4e0a-8c41-df5d0f1e6d27",
    },
    issuer: (send) =>
      pingOne({
        environment: "5caa81af-ec05-41ff-a709-c7378007a99c",
        domain: "auth.pingone.eu",
        audience: "files-api",
        fetch: send,
      }),
    expected: {
      principal:
        "https://auth.pingone.eu/5caa81af-ec05-41ff-a709-c7378007a99c/as|3dec9f63-cf5b-4d6a-9d2f-0d1a5c0f3c9e",
      clientId: "0d35e2e9-4ddb-4fd7-9cf1-5d1a7cf51e7e",
      scopes: ["read", "write"],
    },
    refused: { "for the platform": { aud: ["https://api.pingone.eu"] } },
  },
  {
    name: "WorkOS AuthKit",
    source: "https://workos.com/docs/user-management/mcp",
    metadata: { issuer: "https://example.authkit.app", jwks_uri: "https://example.authkit.app/oauth2/jwks" },
    header: { alg: "RS256" },
    claims: {
      iss: "https://example.authkit.app",
      aud: resource,
      sub: "user_01HBEQKA6K4QJAS93VPE39W1JT",
      sid: "session_01HQSXZGF8FHF7A9ZZFCW4387R",
      jti: "01HQSXZXPPFPKMDD32RKTFY6PV",
      scope: "openid profile",
    },
    issuer: (send) => authKit({ domain: "example.authkit.app", fetch: send }),
    expected: {
      principal: "https://example.authkit.app|user_01HBEQKA6K4QJAS93VPE39W1JT",
      clientId: undefined,
      scopes: ["openid", "profile"],
    },
    refused: { "for its client, without resource indicator": { aud: "client_01HXYZ" } },
  },
  {
    name: "Logto",
    source: "https://docs.logto.io/authorization/validate-access-tokens",
    metadata: { issuer: "https://example.logto.app/oidc", jwks_uri: "https://example.logto.app/oidc/jwks" },
    header: { alg: "ES384", typ: "at+jwt" },
    claims: {
      jti: "VovNyqJ5_tuYac89eTbpF",
      sub: "rkxl1ops7gs1",
      scope: "read:files",
      client_id: "foo123",
      iss: "https://example.logto.app/oidc",
      aud: resource,
    },
    issuer: (send) => logto({ domain: "example.logto.app", fetch: send }),
    expected: {
      principal: "https://example.logto.app/oidc|rkxl1ops7gs1",
      clientId: "foo123",
      scopes: ["read:files"],
    },
    refused: { "for another API resource": { aud: "https://shopping.your-app.com/api" } },
  },
  {
    name: "ZITADEL",
    source: "https://zitadel.com/docs/apis/openidoauth/claims",
    metadata: {
      issuer: "https://example-abc123.zitadel.cloud",
      jwks_uri: "https://example-abc123.zitadel.cloud/oauth/v2/keys",
    },
    header: { alg: "RS256", typ: "at+jwt" },
    claims: {
      iss: "https://example-abc123.zitadel.cloud",
      sub: "77776025198584418",
      aud: ["69234237810729019", "69234230193872955"],
      client_id: "69234237810729019@files",
      jti: "69234237810729019",
      "urn:zitadel:iam:org:project:69234230193872955:roles": {
        reader: { "69234237810729000": "example.com" },
      },
    },
    issuer: (send) =>
      zitadel({ domain: "example-abc123.zitadel.cloud", project: "69234230193872955", fetch: send }),
    expected: {
      principal: "https://example-abc123.zitadel.cloud|77776025198584418",
      clientId: "69234237810729019@files",
      scopes: ["reader"],
    },
    refused: { "for another project": { aud: ["69234237810729019"] } },
  },
  {
    name: "Salesforce, JWT-based access tokens",
    source: "https://help.salesforce.com/s/articleView?id=xcloud.jwt_access_tokens.htm",
    metadata: {
      issuer: "https://example.my.salesforce.com",
      jwks_uri: "https://example.my.salesforce.com/id/keys",
    },
    header: { alg: "RS256", typ: "JWT", tty: "sfdc-core-token", ver: "1.0" },
    claims: {
      iss: "https://example.my.salesforce.com",
      sub: "uid:005xx000001Svog",
      aud: ["https://example.my.salesforce.com", resource],
      scp: "api refresh_token",
      client_id: "3MVG9lKcPoNINVBKT1GPn6_rTsvwkNqWDg",
      mty: "oauth",
      roles: [],
    },
    issuer: (send) => jwks("https://example.my.salesforce.com", { algorithms: ["RS256"], fetch: send }),
    expected: {
      principal: "https://example.my.salesforce.com|uid:005xx000001Svog",
      clientId: "3MVG9lKcPoNINVBKT1GPn6_rTsvwkNqWDg",
      scopes: ["api", "refresh_token"],
    },
    refused: { "for its own API alone": { aud: ["https://example.my.salesforce.com"] } },
  },
  {
    name: "Scalekit, a token of an application",
    source: "https://docs.scalekit.com/cookbooks/m2m-jwks-and-oauth-scopes/",
    metadata: { issuer: "https://example.scalekit.com", jwks_uri: "https://example.scalekit.com/keys" },
    header: { alg: "RS256", typ: "JWT" },
    claims: {
      iss: "https://example.scalekit.com",
      sub: "m2morg_68315758685323697",
      aud: [resource],
      client_id: "m2morg_68315758685323697",
      jti: "tkn_987654321098765432",
      scopes: ["files:read", "files:write"],
    },
    // The scopes are not in the claim that RFC 9068 defines.
    issuer: (send) =>
      jwks("https://example.scalekit.com", {
        algorithms: ["RS256"],
        scopes: ({ scopes }) => (Array.isArray(scopes) ? (scopes as string[]) : []),
        fetch: send,
      }),
    expected: {
      principal: "https://example.scalekit.com|m2morg_68315758685323697",
      clientId: "m2morg_68315758685323697",
      scopes: ["files:read", "files:write"],
    },
    refused: { "of a login, for its client": { aud: ["skc_987654321098765432"] } },
  },
];

/** Access tokens that name neither an issuer nor a resource: they are for the provider's own API. */
export const opaqueTokens: Readonly<Record<string, string>> = {
  GitHub: "gho_16C7e42F292c6912E7710c838347Ae178B4a",
  GitLab: "dd14a5e7b1c2f3a4958677e8d9c0b1a2f3e4d5c6b7a8990011223344556677aa",
  Slack: "xoxp-1234567890-1234567890-abcdefabcdef",
  Linear: "lin_oauth_7a1f0f5e1b2c3d4e5f60718293a4b5c6",
  Atlassian: "ATOAb3BhcXVlLXRva2VuLW9mLWF0bGFzc2lhbg",
};
