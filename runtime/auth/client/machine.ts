import type { Authorizer } from "@mcpgen/runtime";
import { checkFunction, checkNames, checkSecret, checkText, wrongOption } from "../shared/option-check.js";
import { checkScopes } from "../shared/scopes.js";
import { checkFlow, checkIssuerOption } from "./flow-options.js";
import {
  type ClientCredentialsOptions,
  type EnterpriseOptions,
  type FlowOptions,
  type WorkloadIdentityOptions,
  flowOptions,
} from "./options.js";
import { authorizerOf } from "./session.js";

/**
 * Authorizes requests of an application without a user (extension OAuth client credentials).
 *
 * @throws {AuthError} `auth-options`
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  checkNames(options, [...flowOptions, "id", "secret", "key", "issuer", "scopes"]);
  const { id, secret, key, issuer } = options;
  checkMachine(options, issuer, "issuer");
  checkText(id, "id");
  checkSecret(options, "");
  if ((secret === undefined) === (key === undefined))
    throw wrongOption("secret", "expected either secret or key");
  return authorizerOf({
    options,
    name: `client ${id}`,
    unattended: true,
    issuer,
    client: async () => options,
    acquire: async (context) => (await import("./machine-flows.js")).byCredentials(options, context),
  });
}

/**
 * Authorizes requests of a workload by the JWT of its platform (extension workload identity federation).
 *
 * @throws {AuthError} `auth-options`
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Authorizer {
  checkNames(options, [...flowOptions, "assertion", "clientId", "issuer", "scopes"]);
  const { clientId = "", issuer } = options;
  checkMachine(options, issuer, "issuer");
  checkFunction(options.assertion, "assertion");
  return authorizerOf({
    options,
    name: `workload ${clientId}`,
    unattended: true,
    issuer,
    client: async () => ({ id: clientId, issuer }),
    acquire: async (context) => (await import("./machine-flows.js")).byWorkload(options, context),
  });
}

/**
 * Authorizes requests for a user of an enterprise. The identity provider decides, without consent of the user (extension
 * enterprise-managed authorization).
 *
 * @throws {AuthError} `auth-options`
 */
export function enterprise(options: EnterpriseOptions): Authorizer {
  checkNames(options, [...flowOptions, "idp", "idToken", "client", "idpClient", "scopes"]);
  const { client, idpClient, idp } = options;
  checkMachine(options, client?.issuer, "client.issuer");
  checkFunction(options.idToken, "idToken");
  checkText(client?.id, "client.id");
  checkText(idpClient?.id, "idpClient.id");
  checkText(typeof idp === "object" ? idp?.tokenEndpoint : idp, "idp");
  checkSecret(client, "client.");
  checkSecret(idpClient, "idpClient.");
  if (idpClient.issuer !== undefined && typeof idp === "string" && idpClient.issuer !== idp)
    throw wrongOption(
      "idpClient.issuer",
      "expected the issuer idp, which is the only one that gets its secret",
    );
  return authorizerOf({
    options,
    name: `enterprise ${client.id}`,
    unattended: true,
    issuer: client.issuer,
    client: async () => client,
    acquire: async (context) => (await import("./machine-flows.js")).byEnterprise(options, context),
  });
}

/**
 * Checks the common options of flows without a user. Credentials require their issuer.
 *
 * @throws {AuthError} `auth-options`
 */
function checkMachine(
  options: FlowOptions & { readonly scopes?: readonly string[] },
  issuer: unknown,
  place: string,
): void {
  checkFlow(options);
  checkIssuerOption(issuer, place);
  if (options.scopes !== undefined) checkScopes(options.scopes, "scopes");
}
