import { type CompactVerifyGetKey, type JSONWebKeySet, compactVerify, createLocalJWKSet } from "jose";
import { AuthError } from "../shared/errors.js";
import { jsonObject } from "../shared/json-object.js";
import { checkBoolean, checkFunction, checkNames, checkTexts, wrongOption } from "../shared/option-check.js";
import { checkAudience } from "./audience.js";
import { refuseOtherTokens, refused } from "./claims.js";
import {
  type Fetch,
  IssuerEndpoint,
  checkIssuer,
  checkIssuers,
  checkUrl,
  fetchObject,
  unavailable,
} from "./issuer-document.js";
import type { Audience, Claims, TokenIssuer } from "./token-issuer.js";

/** Asymmetric signature algorithms. Symmetric ones are never accepted: their key also signs. */
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

export const signatureAlgorithms = [
  ...(["ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const),
  ...(["PS256", "PS384", "PS512", "RS256", "RS384", "RS512"] as const),
];

export interface JwksOptions {
  /** Signature algorithms of access tokens. Default: `ES256`, `RS256`. */
  readonly algorithms?: readonly SignatureAlgorithm[];
  /** How tokens of the issuer name this server. Default: `aud` contains the resource. */
  readonly audience?: Audience;
  /** Other values of `iss` that the issuer writes into its tokens. */
  readonly alsoIssuers?: readonly string[];
  /** URL of the keys. Default: `jwks_uri` of the issuer's metadata. */
  readonly jwksUri?: string;
  /** The keys themselves; no request is then made. */
  readonly keys?: JSONWebKeySet;
  /**
   * Types of access tokens in the header `typ`: `at+jwt` is RFC 9068, `JWT` and absence are what most issuers write.
   * Default: all three.
   */
  readonly types?: readonly ("at+jwt" | "JWT" | "absent")[];
  /** The granted scopes. Default: `scope`, or `scp`. */
  readonly scopes?: (claims: Claims) => readonly string[];
  /** The client. Default: `client_id`, or `azp`. */
  readonly client?: (claims: Claims) => string | undefined;
  /** Accepts tokens without `sub`: this issuer writes them for clients that act for themselves, never for users. Default: `false`. */
  readonly clientTokens?: boolean;
  /** Sends the requests for metadata and keys. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

const known = [
  "algorithms",
  "audience",
  "alsoIssuers",
  "jwksUri",
  "keys",
  "types",
  "scopes",
  "client",
  "clientTokens",
  "fetch",
];

/**
 * An issuer of JWT access tokens, verified with the keys that it publishes.
 *
 * @param issuer its identifier, as `iss` and its metadata write it
 * @throws {AuthError} `auth-options`
 */
export function jwks(issuer: string, options: JwksOptions = {}): TokenIssuer {
  checkJwksOptions(issuer, options);
  const { algorithms = ["ES256", "RS256"], audience, alsoIssuers = [], scopes, client } = options;
  const { types = ["at+jwt", "JWT", "absent"], keys, clientTokens = false } = options;
  const keyOf = keys ? createLocalJWKSet(keys) : remoteKeys(issuer, options);
  return {
    issuer,
    accepts: [issuer, ...alsoIssuers],
    ...(audience === undefined ? {} : { audience }),
    ...(scopes && { scopes }),
    ...(client && { client }),
    ...(clientTokens && { clientTokens }),
    verify: (token) => verifyJwt(token, keyOf, algorithms, types),
  };
}

function checkJwksOptions(issuer: string, options: JwksOptions): void {
  checkIssuer(issuer, "jwks(issuer)");
  checkNames(options, known, "jwks.");
  const { algorithms, audience, alsoIssuers, jwksUri, keys, types, scopes, client, fetch } = options;
  if (options.clientTokens !== undefined) checkBoolean(options.clientTokens, "jwks.clientTokens");
  if (algorithms !== undefined) checkAlgorithms(algorithms, "jwks.algorithms");
  if (audience !== undefined) checkAudience(audience, "jwks.audience");
  if (alsoIssuers !== undefined) checkIssuers(alsoIssuers, "jwks.alsoIssuers");
  if (jwksUri !== undefined) checkUrl(jwksUri, "jwks.jwksUri");
  if (keys !== undefined && jwksUri !== undefined)
    throw wrongOption("jwks.keys", "expected either keys or jwksUri, not both");
  if (keys !== undefined && !Array.isArray((keys as Partial<JSONWebKeySet> | null)?.keys))
    throw wrongOption("jwks.keys", "expected a JSON Web Key Set: { keys: [...] }");
  if (types !== undefined) {
    checkTexts(types, "jwks.types");
    if (!types.every((each) => ["at+jwt", "JWT", "absent"].includes(each)))
      throw wrongOption("jwks.types", "expected at+jwt, JWT or absent");
  }
  for (const [name, value] of Object.entries({ scopes, client, fetch }))
    if (value !== undefined) checkFunction(value, `jwks.${name}`);
}

/** @throws {AuthError} `auth-options`: the list has none, an unknown or a symmetric algorithm */
export function checkAlgorithms(value: unknown, name: string): void {
  checkTexts(value, name);
  const allowed: readonly string[] = signatureAlgorithms;
  if (!value.every((each) => allowed.includes(each)))
    throw wrongOption(name, `expected asymmetric algorithms: ${allowed.join(", ")}`);
}

function remoteKeys(issuer: string, { jwksUri, fetch: send = fetch }: JwksOptions): CompactVerifyGetKey {
  const endpoint = new IssuerEndpoint(send, issuer, "jwks_uri", jwksUri);
  return new KeySet(async () => fetchObject(send, await endpoint.url())).keyOf;
}

async function verifyJwt(
  token: string,
  keyOf: CompactVerifyGetKey,
  algorithms: readonly string[],
  types: readonly string[],
): Promise<Claims> {
  try {
    // Claims are judged here and by the resource server, for introspection as for JWT.
    const { payload, protectedHeader } = await compactVerify(token, keyOf, { algorithms: [...algorithms] });
    const { typ } = protectedHeader as { readonly typ?: unknown };
    const type = typ === undefined ? "absent" : typeOf(typ);
    if (!types.includes(type)) throw refused("its typ is not that of an access token");
    const claims = jsonObject(new TextDecoder().decode(payload));
    if (!claims) throw refused(malformed);
    refuseOtherTokens(claims, type === "at+jwt");
    return claims;
  } catch (error) {
    if (error instanceof AuthError) throw error;
    const code = joseCode(error);
    if (code !== undefined) throw refused(reasons[code] ?? malformed, error);
    // The platform has other errors for keys that it cannot read, or that are too short.
    throw unavailable("the key of the issuer is not valid", error);
  }
}

const malformed = "it is malformed";

/** The code of an error of jose. */
function joseCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("ERR_J") ? code : undefined;
}

/**
 * `iss` of a JWT that is not verified.
 *
 * @returns `undefined` for a token that is no JWT, or does not say whose it is; `null` for an `iss` that is no text
 */
export function statedIssuer(token: string): string | null | undefined {
  const [header, payload, signature, ...more] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  // An encrypted JWT (RFC 7516, 7.1) may repeat the claim in its header.
  const isEncrypted = more.length === 2;
  if (more.length > 0 && !isEncrypted) return undefined;
  const { iss } = partOf(isEncrypted ? header! : payload) ?? {};
  return typeof iss === "string" || iss === undefined ? iss : null;
}

/** The JSON object of one part of a JWT. */
function partOf(part: string): Claims | undefined {
  try {
    const text = atob(part.replace(/-/g, "+").replace(/_/g, "/"));
    return jsonObject(new TextDecoder().decode(Uint8Array.from(text, (each) => each.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

/** Media types compare without case, and without `application/` (RFC 7515, 4.1.9). */
function typeOf(typ: unknown): string {
  if (typeof typ !== "string") return "malformed";
  const name = typ.toLowerCase().replace(/^application\//, "");
  return name === "jwt" ? "JWT" : name;
}

const reasons: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: "its algorithm is not accepted",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "its signature is wrong",
  ERR_JWKS_NO_MATCHING_KEY: "its issuer has no such key",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "its kid is missing, and its issuer has several keys",
};

/** Milliseconds between two requests for keys, whatever the number of unknown keys. */
export const refreshMs = 30_000;

/** Milliseconds after which keys are read again although all are known: an issuer may have withdrawn one. */
const staleMs = 600_000;

/** Milliseconds that keys are used after their last successful reading. */
const expiryMs = 86_400_000;

/**
 * The keys of an issuer. An unknown key leads to one request for keys, at most one in 30 s, whether it succeeds or not.
 */
export class KeySet {
  readonly #load: () => Promise<unknown>;
  #find: CompactVerifyGetKey | undefined;
  #readAt = -Infinity;
  #triedAt = -Infinity;
  #reading: Promise<void> | undefined;
  #fault: unknown;

  /** @param load reads a JSON Web Key Set */
  constructor(load: () => Promise<unknown>) {
    this.#load = load;
  }

  /**
   * Finds the key of a token.
   *
   * @throws {AuthError} `auth-token-refused`: the issuer has no such key; `auth-unavailable`: no keys could be read
   */
  readonly keyOf: CompactVerifyGetKey = async (header, token) => {
    const age = Date.now() - this.#readAt;
    if (age > staleMs) {
      const refreshed = this.#refresh();
      // Keys that are not too old serve while newer ones are read.
      if (age > expiryMs) await refreshed;
    }
    try {
      return await this.#known()(header, token);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ERR_JWKS_NO_MATCHING_KEY") throw error;
    }
    await this.#refresh();
    return this.#known()(header, token);
  };

  #known(): CompactVerifyGetKey {
    if (!this.#find || Date.now() - this.#readAt > expiryMs)
      throw this.#fault ?? unavailable("the keys of the issuer are too old");
    return this.#find;
  }

  /** Reads the keys, unless that was tried a short time ago. Never fails. */
  #refresh(): Promise<void> {
    if (!this.#reading && Date.now() - this.#triedAt >= refreshMs) {
      this.#triedAt = Date.now();
      this.#reading = this.#read().finally(() => (this.#reading = undefined));
    }
    return this.#reading ?? Promise.resolve();
  }

  async #read(): Promise<void> {
    try {
      this.#find = createLocalJWKSet((await this.#load()) as JSONWebKeySet);
      this.#readAt = Date.now();
      this.#fault = undefined;
    } catch (error) {
      this.#fault =
        error instanceof AuthError ? error : unavailable("the keys of the issuer are not valid", error);
    }
  }
}
