import { McpError } from "@mcpgen/runtime/server";
import { BoundedMap, insufficientScopeCode } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import { isScope, missingScopes, scopeHierarchy, scopesOf } from "../shared/scopes.js";
import { isForUs } from "./audience.js";
import { type AuthInfo, frozen } from "./auth-info.js";
import { challengeText, metadataRoutes, metadataUrl, mostScopeText } from "./resource-metadata.js";
import { wrongOption } from "../shared/option-rules.js";
import { digestOf } from "../shared/encoding.js";
import type { ProofRequest } from "./dpop.js";
import { checkClaims, refused } from "./claims.js";
import { statedIssuer } from "./jwks.js";
import { type ResourceServerOptions, checkResourceServerOptions } from "./resource-server-options.js";
import type { Claims, ServerRoute, TokenIssuer } from "./token-issuer.js";

/** The response that refuses a request. */
export interface AuthDenial {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The caller of a request, for the HTTP server. */
export interface AuthPrincipal {
  readonly principal: string;
  readonly auth: AuthInfo;
}

/** A request that the HTTP server passes to `authenticate`. */
export interface AuthRequest {
  readonly method: string;
  readonly url: string;
  header(name: string): string | undefined;
}

/** A parsed request that the HTTP server passes to `permit`. */
export interface ScopedCall {
  readonly scopes: readonly string[];
}

export interface ResourceServer {
  /** Options for `serveHttp`, `createNodeHandler` and `createHttpHandler`. */
  readonly http: {
    readonly authenticate: (
      request: AuthRequest,
    ) => AuthPrincipal | AuthDenial | Promise<AuthPrincipal | AuthDenial>;
    readonly permit: (
      calls: readonly ScopedCall[],
      principal: { readonly auth?: unknown },
    ) => AuthDenial | undefined;
    readonly routes: readonly ServerRoute[];
    readonly publicUrl: string;
  };
  /** The protected resource metadata (RFC 9728). */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** URL of the metadata. */
  readonly metadataUrl: string;
  /**
   * Throws if the token of a request lacks scopes. For handlers that find out the needed scopes only while they run: the
   * response may have begun, so the client gets a JSON-RPC error. Scopes in definitions are checked earlier, with status
   * 403.
   *
   * @param auth `context.auth`
   * @returns `auth`, with its type
   * @throws {McpError} `invalid-request`, with the scopes and the URL of the metadata in `data`
   */
  requireScopes(auth: unknown, scopes: readonly string[]): AuthInfo;
}

/** A verified token. */
interface Verified {
  readonly caller: AuthPrincipal;
  /** Identifier of the issuer that verified the token; `iss` may be another name of it. */
  readonly issuer: string;
  /** Thumbprint of the key whose possession the sender must prove; `undefined` for an unbound token. */
  readonly thumbprint: string | undefined;
  /** The response to all requests with this token, if it lacks required scopes. */
  readonly denial: AuthDenial | undefined;
}

/** Maximum length of a token in characters. */
const longestToken = 16_384;

/** Maximum number of cached verified tokens, and of their bytes. One principal may use at most half. */
const mostVerified = 10_000;
const verifiedBytes = 64_000_000;

/** Bytes of a cached token in addition to its claims. */
const verifiedOverhead = 1000;

/** Maximum number of cached refused tokens, and milliseconds for which they are refused again without verification. */
const mostRefused = 10_000;
const refusedMs = 5000;

/** Allowed difference of issuers' clocks in seconds. */
const skew = 30;

const now = (): number => Date.now();

/**
 * Protects an HTTP server with access tokens (2026-07-28, authorization).
 *
 * @throws {AuthError} `auth-options`: an option is wrong; the message names it
 */
export function resourceServer(options: ResourceServerOptions): ResourceServer {
  checkResourceServerOptions(options);
  const guard = new ResourceGuard(options);
  const { resource } = options;
  return {
    http: {
      authenticate: (request) => guard.authenticate(request),
      permit: (calls, { auth }) => guard.permit(calls, auth),
      routes: [
        ...metadataRoutes(resource, guard.metadata),
        ...options.issuers.flatMap(({ routes = [] }) => routes),
      ],
      publicUrl: resource,
    },
    metadata: guard.metadata,
    metadataUrl: metadataUrl(resource),
    requireScopes: (auth, scopes) => guard.requireScopes(auth, scopes),
  };
}

/** A token in a request. */
interface Shown {
  readonly digest: string;
  readonly token: string;
  readonly isBearer: boolean;
  readonly request: AuthRequest;
}

class ResourceGuard {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly #options: ResourceServerOptions;
  readonly #metadataUrl: string;
  readonly #required: readonly string[];
  readonly #hierarchy;
  readonly #byIssuer = new Map<string, TokenIssuer>();
  readonly #opaque: TokenIssuer | undefined;
  readonly #cacheMs: number;
  /** Verified tokens by digest; `#refused` has the reasons of refusals by digest. */
  readonly #verified: BoundedMap<string, Verified>;
  readonly #refused = new BoundedMap<string, string>({
    ...{ full: "evict", count: mostRefused, lifeMs: refusedMs, now },
  });
  /** Current verifications, by digest. The number of running requests bounds their number. */
  readonly #running = new Map<string, Promise<Verified>>();

  constructor(options: ResourceServerOptions) {
    this.#options = options;
    const { resource, issuers, scopes = {}, cacheSeconds = 60 } = options;
    this.#metadataUrl = metadataUrl(resource);
    this.#required = scopes.required ?? [];
    this.#hierarchy = scopeHierarchy(scopes.hierarchy);
    for (const each of issuers)
      for (const iss of each.accepts ?? [each.issuer]) this.#byIssuer.set(iss, each);
    this.#opaque = issuers.find(({ opaque }) => opaque);
    this.#cacheMs = 1000 * cacheSeconds;
    this.#verified = new BoundedMap({ full: "evict", count: mostVerified, bytes: verifiedBytes, now });
    this.metadata = metadataOf(options);
  }

  authenticate(request: AuthRequest): AuthPrincipal | AuthDenial | Promise<AuthPrincipal | AuthDenial> {
    const credentials = request.header("authorization");
    // URLs with tokens end up in logs and histories (2026-07-28, access token usage).
    if (/[?&]access_token=/.test(request.url))
      return this.#unauthorized("Bearer", "invalid_token", "a token in the URL is never accepted");
    if (credentials === undefined) return this.#unauthorized();
    return this.#known(credentials, request) ?? this.#parse(credentials, request);
  }

  /** A fast path: finds a cached verified token before anything else is checked. */
  #known(credentials: string, request: AuthRequest): ReturnType<ResourceGuard["authenticate"]> | undefined {
    if (!credentials.startsWith("Bearer ") || credentials.length > longestToken) return undefined;
    const token = credentials.slice("Bearer ".length);
    const digest = digestOf(token);
    const found = typeof digest === "string" ? this.#verified.get(digest) : undefined;
    return found && this.#conclude(found, { digest: digest as string, token, isBearer: true, request });
  }

  #parse(credentials: string, request: AuthRequest): ReturnType<ResourceGuard["authenticate"]> {
    // Some issuers use more characters than RFC 6750, 2.1 lists. Accepts all characters of tokens (RFC 6749, A.12) except
    // those that separate parameters.
    const [, scheme, token] = /^(bearer|dpop) +([!#-+\--<>-~]+=*) *$/i.exec(credentials) ?? [];
    if (token === undefined || token.length > longestToken) return this.#malformed(credentials);
    const isBearer = scheme!.length === "bearer".length;
    const digest = digestOf(token);
    if (typeof digest !== "string")
      return digest.then((known) => this.#judge({ digest: known, token, isBearer, request }));
    return this.#judge({ digest, token, isBearer, request });
  }

  #malformed(credentials: string): AuthDenial {
    // Credentials of another scheme count as no token.
    const [, scheme] = /^(bearer|dpop)\b/i.exec(credentials) ?? [];
    if (scheme === undefined) return this.#unauthorized();
    const isBearer = scheme.toLowerCase() === "bearer";
    return this.#unauthorized(isBearer ? "Bearer" : "DPoP", "invalid_token", "the token is malformed");
  }

  #judge(shown: Shown): ReturnType<ResourceGuard["authenticate"]> {
    const found = this.#verified.get(shown.digest);
    if (found) return this.#conclude(found, shown);
    return this.#verifyOnce(shown.digest, shown.token).then(
      (verified) => this.#conclude(verified, shown),
      (error: unknown) => this.#deny(error, shown.isBearer ? "Bearer" : "DPoP"),
    );
  }

  /** Checks what differs between requests with the same token, such as the DPoP proof. */
  #conclude(
    { caller, issuer, thumbprint, denial }: Verified,
    { digest, token, isBearer, request }: Shown,
  ): ReturnType<ResourceGuard["authenticate"]> {
    const { dpop, exchange } = this.#options;
    const conclude = (): AuthPrincipal | AuthDenial => {
      if (denial || !exchange) return denial ?? caller;
      // Requests with the same token share its claims, but the exchange needs a separate object for each request to find
      // its token.
      const auth = Object.freeze({ ...caller.auth });
      exchange.bind(auth, token, issuer);
      return { ...caller, auth };
    };
    if (thumbprint === undefined) {
      if (!isBearer || dpop?.required)
        return this.#unauthorized("DPoP", "invalid_token", "the token is not bound to a key");
      return conclude();
    }
    // A bound token must not be accepted without its key (RFC 9449, 7.1).
    if (isBearer) return this.#unauthorized("Bearer", "invalid_token", "the token needs a DPoP proof");
    if (!dpop) return this.#unauthorized("Bearer", "invalid_token", "DPoP proofs are not accepted here");
    const proof: ProofRequest = { method: request.method, url: request.url, proof: request.header("dpop") };
    return dpop.verify(proof, digest, thumbprint, caller.principal).then((fault) => {
      if (!fault) return conclude();
      const { error, description, nonce, status } = fault;
      const answer = status ? busy(description) : this.#unauthorized("DPoP", error, description);
      return nonce === undefined
        ? answer
        : { ...answer, headers: { ...answer.headers, "dpop-nonce": nonce } };
    });
  }

  /** Verifies a token. Concurrent requests share one verification. */
  #verifyOnce(digest: string, token: string): Promise<Verified> {
    const known = this.#refused.get(digest);
    if (known !== undefined) return Promise.reject(refused(known));
    const running = this.#running.get(digest);
    if (running) return running;
    const verifying = this.#verify(token).then(
      (claims) => {
        const verified = this.#accept(claims);
        this.#keep(digest, verified);
        return verified;
      },
      (error: unknown) => {
        if (error instanceof AuthError && error.code === "auth-token-refused")
          this.#refused.set(digest, error.message);
        throw error;
      },
    );
    this.#running.set(digest, verifying);
    const forget = (): void => void this.#running.delete(digest);
    verifying.then(forget, forget);
    return verifying;
  }

  #keep(digest: string, verified: Verified): void {
    const { principal, auth } = verified.caller;
    const lifeMs = Math.min(1000 * (auth.expiresAt ?? Infinity) - Date.now(), this.#cacheMs);
    const bytes = 2 * JSON.stringify(auth.claims).length + verifiedOverhead;
    if (lifeMs > 0) this.#verified.set(digest, verified, { lifeMs, bytes, principal });
  }

  async #verify(token: string): Promise<Claims & { readonly iss: string }> {
    const issuer = this.#issuerOf(token);
    if (!issuer) throw refused("no issuer of this server issued it");
    const claims = await issuer.verify(token);
    checkClaims(claims);
    // Introspection may leave out `iss`: then the answering issuer counts.
    const { iss = issuer.opaque ? issuer.issuer : undefined } = claims as { readonly iss?: string };
    if (iss === undefined || this.#byIssuer.get(iss) !== issuer) throw refused("it names another issuer");
    this.#checkTimes(claims);
    if (!isForUs(claims, this.#options.resource, issuer.audience))
      throw refused("it was not issued for this server: its audience is another");
    return { ...claims, iss };
  }

  /**
   * Returns the issuer that an unverified token names. A token without `iss` goes to the issuer of opaque tokens. A token
   * that names an unknown issuer has none: the issuer of opaque tokens must not receive it, because the token may be
   * valid elsewhere.
   */
  #issuerOf(token: string): TokenIssuer | undefined {
    const stated = statedIssuer(token);
    return stated === undefined ? this.#opaque : this.#byIssuer.get(stated ?? "");
  }

  #checkTimes({ exp, nbf = -Infinity }: { readonly exp?: number; readonly nbf?: number }): void {
    const now = Date.now() / 1000;
    if (exp === undefined) throw refused("it has no expiry");
    if (exp + skew <= now) throw refused("it has expired");
    if (nbf - skew > now) throw refused("it is not valid yet");
  }

  /** Makes the caller and the required checks from verified claims. */
  #accept(claims: Claims & { readonly iss: string }): Verified {
    const { iss, sub, exp, cnf } = claims as JudgedClaims;
    const issuer = this.#byIssuer.get(iss)!;
    const clientId = clientOf(claims, issuer);
    const scopes = grantedBy(claims, issuer);
    const auth: AuthInfo = frozen({
      issuer: iss,
      ...(sub !== undefined && { subject: sub }),
      ...(clientId !== undefined && { clientId }),
      scopes,
      ...(exp !== undefined && { expiresAt: exp }),
      claims: { ...claims },
      ...(issuer.upstream && { upstream: () => issuer.upstream!(claims) }),
    });
    const missing = missingScopes(this.#required, scopes, this.#hierarchy);
    // An unknown confirmation must not be ignored (RFC 7800, 3.1).
    if (cnf && (Object.keys(cnf).length !== 1 || typeof cnf["jkt"] !== "string" || cnf["jkt"] === ""))
      throw refused("it is bound to its sender in a way that is not supported here");
    return {
      caller: { principal: this.#principalOf(auth, issuer), auth },
      issuer: issuer.issuer,
      thumbprint: cnf?.["jkt"] as string | undefined,
      denial: missing.length > 0 ? this.#forbidden(scopes, this.#required) : undefined,
    };
  }

  /** Makes the principal from issuer and subject, since a subject is unique only at its issuer. */
  #principalOf({ issuer, subject, clientId, claims }: AuthInfo, { clientTokens }: TokenIssuer): string {
    const { principal } = this.#options;
    if (principal) {
      const name: unknown = principal(claims);
      if (typeof name !== "string" || name === "")
        throw new AuthError("auth-options", "principal: expected a function that returns a text.");
      return `${issuer}|${name}`;
    }
    if (subject !== undefined) return `${issuer}|${subject}`;
    // Otherwise, all users of a client would become one principal.
    if (!clientTokens) throw refused("it names no subject (sub), and its issuer has no option clientTokens");
    if (clientId === undefined) throw refused("it names neither a subject nor a client");
    // Issuers do not contain "#", so this cannot equal a principal with a subject.
    return `${issuer}#${clientId}`;
  }

  permit(calls: readonly ScopedCall[], auth: unknown): AuthDenial | undefined {
    const needed = calls.length === 1 ? calls[0]!.scopes : calls.flatMap(({ scopes }) => scopes);
    if (needed.length === 0) return undefined;
    const { scopes = [] } = (auth ?? {}) as Partial<AuthInfo>;
    if (missingScopes(needed, scopes, this.#hierarchy).length === 0) return undefined;
    return this.#forbidden(scopes, [...this.#required, ...needed]);
  }

  requireScopes(auth: unknown, scopes: readonly string[]): AuthInfo {
    const { issuer, scopes: granted = [] } = (auth ?? {}) as Partial<AuthInfo>;
    const missing = missingScopes(scopes, granted, this.#hierarchy);
    if (issuer !== undefined && missing.length === 0) return auth as AuthInfo;
    const why = missing.length > 0 ? `the token lacks scopes: ${missing.join(" ")}` : "there is no token";
    throw new McpError("invalid-request", why, {
      rpcCode: insufficientScopeCode,
      data: {
        error: "insufficient_scope",
        scope: this.#scopesToAsk(granted, scopes).join(" "),
        resource_metadata: this.#metadataUrl,
      },
    });
  }

  #unauthorized(scheme: "Bearer" | "DPoP" = "Bearer", error?: string, description?: string): AuthDenial {
    const { dpop } = this.#options;
    const facts = { scopes: this.#required, metadata: this.#metadataUrl };
    const fault = error === undefined ? {} : { error, ...(description !== undefined && { description }) };
    const schemes = dpop
      ? dpop.required
        ? (["DPoP"] as const)
        : (["Bearer", "DPoP"] as const)
      : (["Bearer"] as const);
    const only = schemes.length === 1;
    const challenges = schemes.map((each) =>
      challengeText(each, {
        ...facts,
        ...(only || each === scheme ? fault : {}),
        ...(dpop && { proofs: dpop.algorithms }),
      }),
    );
    return denial(401, challenges.join(", "), description ?? "send an access token");
  }

  #forbidden(granted: readonly string[], needed: readonly string[]): AuthDenial {
    const { dpop } = this.#options;
    const challenge = challengeText(dpop?.required ? "DPoP" : "Bearer", {
      error: "insufficient_scope",
      description: lacksScopes,
      scopes: this.#scopesToAsk(granted, [...this.#required, ...needed]),
      metadata: this.#metadataUrl,
      ...(dpop && { proofs: dpop.algorithms }),
    });
    return denial(403, challenge, lacksScopes);
  }

  /** Returns the scopes for the challenge: the needed ones, and the granted ones, so that a new token keeps them. */
  #scopesToAsk(granted: readonly string[], needed: readonly string[]): readonly string[] {
    const kept = granted.filter((scope) => isScope(scope) && scope !== "offline_access");
    const all = [...new Set([...kept, ...needed])];
    return all.join(" ").length <= mostScopeText ? all : [...new Set(needed)];
  }

  /** Makes the response for a refused token or an unreachable issuer. @throws any other error */
  #deny(error: unknown, scheme: "Bearer" | "DPoP"): AuthDenial {
    if (!(error instanceof AuthError)) throw error;
    if (error.code === "auth-token-refused")
      return this.#unauthorized(scheme, "invalid_token", `the token is refused: ${error.message}`);
    if (error.code === "auth-unavailable") return busy(error.message);
    throw error;
  }
}

