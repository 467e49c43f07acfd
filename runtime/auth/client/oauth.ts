import type { Authorizer } from "@mcpgen/runtime";
import { checkNames, wrongOption } from "../shared/option-check.js";
import { endpointUrl } from "../shared/urls.js";
import { type OAuthOptions, flowOptions } from "./options.js";
import { authorizerOf } from "./session.js";

/**
 * Authorizes requests for a user: authorization code with PKCE, after the discovery and registration that the
 * specification asks for (2026-07-28, authorization). Pass it as `http.authorize`.
 *
 * @throws {AuthError} `auth-options`. Requests fail with `authorize-failed`, whose cause is an AuthError
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
  const { client = {}, legacy, dpop } = options;
  checkNames(client, knownOfClient, "client.");
  if (client.metadataUrl !== undefined) {
    const url = endpointUrl(client.metadataUrl, false);
    if (!url || url.pathname === "/")
      throw wrongOption("client.metadataUrl", "expected an https URL with a path");
  }
  if (client.id === undefined && client.secret !== undefined)
    throw wrongOption("client.id", "expected the id that belongs to client.secret");
  if (legacy !== undefined && legacy !== "2025-03-26") throw wrongOption("legacy", 'expected "2025-03-26"');
  if (dpop !== undefined && !["never", "when-offered", "required"].includes(dpop))
    throw wrongOption("dpop", "expected never, when-offered or required");
}
