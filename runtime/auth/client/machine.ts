import type { Authorizer } from "@mcpgen/runtime";
import { type OptionFault, optionFault, type Rules, text } from "@mcpgen/base";
import { checkOptions, givenSecret, wrongOption } from "../shared/option-rules.js";
import { clientRules, machineRules } from "./flow-options.js";
import type { ClientCredentialsOptions, EnterpriseOptions, WorkloadIdentityOptions } from "./options.js";
import { authorizerOf } from "./session.js";

const credentialRules: Rules<ClientCredentialsOptions> = { ...machineRules, ...clientRules };

/**
 * Authorizes requests of an application without a user (extension OAuth client credentials).
 *
 * @throws {AuthError} `auth-options`
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  checkOptions(options, credentialRules, "", ["id", "issuer", ...givenSecret(options)]);
  const { id, secret, key, issuer } = options;
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

const workloadRules: Rules<WorkloadIdentityOptions> = {
  ...machineRules,
  issuer: clientRules.issuer,
  assertion: "function",
  clientId: "string",
};

/**
 * Authorizes requests of a workload by the JWT of its platform (extension workload identity federation).
 *
 * @throws {AuthError} `auth-options`
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Authorizer {
  checkOptions(options, workloadRules, "", ["assertion", "issuer"]);
  const { clientId = "", issuer } = options;
  return authorizerOf({
    options,
    name: `workload ${clientId}`,
    unattended: true,
    issuer,
    client: async () => ({ id: clientId, issuer }),
    acquire: async (context) => (await import("./machine-flows.js")).byWorkload(options, context),
  });
}

const enterpriseRules: Rules<EnterpriseOptions> = {
  ...machineRules,
  idp: (value, place) =>
    typeof value === "object"
      ? optionFault(value, { tokenEndpoint: text }, place, ["tokenEndpoint"])
      : text(value),
  idToken: "function",
  client: (value, place) => clientFault(value, place, ["id", "issuer"]),
  idpClient: (value, place) => clientFault(value, place, ["id"]),
};

function clientFault(value: unknown, place: string, required: readonly string[]): OptionFault | undefined {
  return optionFault(value, clientRules, place, [...required, ...givenSecret(value)]);
}

/**
 * Authorizes requests for a user of an enterprise. The identity provider decides, without consent of the user (extension
 * enterprise-managed authorization).
 *
 * @throws {AuthError} `auth-options`
 */
export function enterprise(options: EnterpriseOptions): Authorizer {
  checkOptions(options, enterpriseRules, "", ["idp", "idToken", "client", "idpClient"]);
  const { client, idpClient, idp } = options;
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
