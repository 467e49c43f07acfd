import { type Rules, texts } from "@mcpgen/base";
import { type CompactVerifyGetKey, type JSONWebKeySet, compactVerify, createLocalJWKSet } from "jose";
import { AuthError } from "../shared/errors.js";
import { jsonObject } from "../shared/json-object.js";
import { checkOptions, httpsUrl, issuerUrl, issuerUrls, wrongOption } from "../shared/option-rules.js";
import { audience } from "./audience.js";
import { refuseOtherTokens, refused } from "./claims.js";
import { type Fetch, IssuerEndpoint, fetchObject, unavailable } from "./issuer-document.js";
import type { Audience, Claims, TokenIssuer } from "./token-issuer.js";

/** Asymmetric signature algorithms. Symmetric ones are never accepted, because their verification key can also sign. */
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

export const signatureAlgorithms = [
  ...(["ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const),
  ...(["PS256", "PS384", "PS512", "RS256", "RS384", "RS512"] as const),
];

export interface JwksOptions {
  /** Signature algorithms of access tokens. Default: `ES256`, `RS256`. */
  readonly algorithms?: readonly SignatureAlgorithm[];
  /** The issuer's name for this server. Default: `aud` contains the resource. */
  readonly audience?: Audience;
  /** Other values of `iss` in tokens of the issuer. */
  readonly alsoIssuers?: readonly string[];
  /** URL of the keys. Default: `jwks_uri` of the issuer's metadata. */
  readonly jwksUri?: string;
  /** The keys themselves, instead of a request. */
  readonly keys?: JSONWebKeySet;
  /**
   * Accepted values of the header `typ`: `at+jwt` (RFC 9068), `JWT`, or absent, as most issuers have it. Default: all
   * three.
   */
  readonly types?: readonly ("at+jwt" | "JWT" | "absent")[];
  /** Returns the granted scopes. Default: `scope`, or `scp`. */
  readonly scopes?: (claims: Claims) => readonly string[];
  /** Returns the client. Default: `client_id`, or `azp`. */
  readonly client?: (claims: Claims) => string | undefined;
  /** Accepts tokens without `sub`. Only for an issuer whose tokens for users always have one. Default: `false`. */
  readonly clientTokens?: boolean;
  /** Sends the requests for metadata and keys. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

const rules: Rules<JwksOptions> = {
  algorithms: signatureAlgorithmList,
  audience,
  alsoIssuers: issuerUrls,
  jwksUri: httpsUrl,
  keys: (value) =>
    Array.isArray((value as Partial<JSONWebKeySet> | null)?.keys)
      ? undefined
      : "a JSON Web Key Set: { keys: [...] }",
  types: (value) => wordsFault(value, ["at+jwt", "JWT", "absent"], "at+jwt, JWT or absent"),
  scopes: "function",
  client: "function",
  clientTokens: "boolean",
  fetch: "function",
};

/**
 * An issuer of JWT access tokens, verified with the keys that it publishes.
 *
 * @param issuer identifier, exactly as in `iss` and in the metadata
 * @throws {AuthError} `auth-options`
 */
export function jwks(issuer: string, options: JwksOptions = {}): TokenIssuer {
  checkOptions({ "jwks(issuer)": issuer }, { "jwks(issuer)": issuerUrl }, "", ["jwks(issuer)"]);
  checkOptions(options, rules, "jwks.");
  if (options.keys !== undefined && options.jwksUri !== undefined)
    throw wrongOption("jwks.keys", "expected either keys or jwksUri, not both");
  const { algorithms = ["ES256", "RS256"], alsoIssuers = [], scopes, client } = options;
  const { types = ["at+jwt", "JWT", "absent"], keys, clientTokens = false } = options;
  const keyOf = keys ? createLocalJWKSet(keys) : remoteKeys(issuer, options);
  return {
    issuer,
    accepts: [issuer, ...alsoIssuers],
    ...(options.audience !== undefined && { audience: options.audience }),
    ...(scopes && { scopes }),
    ...(client && { client }),
    ...(clientTokens && { clientTokens }),
    verify: (token) => verifyJwt(token, keyOf, algorithms, types),
  };
}

/** The rule for a list of signature algorithms. It refuses symmetric ones. */
export function signatureAlgorithmList(value: unknown): string | undefined {
  return wordsFault(value, signatureAlgorithms, `asymmetric algorithms: ${signatureAlgorithms.join(", ")}`);
}

function wordsFault(value: unknown, words: readonly unknown[], expected: string): string | undefined {
  const isKnown = (each: unknown): boolean => words.includes(each);
  return texts(value) ?? ((value as readonly unknown[]).every(isKnown) ? undefined : expected);
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
    // Only the signature is verified here. Our own code checks the claims, in the same way as for introspection.
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
    // The platform throws other errors for keys that it cannot read or that are too short.
    throw unavailable("the key of the issuer is not valid", error);
  }
}

const malformed = "it is malformed";

/** Returns the code of an error of jose. */
function joseCode(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("ERR_J") ? code : undefined;
}

/**
 * Returns `iss` of an unverified JWT.
 *
 * @returns `undefined` if the token is not a JWT or has no `iss`; `null` if `iss` is not a string
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

/** Decodes the JSON object in a part of a JWT. */
function partOf(part: string): Claims | undefined {
  try {
    const text = atob(part.replace(/-/g, "+").replace(/_/g, "/"));
    return jsonObject(new TextDecoder().decode(Uint8Array.from(text, (each) => each.charCodeAt(0))));
  } catch {
    return undefined;
  }
}

/** Normalises a media type: lower case, without `application/` (RFC 7515, 4.1.9). */
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

/** Minimum time between requests for keys in milliseconds, regardless of the number of unknown keys. */
export const refreshMs = 30_000;

/** Milliseconds after which keys are read again even if all are known, because an issuer may have withdrawn one. */
const staleMs = 600_000;

/** Milliseconds for which keys are used after the last successful read. */
const expiryMs = 86_400_000;

/** The keys of an issuer. An unknown key causes a request for keys, at most one in 30 s, even if it fails. */
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
   * @throws {AuthError} `auth-token-refused`: the issuer does not have the key; `auth-unavailable`: no keys could be
   *   read
   */
  readonly keyOf: CompactVerifyGetKey = async (header, token) => {
    const age = Date.now() - this.#readAt;
    if (age > staleMs) {
      const refreshed = this.#refresh();
      // Use the present keys while newer ones are read, unless they are too old.
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

  /** Reads the keys, unless a read was tried a short time ago. Never rejects. */
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
