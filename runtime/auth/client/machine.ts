import type { Authorizer } from "@mcpgen/runtime";
import { checkFunction, checkNames, checkText, wrongOption } from "../shared/option-check.js";
import { checkScopes } from "../shared/scopes.js";
import { checkFlow } from "./flow-options.js";
import { type FlowOptions, type KnownClient, flowOptions } from "./options.js";
import { authorizerOf } from "./session.js";

export interface ClientCredentialsOptions extends FlowOptions, KnownClient {
  /** Default: the scopes of the challenge, else those of the resource's metadata. */
  readonly scopes?: readonly string[];
}

/**
 * Authorizes requests for an application that acts for itself (extension OAuth client credentials).
 *
 * @throws {AuthError} `auth-options`
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  checkNames(options, [...flowOptions, "id", "secret", "key", "issuer", "scopes"]);
  checkMachine(options);
  const { id, secret, key, issuer } = options;
  checkText(id, "id");
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

export interface WorkloadIdentityOptions extends FlowOptions {
  /** Returns the platform's JWT; called for each request of a token. */
  readonly assertion: () => string | Promise<string>;
  readonly clientId?: string;
  /** The issuer to use; no other gets an assertion. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
}

/**
 * Authorizes requests for a workload by the JWT that its platform gives it (extension workload identity federation).
 *
 * @throws {AuthError} `auth-options`
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Authorizer {
  checkNames(options, [...flowOptions, "assertion", "clientId", "issuer", "scopes"]);
  checkMachine(options);
  checkFunction(options.assertion, "assertion");
  const { clientId = "", issuer } = options;
  return authorizerOf({
    options,
    name: `workload ${clientId}`,
    unattended: true,
    issuer,
    client: async () => ({ id: clientId }),
    acquire: async (context) => (await import("./machine-flows.js")).byWorkload(options, context),
  });
}

export interface EnterpriseOptions extends FlowOptions {
  /** The issuer of the identity provider, or its token endpoint. */
  readonly idp: string | { readonly tokenEndpoint: string };
  /** Returns the id token of the user at the identity provider. */
  readonly idToken: () => string | Promise<string>;
  /** The client at the authorization server of the MCP server. */
  readonly client: KnownClient;
  /** The client at the identity provider. */
  readonly idpClient: KnownClient;
  readonly scopes?: readonly string[];
}

/**
 * Authorizes requests for a user of an enterprise: the identity provider decides, and no consent is asked for (extension
 * enterprise-managed authorization).
 *
 * @throws {AuthError} `auth-options`
 */
export function enterprise(options: EnterpriseOptions): Authorizer {
  checkNames(options, [...flowOptions, "idp", "idToken", "client", "idpClient", "scopes"]);
  checkMachine(options);
  const { client, idpClient, idp } = options;
  checkFunction(options.idToken, "idToken");
  checkText(client?.id, "client.id");
  checkText(idpClient?.id, "idpClient.id");
  checkText(typeof idp === "object" ? idp?.tokenEndpoint : idp, "idp");
  return authorizerOf({
    options,
    name: `enterprise ${client.id}`,
    unattended: true,
    issuer: client.issuer,
    client: async () => client,
    acquire: async (context) => (await import("./machine-flows.js")).byEnterprise(options, context),
  });
}

/** @throws {AuthError} `auth-options` */
function checkMachine(
  options: FlowOptions & { readonly issuer?: string; readonly scopes?: readonly string[] },
): void {
  checkFlow(options);
  if (options.scopes !== undefined) checkScopes(options.scopes, "scopes");
}
