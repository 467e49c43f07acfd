import type { Authorizer } from "@mcpgen/runtime";
import { isObject, type OptionFault, optionFault, type Rules } from "@mcpgen/base";
import { checkOptions, givenSecret, scopeList, wrongOption } from "../shared/option-rules.js";
import { endpointUrl } from "../shared/urls.js";
import { clientRules, flowRules } from "./flow-options.js";
import type { OAuthClient, OAuthOptions } from "./options.js";
import { authorizerOf } from "./session.js";

/**
 * Authorizes requests for a user: discovery, registration, and authorization code with PKCE (2026-07-28,
 * authorization). Pass the result as `http.authorize`.
 *
 * @throws {AuthError} `auth-options`. Later, requests fail with `authorize-failed`, whose cause is an AuthError
 */
export function oauth(options: OAuthOptions = {}): Authorizer {
  checkOAuthOptions(options);
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

const rules: Rules<OAuthOptions> = {
  ...flowRules,
  client,
  redirect: (value) =>
    typeof value === "function" || typeof (value as { receive?: unknown } | null)?.receive === "function"
      ? undefined
      : "a function, or an object with the function receive",
  device: "function",
  scopes: (value, place) => {
    if (typeof value === "function") return undefined;
    const required = isObject(value) && "always" in value ? "always" : "policy";
    return optionFault(value, { policy: ["challenge"], always: scopeList }, place, [required]);
  },
  askClient: "function",
  issuer: clientRules.issuer,
  legacy: ["2025-03-26"],
};

const oauthClientRules: Rules<OAuthClient> = {
  ...clientRules,
  metadataUrl: (value) => {
    const url = endpointUrl(value, false);
    return url && url.pathname !== "/" ? undefined : "an https URL with a path";
  },
  name: "string",
  applicationType: ["native", "web"],
};

/** The rule for the client. */
function client(value: unknown, place: string): OptionFault | undefined {
  const { id, secret, key } = Object(value) as OAuthClient;
  // A public id may be bound to the first issuer that it is used with. A secret must not go to an issuer that only
  // a server names.
  const isConfidential = id !== undefined && (secret ?? key) !== undefined;
  const required = [...givenSecret(value), ...(isConfidential ? ["issuer"] : [])];
  return optionFault(value, oauthClientRules, place, required);
}

/** @throws {AuthError} `auth-options` */
function checkOAuthOptions(options: OAuthOptions): void {
  checkOptions(options, rules);
  const { id, secret } = options.client ?? {};
  if (id === undefined && secret !== undefined)
    throw wrongOption("client.id", "expected the id that belongs to client.secret");
}
