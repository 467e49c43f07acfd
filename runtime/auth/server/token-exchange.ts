import { BoundedMap, type Rules, text } from "@mcpgen/base";
import * as oauth from "oauth4webapi";
import { AuthError, isUnavailable } from "../shared/errors.js";
import {
  checkOptions,
  httpsUrl,
  issuerUrl,
  issuerUrls,
  scopeList,
  wrongOption,
} from "../shared/option-rules.js";
import { Outgoing } from "../shared/outgoing.js";
import { TokenRefusal, type Tokens, tokenResponse } from "../shared/token-response.js";
import type { AuthInfo } from "./auth-info.js";
import { digestOf } from "../shared/encoding.js";
import { type Fetch, IssuerEndpoint, boundedFetch } from "./issuer-document.js";
import {
  type ClientCredentials,
  checkCredentials,
  clientAuthentication,
  credentialRules,
} from "./server-client.js";

export interface TokenExchangeOptions extends ClientCredentials {
  /** The authorization server that exchanges tokens. */
  readonly issuer: string;
  /** Default: `token_endpoint` of the issuer's metadata. */
  readonly tokenEndpoint?: string;
  /** Issuers of the resource server whose tokens may be sent to this issuer. Default: only its own tokens. */
  readonly from?: readonly string[];
  /** The flow: RFC 8693, or the on-behalf-of flow of Microsoft Entra. Default: `token-exchange`. */
  readonly flow?: "token-exchange" | "on-behalf-of";
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/** The target of an upstream token. */
export interface UpstreamTarget {
  /** Logical name of the upstream API (RFC 8693, 2.1). */
  readonly audience?: string;
  /** URL of the upstream API. */
  readonly resource?: string;
  readonly scopes?: readonly string[];
}

export interface UpstreamToken {
  readonly accessToken: string;
  /** Expiry in milliseconds since 1970; absent if the issuer does not give it. */
  readonly expiresAt?: number;
}

/** Exchanges the token of a request for a token of an upstream API; made by `tokenExchange()`. */
export interface TokenExchange {
  /**
   * Returns a token for an upstream API, for the user of a request. Caches it until shortly before it expires.
   *
   * @param auth `context.auth`
   * @throws {AuthError} `auth-refused`: the issuer refuses the exchange; `auth-unavailable`: it does not answer now;
   *   `auth-issuer-mismatch`: `from` does not list the token's issuer, so the token is not sent; `auth-options`: `auth` is
   *   not from a resource server with this exchange
   */
  token(auth: unknown, target: UpstreamTarget): Promise<UpstreamToken>;
  /** For the resource server: stores the token of a request and the issuer that verified it. */
  bind(auth: object, token: string, issuer: string): void;
}

const rules: Rules<TokenExchangeOptions> = {
  ...credentialRules,
  issuer: issuerUrl,
  tokenEndpoint: httpsUrl,
  from: issuerUrls,
  flow: ["token-exchange", "on-behalf-of"],
  fetch: "function",
};

const targetRules: Rules<UpstreamTarget> = { audience: text, resource: text, scopes: scopeList };

const tokenExchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const jwtBearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Milliseconds before its expiry at which a token is exchanged again. */
const aheadMs = 30_000;
/** Maximum number of cached tokens, and of their bytes. One user may use at most half. */
const kept = { count: 1000, bytes: 8_000_000 };
/** Maximum number of concurrent exchanges, of all users and of one. */
const exchanges = { running: 32, perKey: 8, waiting: 512 };

/**
 * Exchanges tokens for calls to upstream APIs, because the client's token must not be passed on (2026-07-28, access token
 * privilege restriction).
 *
 * @throws {AuthError} `auth-options`
 */
export function tokenExchange(options: TokenExchangeOptions): TokenExchange {
  checkOptions(options, rules, "tokenExchange.", ["issuer", "clientId"]);
  checkCredentials(options, "tokenExchange.");
  const { issuer, from = [issuer] } = options;
  const tokens = new WeakMap<object, { readonly token: string; readonly issuer: string }>();
  const known = new BoundedMap<string, UpstreamToken>({ ...kept, full: "evict", now: () => Date.now() });
  const endpoint = new IssuerEndpoint(
    ...([options.fetch ?? fetch, issuer, "token_endpoint", options.tokenEndpoint] as const),
  );
  const outgoing = new Outgoing(exchanges);
  const running = new Map<string, Promise<UpstreamToken>>();
  return {
    bind: (auth, token, issuer) => void tokens.set(auth, { token, issuer }),
    async token(auth, target) {
      checkTarget(target);
      const bound = typeof auth === "object" && auth !== null ? tokens.get(auth) : undefined;
      if (bound === undefined)
        throw wrongOption("token(auth)", "expected context.auth of a resource server with this exchange");
      if (!from.includes(bound.issuer))
        throw new AuthError(
          "auth-issuer-mismatch",
          "The token is not one of the issuer that exchanges tokens: name its issuer in the option from if that issuer may get it.",
        );
      const { token } = bound;
      const { audience, resource, scopes } = target;
      const key = await digestOf(JSON.stringify([token, audience, resource, scopes]));
      const found = known.get(key) ?? running.get(key);
      if (found) return found;
      const principal = ownerOf(auth as AuthInfo);
      const exchanging = outgoing
        .run(principal, async () => exchanged(options, await endpoint.url(), token, target))
        .finally(() => running.delete(key));
      running.set(key, exchanging);
      const fresh = await exchanging;
      const lifeMs = (fresh.expiresAt ?? 0) - aheadMs - Date.now();
      const bytes = 2 * fresh.accessToken.length + 200;
      if (lifeMs > 0) known.set(key, fresh, { lifeMs, bytes, principal });
      return fresh;
    },
  };
}

function ownerOf({ issuer, subject, clientId }: AuthInfo): string {
  return JSON.stringify([issuer, subject, clientId]);
}

function checkTarget(target: UpstreamTarget): void {
  checkOptions(target, targetRules, "target.");
  if (Object.values(target).every((each) => each === undefined))
    throw wrongOption(
      "target",
      "expected an audience, a resource or scopes: an unrestricted token is not allowed",
    );
}

async function exchanged(
  options: TokenExchangeOptions,
  endpoint: string,
  token: string,
  target: UpstreamTarget,
): Promise<UpstreamToken> {
  const { access, obtained, expiresIn } = await answered(options, endpoint, token, target);
  if (access === token)
    throw new AuthError(
      "auth-refused",
      "The issuer returned the client's own token, which must not go upstream.",
    );
  return {
    accessToken: access,
    ...(expiresIn !== undefined && { expiresAt: obtained + 1000 * expiresIn }),
  };
}

async function answered(
  { flow = "token-exchange", fetch: send = fetch, ...options }: TokenExchangeOptions,
  endpoint: string,
  token: string,
  target: UpstreamTarget,
): Promise<Tokens> {
  const { issuer, clientId } = options;
  try {
    const response = await oauth.genericTokenEndpointRequest(
      { issuer, token_endpoint: endpoint },
      { client_id: clientId },
      clientAuthentication(options),
      flow === "on-behalf-of" ? jwtBearerGrant : tokenExchangeGrant,
      parametersOf(flow, token, target),
      {
        [oauth.customFetch]: (url, init) => boundedFetch(send, url, init as RequestInit),
        [oauth.allowInsecureRequests]: true,
      },
    );
    const tokens = await tokenResponse(issuer, response);
    if (tokens.type === "bearer") return tokens;
    throw new TokenRefusal(issuer, "no bearer token");
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // No cause: it could contain the token.
    const code = error instanceof TokenRefusal ? `: ${error.error}` : "";
    throw new AuthError("auth-refused", `The issuer refused to exchange the token${code}.`);
  }
}

function parametersOf(
  flow: "token-exchange" | "on-behalf-of",
  token: string,
  { audience, resource, scopes }: UpstreamTarget,
): Record<string, string> {
  return {
    ...(flow === "on-behalf-of"
      ? { assertion: token, requested_token_use: "on_behalf_of" }
      : { subject_token: token, subject_token_type: accessTokenType }),
    ...(audience !== undefined && { audience }),
    ...(resource !== undefined && { resource }),
    ...(scopes && { scope: scopes.join(" ") }),
  };
}