const lacksScopes = "the token lacks scopes that the request needs";

function denial(status: number, challenge: string, text: string): AuthDenial {
  return { status, headers: { "www-authenticate": challenge, "content-type": "text/plain" }, text };
}

/** Not a 401, because a new login would not help. */
function busy(text: string): AuthDenial {
  return { status: 503, headers: { "retry-after": "5", "content-type": "text/plain" }, text };
}

function metadataOf(options: ResourceServerOptions): Readonly<Record<string, unknown>> {
  const { resource, issuers, scopes = {}, dpop, name, documentation } = options;
  const supported = scopes.supported ?? scopes.required ?? [];
  return {
    resource,
    authorization_servers: [...new Set(issuers.map(({ issuer }) => issuer))],
    ...(supported.length > 0 && { scopes_supported: supported }),
    bearer_methods_supported: ["header"],
    ...(dpop && { dpop_signing_alg_values_supported: dpop.algorithms }),
    ...(dpop?.required && { dpop_bound_access_tokens_required: true }),
    ...(name !== undefined && { resource_name: name }),
    ...(documentation !== undefined && { resource_documentation: documentation }),
  };
}

/** Claims that `checkClaims` has checked. */
interface JudgedClaims {
  readonly iss: string;
  readonly sub?: string;
  readonly exp?: number;
  readonly cnf?: Readonly<Record<string, unknown>>;
  readonly scope?: string | readonly string[];
  readonly scp?: string | readonly string[];
  readonly client_id?: string;
  readonly azp?: string;
}

/**
 * Returns the scopes of a token: a space-separated text (RFC 9068, 2.2.3), or a list at some issuers.
 *
 * @throws {AuthError} `auth-options`: the issuer's function returned something else
 */
function grantedBy(claims: Claims, { scopes }: TokenIssuer): readonly string[] {
  const { scope, scp } = claims as JudgedClaims & Claims;
  const given: unknown = scopes ? scopes(claims) : (scope ?? scp ?? []);
  if (typeof given === "string" && !scopes) return [...new Set(scopesOf(given))];
  if (Array.isArray(given) && given.every((each) => typeof each === "string")) return [...new Set(given)];
  throw wrongOption("scopes", "expected a function that returns a list of texts");
}

/** @throws {AuthError} `auth-options`: the issuer's function did not return a string */
function clientOf(claims: Claims, { client }: TokenIssuer): string | undefined {
  const { client_id: id, azp } = claims as JudgedClaims & Claims;
  const found: unknown = client ? client(claims) : (id ?? azp);
  if (found === undefined || (typeof found === "string" && found !== "")) return found;
  throw wrongOption("client", "expected a function that returns a text, or undefined");
}
