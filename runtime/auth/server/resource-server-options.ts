import {
  checkBoolean,
  checkFunction,
  checkNames,
  checkNumber,
  checkText,
  checkTexts,
  wrongOption,
} from "../shared/option-check.js";
import { checkScopes, isScope } from "../shared/scopes.js";
import { checkAudience } from "./audience.js";
import type { DpopProofs } from "./dpop.js";
import { checkIssuer, checkUrl, isSafeUrl } from "./issuer-document.js";
import type { TokenExchange } from "./token-exchange.js";
import type { Claims, TokenIssuer } from "./token-issuer.js";

export interface ScopeOptions {
  /** Scopes that every request needs. */
  readonly required?: readonly string[];
  /**
   * The scopes in the metadata, which a client needs for basic functionality. Default: `required`. Other scopes are
   * demanded when they are needed.
   */
  readonly supported?: readonly string[];
  /** For each broader scope, the narrower scopes that it implies: `{ "files:write": ["files:read"] }`. */
  readonly hierarchy?: Readonly<Record<string, readonly string[]>>;
}

export interface ResourceServerOptions {
  /**
   * The URL of the endpoint as clients use it, such as `https://api.example.com/mcp`. It is the resource in the metadata
   * and the audience of tokens.
   */
  readonly resource: string;
  /** The authorization servers whose tokens are accepted. */
  readonly issuers: readonly TokenIssuer[];
  readonly scopes?: ScopeOptions;
  /**
   * Returns the owner of sessions and state, unique within the issuer. Default: `sub`, or the client for a token without
   * `sub` if its issuer has `clientTokens`. The issuer is always part of the principal.
   */
  readonly principal?: (claims: Claims) => string;
  /** Verification of proofs of possession (RFC 9449), by `dpop()`. Default: tokens that need proofs are refused. */
  readonly dpop?: DpopProofs;
  /** Token exchange for calls to an upstream API, by `tokenExchange()`. */
  readonly exchange?: TokenExchange;
  /** Seconds for which a verified token is not verified again, at most until its expiry. Default and maximum: 60. */
  readonly cacheSeconds?: number;
  /** Allowed difference of issuers' clocks in seconds. Default: 30; at most 60. */
  readonly clockSkew?: number;
  /** Name of the resource for users, in the metadata. */
  readonly name?: string;
  /** URL of a page about the resource for developers, in the metadata. */
  readonly documentation?: string;
}

const known = [
  ...["resource", "issuers", "scopes", "principal", "dpop", "exchange"],
  ...["cacheSeconds", "clockSkew", "name", "documentation"],
];

const former = { cache: "Write cacheSeconds for cache.seconds; 10,000 tokens are kept" };

/** @throws {AuthError} `auth-options` */
export function checkResourceServerOptions(options: ResourceServerOptions): void {
  checkNames(options, known, "", former);
  const { resource, issuers, scopes, principal, cacheSeconds, clockSkew, name, documentation } = options;
  checkUrl(resource, "resource");
  if (new URL(resource).search !== "") throw wrongOption("resource", "expected a URL without query");
  checkIssuers(issuers);
  if (scopes !== undefined) checkScopeOptions(scopes);
  if (principal !== undefined) checkFunction(principal, "principal");
  if (options.dpop !== undefined) checkMade(options.dpop, "verify", "dpop", "dpop()");
  if (options.exchange !== undefined) checkMade(options.exchange, "token", "exchange", "tokenExchange()");
  if (cacheSeconds !== undefined) checkNumber(cacheSeconds, "cacheSeconds", 0, 60);
  if (clockSkew !== undefined) checkNumber(clockSkew, "clockSkew", 0, 60);
  if (name !== undefined) checkText(name, "name");
  if (documentation !== undefined && !isSafeUrl(documentation))
    throw wrongOption("documentation", "expected an https URL");
}

function checkMade(value: unknown, member: string, name: string, maker: string): void {
  if (typeof (value as Record<string, unknown> | null)?.[member] !== "function")
    throw wrongOption(name, `expected the result of ${maker}`);
}

function checkIssuers(issuers: readonly TokenIssuer[]): void {
  if (!Array.isArray(issuers) || issuers.length === 0)
    throw wrongOption("issuers", "expected a list with at least one issuer, such as jwks(url)");
  const values = new Set<string>();
  for (const [at, each] of (issuers as readonly (TokenIssuer | null)[]).entries()) {
    const place = `issuers[${at}]`;
    if (typeof each?.verify !== "function")
      throw wrongOption(place, "expected an issuer, such as jwks(url) or introspection(options)");
    checkIssuer(each.issuer, `${place}.issuer`);
    if (each.audience !== undefined) checkAudience(each.audience, `${place}.audience`);
    if (each.clientTokens !== undefined) checkBoolean(each.clientTokens, `${place}.clientTokens`);
    if (each.opaque !== undefined) checkBoolean(each.opaque, `${place}.opaque`);
    for (const name of ["scopes", "client", "upstream"] as const)
      if (each[name] !== undefined) checkFunction(each[name], `${place}.${name}`);
    if (each.accepts !== undefined) checkTexts(each.accepts, `${place}.accepts`);
    for (const iss of new Set(each.accepts ?? [each.issuer])) {
      checkIssuer(iss, `${place}.accepts`);
      if (values.has(iss)) throw wrongOption(place, "another issuer in the list has the same identifier");
      values.add(iss);
    }
  }
  // With several such issuers, a token without `iss` would be sent to servers that did not issue it.
  if (issuers.filter(({ opaque }) => opaque).length > 1)
    throw wrongOption("issuers", "expected at most one issuer of tokens that are no JWT");
}

function checkScopeOptions(scopes: ScopeOptions): void {
  checkNames(scopes, ["required", "supported", "hierarchy"], "scopes.");
  const { required = [], supported = [], hierarchy = {} } = scopes;
  for (const [name, value] of Object.entries({ required, supported })) {
    checkScopes(value, `scopes.${name}`);
    if (value.includes("offline_access"))
      throw wrongOption(
        `scopes.${name}`,
        "offline_access is not a scope of a resource: clients ask their issuer for it",
      );
  }
  if (typeof hierarchy !== "object" || hierarchy === null || Array.isArray(hierarchy))
    throw wrongOption("scopes.hierarchy", "expected an object from a scope to the scopes that it implies");
  for (const [scope, implied] of Object.entries(hierarchy)) {
    if (!isScope(scope)) throw wrongOption("scopes.hierarchy", "expected scopes as names");
    checkScopes(implied, `scopes.hierarchy.${scope}`);
  }
}
