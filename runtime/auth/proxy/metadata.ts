import { paths, type Proxy } from "./proxy.js";

/** The metadata of the authorization server (RFC 8414). */
export function metadataOf({ settings }: Proxy): Readonly<Record<string, unknown>> {
  const { issuer, clients, scopes, documentation } = settings;
  const methods = [
    "none",
    "client_secret_basic",
    "client_secret_post",
    ...(clients.cimd ? ["private_key_jwt"] : []),
  ];
  const algorithms = clients.cimd && { token_endpoint_auth_signing_alg_values_supported: signing };
  return {
    issuer,
    authorization_endpoint: issuer + paths.authorize,
    token_endpoint: issuer + paths.token,
    ...(clients.dcr === "sealed" && { registration_endpoint: issuer + paths.register }),
    revocation_endpoint: issuer + paths.revoke,
    jwks_uri: issuer + paths.jwks,
    ...(documentation !== undefined && { service_documentation: documentation }),
    ...(scopes.size > 0 && { scopes_supported: [...scopes.keys()] }),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: methods,
    ...algorithms,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: clients.cimd,
  };
}

const signing = ["ES256", "ES384", "RS256", "PS256", "EdDSA"];
