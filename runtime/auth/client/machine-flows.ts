import * as oauth from "oauth4webapi";
import { AuthError } from "../shared/errors.js";
import { tokenResponse } from "../shared/token-response.js";
import { hostOf } from "../shared/urls.js";
import { checkDestination } from "./destination.js";
import { discoverServer } from "./discovery.js";
import type { FlowContext, FlowResult } from "./flow.js";
import { type KnownServer, ownMetadata } from "./issuer-names.js";
import type {
  ClientCredentialsOptions,
  EnterpriseOptions,
  IssuedClient,
  WorkloadIdentityOptions,
} from "./options.js";
import { union } from "./scopes.js";
import { type TokenEndpoint, authentication, refusal, requestTokens, transport } from "./token-request.js";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const tokenType = "urn:ietf:params:oauth:token-type:";

/** Gets tokens by the grant client_credentials. */
export async function byCredentials(
  options: ClientCredentialsOptions,
  context: FlowContext,
): Promise<FlowResult> {
  const { as } = context;
  checkMethod(as, options.key ? ["private_key_jwt"] : ["client_secret_basic", "client_secret_post"]);
  const endpoint = endpointOf(context, options);
  const auth = await authentication(endpoint);
  const scopes = scopesOf(context, options.scopes);
  const tokens = await requestTokens(endpoint, (more) =>
    oauth.clientCredentialsGrantRequest(as, { client_id: options.id }, auth, params(context, scopes), more),
  );
  return { client: options, scopes, tokens };
}

/** Gets tokens by the grant jwt-bearer with the assertion of a platform. */
export async function byWorkload(
  { clientId = "", issuer, scopes: named, assertion }: WorkloadIdentityOptions,
  context: FlowContext,
): Promise<FlowResult> {
  // The library requires a client id. This one is not sent.
  const endpoint = endpointOf(context, { id: clientId || "workload", issuer });
  checkDestination({ issuer }, endpoint, "token_endpoint", "the assertion");
  const auth = clientId === "" ? () => undefined : await authentication(endpoint);
  return bearer(context, endpoint, { auth, scopes: scopesOf(context, named), assertion: await assertion() });
}

/** Gets tokens by the grant jwt-bearer with an assertion of the identity provider. */
export async function byEnterprise(options: EnterpriseOptions, context: FlowContext): Promise<FlowResult> {
  const endpoint = endpointOf(context, options.client);
  const auth = await authentication(endpoint);
  const scopes = scopesOf(context, options.scopes);
  const assertion = await identityAssertion(options, context, scopes);
  return bearer(context, endpoint, { auth, scopes, assertion });
}

/** Makes the token endpoint for a client that the application has for a named issuer. */
function endpointOf({ as, guard, proofs }: FlowContext, client: IssuedClient): TokenEndpoint {
  return { as, isNamed: true, client, guard, proofs };
}

/** Exchanges the user's id token for an assertion that the authorization server accepts (ID-JAG). */
async function identityAssertion(
  { idp, idToken, idpClient, issuers }: EnterpriseOptions,
  context: FlowContext,
  scopes: readonly string[],
): Promise<string> {
  const { as, guard } = context;
  const provider: KnownServer =
    typeof idp === "string"
      ? await discoverServer(idp, guard, issuers)
      : { issuer: new URL(idp.tokenEndpoint).origin, token_endpoint: idp.tokenEndpoint };
  const client = { ...idpClient, issuer: provider.issuer };
  const auth = await authentication({ as: provider, isNamed: true, client });
  const request = {
    ...params(context, scopes),
    requested_token_type: `${tokenType}id-jag`,
    audience: ownMetadata(as).issuer,
    subject_token: await idToken(),
    subject_token_type: `${tokenType}id_token`,
  };
  const asClient = { client_id: idpClient.id };
  try {
    const response = await oauth.genericTokenEndpointRequest(
      provider,
      asClient,
      auth,
      tokenExchange,
      request,
      transport(guard),
    );
    const body = await tokenResponse(provider.issuer, response);
    if (body.issued === `${tokenType}id-jag`) return body.access;
  } catch (error) {
    throw refusal(provider.issuer, error);
  }
  throw new AuthError("auth-refused", `${hostOf(provider.issuer)} issued another token than an ID-JAG`);
}

/** The parameters of the grant jwt-bearer. */
interface Bearer {
  readonly auth: oauth.ClientAuth;
  readonly scopes: readonly string[];
  readonly assertion: string;
}

async function bearer(
  context: FlowContext,
  endpoint: TokenEndpoint,
  { auth, scopes, assertion }: Bearer,
): Promise<FlowResult> {
  const { as, client } = endpoint;
  const request = { ...params(context, scopes), assertion };
  const tokens = await requestTokens(endpoint, (more) =>
    oauth.genericTokenEndpointRequest(as, { client_id: client.id }, auth, jwtBearer, request, more),
  );
  return { client, scopes, tokens };
}

function params({ resource }: FlowContext, scopes: readonly string[]): Record<string, string> {
  return {
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
}

function scopesOf(
  { challenged, target, kept }: FlowContext,
  named: readonly string[] | undefined,
): readonly string[] {
  return union(union(kept, named ?? []), challenged ?? (named ? [] : (target.scopes ?? [])));
}

/**
 * @throws {AuthError} the metadata does not list the client's authentication method (extension OAuth client
 *   credentials)
 */
function checkMethod(as: oauth.AuthorizationServer, methods: readonly string[]): void {
  const listed = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  if (methods.some((method) => listed.includes(method))) return;
  const text = `${hostOf(as.issuer)} does not list ${methods.join(" or ")} among its authentication methods`;
  throw new AuthError("auth-metadata-invalid", text);
}
