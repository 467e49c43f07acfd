import type { Authorizer } from "@mcpgen/runtime";
import { checkFunction, checkNames, checkSecret, wrongOption } from "../shared/option-check.js";
import { checkScopes } from "../shared/scopes.js";
import { endpointUrl } from "../shared/urls.js";
import { checkFlow, checkIssuerOption } from "./flow-options.js";
import { type OAuthOptions, flowOptions } from "./options.js";
import { authorizerOf } from "./session.js";

/**
 * Authorizes requests for a user: discovery, registration, and authorization code with PKCE (2026-07-28,
 * authorization). Pass the result as `http.authorize`.
 *
 * @throws {AuthError} `auth-options`. Later, requests fail with `authorize-failed`, whose cause is an AuthError
 */
export function oauth(options: OAuthOptions = {}): Authorizer {
  checkOptions(options);
  const { client = {}, issuer, legacy } = options;
  return authorizerOf({
    options,
    name: client.id ?? client.metadataUrl ?? client.name ?? "",
    unattended: false,
    issuer: issuer ?? client.issuer,
    legacy,
    client: async (context) => (await import("./login.js")).storedClient(options, context),
    acquire: async (context) => (await import("./login.js")).login(options, context),
  });
}

const known = [...flowOptions, "client", "redirect", "device", "scopes", "askClient", "issuer", "legacy"];
const knownOfClient = ["id", "secret", "key", "issuer", "metadataUrl", "name", "applicationType"];

/** @throws {AuthError} `auth-options` */
function checkOptions(options: OAuthOptions): void {
  checkNames(options, known);
  const { client = {}, legacy, redirect, scopes } = options;
  checkFlow(options);
  if (redirect !== undefined && typeof (redirect as { receive?: unknown }).receive !== "function")
    checkFunction(redirect, "redirect");
  if (scopes !== undefined && typeof scopes !== "function") {
    checkNames(scopes, ["policy", "always"], "scopes.");
    if ("always" in scopes) checkScopes(scopes.always, "scopes.always");
    else if (scopes.policy !== "challenge") throw wrongOption("scopes.policy", "expected challenge");
  }
  checkNames(client, knownOfClient, "client.");
  if (client.metadataUrl !== undefined) {
    const url = endpointUrl(client.metadataUrl, false);
    if (!url || url.pathname === "/")
      throw wrongOption("client.metadataUrl", "expected an https URL with a path");
  }
  if (client.id === undefined && client.secret !== undefined)
    throw wrongOption("client.id", "expected the id that belongs to client.secret");
  checkSecret(client, "client.");
  // A public id may be bound to the first issuer that it is used with. A secret must not go to an issuer that only
  // a server names.
  const isConfidential = client.id !== undefined && (client.secret ?? client.key) !== undefined;
  if (client.issuer !== undefined || isConfidential) checkIssuerOption(client.issuer, "client.issuer");
  if (legacy !== undefined && legacy !== "2025-03-26") throw wrongOption("legacy", 'expected "2025-03-26"');
}
