import type { Rules } from "@mcpgen/base";
import * as oauth from "oauth4webapi";
import { numericDate } from "../shared/encoding.js";
import { AuthError } from "../shared/errors.js";
import { checkOptions, httpsUrl, issuerUrl, issuerUrls } from "../shared/option-rules.js";
import { Outgoing, toIssuer } from "../shared/outgoing.js";
import { audience } from "./audience.js";
import { type Fetch, IssuerEndpoint, boundedFetch, unavailable } from "./issuer-document.js";
import { refuseOtherTokens, refused } from "./claims.js";
import {
  type ClientCredentials,
  checkCredentials,
  clientAuthentication,
  credentialRules,
} from "./server-client.js";
import type { Audience, Claims, TokenIssuer } from "./token-issuer.js";

export interface IntrospectionOptions extends ClientCredentials {
  readonly issuer: string;
  /** Default: `introspection_endpoint` of the issuer's metadata. */
  readonly endpoint?: string;
  /** The issuer's name for this server. Default: `aud` contains the resource. */
  readonly audience?: Audience;
  /**
   * Other values of `iss` in JWTs of the issuer. A JWT with any other `iss` is refused without a request, because the issuer
   * is only asked about its own tokens.
   */
  readonly alsoIssuers?: readonly string[];
  /** Returns the granted scopes. Default: `scope`. */
  readonly scopes?: (claims: Claims) => readonly string[];
  /** Accepts tokens without `sub`. Only for an issuer that always names the user of a user's token. Default: `false`. */
  readonly clientTokens?: boolean;
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

const rules: Rules<IntrospectionOptions> = {
  ...credentialRules,
  issuer: issuerUrl,
  endpoint: httpsUrl,
  audience,
  alsoIssuers: issuerUrls,
  scopes: "function",
  clientTokens: "boolean",
  fetch: "function",
};

/** Seconds for which a token without expiry counts as valid. */
const withoutExpiry = 60;

/**
 * An issuer that is asked whether a token is valid (RFC 7662), for tokens that are not JWTs. An answer is used for at most a
 * minute. At most 16 requests run at once, and 512 wait.
 *
 * @throws {AuthError} `auth-options`
 */
export function introspection(options: IntrospectionOptions): TokenIssuer {
  checkOptions(options, rules, "introspection.", ["issuer", "clientId"]);
  checkCredentials(options, "introspection.");
  const { issuer, endpoint, alsoIssuers = [], scopes, clientTokens = false } = options;
  const { fetch: send = fetch } = options;
  const found = new IssuerEndpoint(send, issuer, "introspection_endpoint", endpoint);
  const outgoing = new Outgoing(toIssuer);
  return {
    issuer,
    accepts: [issuer, ...alsoIssuers],
    opaque: true,
    ...(options.audience !== undefined && { audience: options.audience }),
    ...(scopes && { scopes }),
    ...(clientTokens && { clientTokens }),
    async verify(token) {
      const as = { issuer, introspection_endpoint: await found.url() };
      // Anyone can send invented tokens, and each one causes a request.
      return outgoing.run(issuer, () => introspected(send, as, options, token));
    },
  };
}

async function introspected(
  send: Fetch,
  as: oauth.AuthorizationServer,
  options: ClientCredentials,
  token: string,
): Promise<Claims> {
  const client = { client_id: options.clientId };
  try {
    const response = await oauth.introspectionRequest(as, client, clientAuthentication(options), token, {
      [oauth.customFetch]: (url, init) => boundedFetch(send, url, init as RequestInit),
      [oauth.allowInsecureRequests]: true,
      additionalParameters: { token_type_hint: "access_token" },
    });
    const { active, ...claims } = await oauth.processIntrospectionResponse(as, client, response);
    if (!active) throw refused("its issuer says that it is not active");
    refuseOtherTokens(claims, false);
    return { exp: numericDate() + withoutExpiry, ...claims };
  } catch (error) {
    if (error instanceof AuthError) throw error;
    // No cause: it could contain the token and the secret.
    throw unavailable("the issuer answered the introspection with an error");
  }
}
