import { expect, test } from "vitest";
import {
  AuthError,
  clientCredentials,
  enterprise,
  oauth,
  workloadIdentity,
} from "../../../runtime/auth/client.js";

type Make = (options: never) => unknown;

const idToken = (): string => "x";
const issuer = "https://as.example";
const known = { id: "a", secret: "hunter2-hunter2", issuer };
const idpClient = { id: "a", secret: "hunter2-hunter2" };
const business = { idp: "https://idp.example", idToken, client: known, idpClient };

test.each<[string, Make, unknown]>([
  ["options: ", oauth, null],
  ["options: ", oauth, []],
  ["redirects: ", oauth, { redirects: {} }],
  ["client.secrets: ", oauth, { client: { secrets: "hunter2-hunter2" } }],
  ["client.metadataUrl: ", oauth, { client: { metadataUrl: "http://app.example/client.json" } }],
  ["client.metadataUrl: ", oauth, { client: { metadataUrl: "https://app.example" } }],
  ["client.metadataUrl: ", oauth, { client: { metadataUrl: "https://app.example/" } }],
  ["client.metadataUrl: ", oauth, { client: { metadataUrl: "https://app.example/client.json#x" } }],
  ["client.metadataUrl: ", oauth, { client: { metadataUrl: "https://user@app.example/client.json" } }],
  ["client.metadataUrl: ", oauth, { client: { metadataUrl: "client.json" } }],
  ["client.id: ", oauth, { client: { secret: "hunter2-hunter2" } }],
  ["legacy: ", oauth, { legacy: "2025-06-18" }],
  ["dpop: ", oauth, { dpop: true }],
  ["dpop: ", clientCredentials, { ...known, dpop: true }],
  ["redirect: ", oauth, { redirect: "hunter2-hunter2" }],
  ["scopes: ", oauth, { scopes: ["hunter2-hunter2"] }],
  ["scopes.policy: ", oauth, { scopes: { policy: "hunter2-hunter2" } }],
  ["scopes.always: ", oauth, { scopes: { always: "hunter2-hunter2" } }],
  ["scopes: ", clientCredentials, { ...known, scopes: "hunter2-hunter2 b" }],
  ["issuer: ", oauth, { issuer: "hunter2-hunter2" }],
  ["store: ", oauth, { store: {} }],
  ["store: ", workloadIdentity, { issuer, assertion: () => "x", store: {} }],
  ["id: ", clientCredentials, { ...known, id: "" }],
  ["secret: ", clientCredentials, { id: "a", issuer }],
  ["secret: ", clientCredentials, { ...known, key: { pem: "hunter2-hunter2" } }],
  ["redirect: ", clientCredentials, { ...known, redirect: {} }],
  ["assertion: ", workloadIdentity, { issuer, assertion: "hunter2-hunter2" }],
  ["secret: ", workloadIdentity, { issuer, assertion: () => "x", secret: "hunter2-hunter2" }],
  ["idToken: ", enterprise, { ...business, idToken: "hunter2-hunter2" }],
  ["issuer: ", clientCredentials, { id: "a", secret: "hunter2-hunter2" }],
  ["issuer: ", clientCredentials, { ...known, issuer: "http://as.example" }],
  ["issuer: ", workloadIdentity, { assertion: () => "hunter2-hunter2" }],
  ["issuer: ", workloadIdentity, { assertion: () => "x", issuer: "" }],
  ["client.issuer: ", enterprise, { ...business, client: { id: "a", secret: "hunter2-hunter2" } }],
  ["client.issuer: ", oauth, { client: { id: "a", secret: "hunter2-hunter2" } }],
  ["client.issuer: ", oauth, { client: { ...known, issuer: "" } }],
  ["client.secret: ", oauth, { client: { ...known, secret: "" } }],
  ["secret: ", clientCredentials, { ...known, secret: "" }],
  ["client.secret: ", enterprise, { ...business, client: { ...known, secret: "" } }],
  ["idpClient.secret: ", enterprise, { ...business, idpClient: { id: "a", secret: "" } }],
  ["idpClient.issuer: ", enterprise, { ...business, idpClient: known }],
  ["issuers: ", oauth, { issuers: [] }],
  ["issuers.*: ", oauth, { issuers: { "*": { pkce: "assumed" } } }],
  [`issuers.${issuer}?a: `, oauth, { issuers: { [`${issuer}?a`]: {} } }],
  [`issuers.${issuer}: `, oauth, { issuers: { [issuer]: null } }],
  [`issuers.${issuer}.name: `, oauth, { issuers: { [issuer]: { name: "hunter2-hunter2" } } }],
  [`issuers.${issuer}.pkce: `, oauth, { issuers: { [issuer]: { pkce: true } } }],
  [`issuers.${issuer}.resource: `, clientCredentials, { ...known, issuers: { [issuer]: { resource: "x" } } }],
  ...["*", "", null, 7, [issuer], `${issuer}/*?x`, "http://as.example"].map(
    (other): [string, Make, unknown] => [
      `issuers.${issuer}.issuer: `,
      oauth,
      { issuers: { [issuer]: { issuer: other } } },
    ],
  ),
  ["idps: ", enterprise, { ...business, idps: "x" }],
  ["idp.tokenEndpoint: ", enterprise, { ...business, idp: {} }],
  ["client: ", enterprise, { ...business, client: undefined }],
  ["idpClient.name: ", enterprise, { ...business, idpClient: { ...idpClient, name: "hunter2" } }],
  ["client.secret: ", oauth, { client: { id: "a", issuer, secret: undefined } }],
  ["client.applicationType: ", oauth, { client: { applicationType: "desktop" } }],
  ["device: ", oauth, { device: {} }],
  ["askClient: ", oauth, { askClient: "hunter2" }],
  ["fetch: ", clientCredentials, { ...known, fetch: {} }],
  ["chooseIssuer: ", oauth, { chooseIssuer: issuer }],
  ["privateNetwork: ", oauth, { privateNetwork: "hunter2" }],
  ["onEvent: ", workloadIdentity, { issuer, assertion: () => "x", onEvent: [] }],
  ["clientId: ", workloadIdentity, { issuer, assertion: () => "x", clientId: 7 }],
  ["store: ", oauth, { store: { put: () => true } }],
])("a wrong option is named, without its value: %s%o", (place, make, options) => {
  let error: unknown;
  try {
    make(options as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(AuthError);
  expect(error).toMatchObject({ code: "auth-options" });
  expect((error as Error).message.startsWith(place), (error as Error).message).toBe(true);
  expect((error as Error).message).not.toContain("hunter2");
});
