import { gone, isObject, numberFrom, type OptionFault, type Rules, text, valueFault } from "@mcpgen/base";
import {
  checkOptions,
  entryFault,
  httpsUrl,
  issuerUrl,
  issuerUrls,
  scopeList,
} from "../shared/option-rules.js";
import { isScope } from "../shared/scopes.js";
import { audience } from "./audience.js";
import type { DpopProofs } from "./dpop.js";
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
  /** Name of the resource for users, in the metadata. */
  readonly name?: string;
  /** URL of a page about the resource for developers, in the metadata. */
  readonly documentation?: string;
}

const rules: Rules<ResourceServerOptions, "cache" | "clockSkew"> = {
  resource: (value) =>
    httpsUrl(value) ?? (new URL(String(value)).search === "" ? undefined : "a URL without query"),
  issuers: issuersFault,
  scopes: {
    required: resourceScopes,
    supported: resourceScopes,
    hierarchy: (value, place) =>
      entryFault(value, place, (name) => (isScope(name) ? undefined : "a scope as name"), scopeList),
  } satisfies Rules<ScopeOptions>,
  principal: "function",
  dpop: (value) => (hasFunction(value, "verify") ? undefined : "the result of dpop()"),
  exchange: (value) => (hasFunction(value, "token") ? undefined : "the result of tokenExchange()"),
  cacheSeconds: /* @__PURE__ */ numberFrom(0, 60),
  name: text,
  documentation: httpsUrl,
  cache: /* @__PURE__ */ gone("Write cacheSeconds for cache.seconds; 10,000 tokens are kept."),
  clockSkew: /* @__PURE__ */ gone("Leave it out: clocks may differ by 30 seconds."),
};

const issuerRules: Rules<Omit<TokenIssuer, "verify" | "routes">> = {
  issuer: issuerUrl,
  accepts: issuerUrls,
  audience,
  clientTokens: "boolean",
  opaque: "boolean",
  scopes: "function",
  client: "function",
  upstream: "function",
};

/** @throws {AuthError} `auth-options` */
export function checkResourceServerOptions(options: ResourceServerOptions): void {
  checkOptions(options, rules, "", ["resource", "issuers"]);
}

function hasFunction(value: unknown, name: string): boolean {
  return isObject(value) && typeof value[name] === "function";
}

/** The rule for the issuers of a resource server. */
function issuersFault(value: unknown, place: string): string | OptionFault | undefined {
  if (!Array.isArray(value) || value.length === 0)
    return "a list with at least one issuer, such as jwks(url)";
  const known = new Set<string>();
  for (const [index, each] of (value as readonly unknown[]).entries()) {
    const at = `${place.slice(0, -1)}[${index}]`;
    if (!hasFunction(each, "verify"))
      return { message: `${at}: expected an issuer, such as jwks(url) or introspection(options).` };
    const issuer = each as TokenIssuer;
    const fault = valueFault(issuer, issuerRules, `${at}.`, ["issuer"]);
    if (fault) return fault;
    for (const iss of new Set(issuer.accepts ?? [issuer.issuer])) {
      if (known.has(iss)) return { message: `${at}: another issuer in the list has the same identifier.` };
      known.add(iss);
    }
  }
  // With several such issuers, a token without `iss` would be sent to servers that did not issue it.
  return (value as readonly TokenIssuer[]).filter(({ opaque }) => opaque).length > 1
    ? "at most one issuer of tokens that are no JWT"
    : undefined;
}

/** The rule for scopes of a resource. */
function resourceScopes(value: unknown, place: string): string | OptionFault | undefined {
  const wrong = scopeList(value);
  if (wrong !== undefined || !(value as readonly string[]).includes("offline_access")) return wrong;
  const why = "offline_access is not a scope of a resource: clients ask their issuer for it";
  return { message: `${place.slice(0, -1)}: ${why}.` };
}
