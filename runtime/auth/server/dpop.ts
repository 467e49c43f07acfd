import { gone, type Rules, secrets, withFunctions } from "@mcpgen/base";
import { type CryptoKey, EmbeddedJWK, type JWK, calculateJwkThumbprint, compactVerify } from "jose";
import { base64Url, digestOf } from "../shared/encoding.js";
import { jsonObject } from "../shared/json-object.js";
import { checkOptions } from "../shared/option-rules.js";
import { type SignatureAlgorithm, signatureAlgorithmList } from "./jwks.js";
import { MemoryReplayStore, type ReplayStore } from "./replay-store.js";

export interface DpopOptions {
  /** Whether every token must be bound to a key. Default: `false`. A bound token always needs a proof. */
  readonly required?: boolean;
  /** Algorithms of proofs. Default: `ES256`, `EdDSA`, `RS256`. */
  readonly algorithms?: readonly SignatureAlgorithm[];
  /**
   * Secrets for nonces; with them, proofs must contain a nonce of this server. All processes of a server need the same
   * secrets. The first one makes nonces; nonces by any of them are valid. Default: proofs need no nonce.
   */
  readonly nonceKeys?: readonly string[];
  /** Stores used proofs, so that none is accepted twice. Default: in memory, for one process. */
  readonly replay?: ReplayStore;
}

const rules: Rules<DpopOptions, "nonces" | "seconds"> = {
  required: "boolean",
  algorithms: signatureAlgorithmList,
  nonceKeys: /* @__PURE__ */ secrets(32),
  replay: /* @__PURE__ */ withFunctions("use"),
  nonces: /* @__PURE__ */ gone("Write nonceKeys for nonces.keys; a nonce is issued for two minutes."),
  seconds: /* @__PURE__ */ gone("Leave it out: a proof is valid for 300 seconds before and after its iat."),
};

/** The request to which a proof must belong. */
export interface ProofRequest {
  readonly method: string;
  /** The URL of the request, as clients see it. */
  readonly url: string;
  /** The value of the header `DPoP`. */
  readonly proof: string | undefined;
}

/** The reason why a proof is refused. */
export interface ProofFault {
  readonly error: "invalid_token" | "invalid_dpop_proof" | "use_dpop_nonce";
  readonly description: string;
  /** The nonce for the next proof. */
  readonly nonce?: string;
  /** Status instead of 401, if the client is not at fault. */
  readonly status?: 503;
}

/** Verifies proofs of possession; made by `dpop()`. */
export interface DpopProofs {
  readonly required: boolean;
  readonly algorithms: readonly SignatureAlgorithm[];
  /**
   * @param digest SHA-256 of the access token, in base64url
   * @param thumbprint thumbprint of the key to which the token is bound
   * @param principal principal of the token; default: the thumbprint
   */
  verify(
    request: ProofRequest,
    digest: string,
    thumbprint: string,
    principal?: string,
  ): Promise<ProofFault | undefined>;
}

/** Seconds for which a proof is valid before and after its `iat`. */
const seconds = 300;

/** Maximum lengths of a proof and of `jti`, in characters. */
const longestProof = 8192;
const longestId = 512;

/**
 * For `resourceServer`: accepts tokens that are bound to a key (RFC 9449).
 *
 * @throws {AuthError} `auth-options`
 */
export function dpop(options: DpopOptions = {}): DpopProofs {
  checkOptions(options, rules, "dpop.");
  const { required = false, algorithms = ["ES256", "EdDSA", "RS256"], nonceKeys } = options;
  const replay = options.replay ?? new MemoryReplayStore(seconds);
  const issued = nonceKeys && new DpopNonces(nonceKeys);
  return {
    required,
    algorithms,
    async verify(request, digest, thumbprint, principal = thumbprint) {
      const found = await provenClaims(request, { digest, thumbprint }, algorithms);
      const nonce = await issued?.current();
      if ("error" in found) return nonce === undefined ? found : { ...found, nonce };
      if (issued && !(await issued.accepts(found.nonce)))
        return { ...fault("the proof needs a nonce of this server", "use_dpop_nonce"), nonce: nonce! };
      const id = await digestOf(`${thumbprint} ${found.jti}`);
      const used = await replay.use(id, found.iat + seconds, principal);
      if (used === "new") return undefined;
      if (used === "full") return { ...fault("too many proofs: try again later"), status: 503 };
      return fault("the proof was used before");
    },
  };
}

interface ProofClaims {
  readonly jti: string;
  readonly iat: number;
  readonly nonce: unknown;
}

/** Makes the checks of RFC 9449, 4.3, except the two that need state. */
async function provenClaims(
  { method, url, proof }: ProofRequest,
  token: { readonly digest: string; readonly thumbprint: string },
  algorithms: readonly SignatureAlgorithm[],
): Promise<ProofClaims | ProofFault> {
  if (proof === undefined) return fault("the DPoP proof is missing");
  if (proof.includes(",")) return fault("there is more than one DPoP proof");
  if (proof.length > longestProof) return fault("the DPoP proof is too long");
  const verified = await verifiedProof(proof, algorithms);
  if ("error" in verified) return verified;
  const { payload, jwk } = verified;
  if ((await calculateJwkThumbprint(jwk)) !== token.thumbprint)
    return fault("the token is bound to another key", "invalid_token");
  const { jti, iat, htm, htu, ath, nonce } = payload;
  if (typeof jti !== "string" || jti === "" || jti.length > longestId)
    return fault("its jti is missing or too long");
  if (htm !== method) return fault("its htm is another method");
  if (typeof htu !== "string" || target(htu) !== target(url)) return fault("its htu is another URL");
  if (ath !== token.digest) return fault("its ath is that of another token");
  if (typeof iat !== "number" || Math.abs(Date.now() / 1000 - iat) > seconds)
    return fault("its iat is too old, or in the future");
  return { jti, iat, nonce };
}

async function verifiedProof(
  proof: string,
  algorithms: readonly SignatureAlgorithm[],
): Promise<{ readonly payload: Readonly<Record<string, unknown>>; readonly jwk: JWK } | ProofFault> {
  try {
    const { payload, protectedHeader } = await compactVerify(proof, EmbeddedJWK, {
      algorithms: [...algorithms],
    });
    const { typ, jwk } = protectedHeader;
    const claims = jsonObject(new TextDecoder().decode(payload));
    if (claims && typ === "dpop+jwt") return { payload: claims, jwk: jwk! };
  } catch {
    // All input is of the client, and platforms refuse a bad key with various errors.
  }
  return fault("the DPoP proof is not valid");
}

function fault(description: string, error: ProofFault["error"] = "invalid_dpop_proof"): ProofFault {
  return { error, description };
}

/** Returns a URL in normal form, without query and fragment (RFC 9449, 4.3, 9). */
function target(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Milliseconds for which a nonce is issued. It stays valid for at least as long afterwards. */
const periodMs = 120_000;

/**
 * Nonces for DPoP proofs (RFC 9449, 9), derived from the time. Processes with the same keys issue and accept the same nonces,
 * without a store.
 */
export class DpopNonces {
  readonly #keys: Promise<readonly CryptoKey[]>;
  /** Cache of nonces for each key, for a few periods. */
  readonly #known = new Map<number, Promise<readonly string[]>>();

  /** @param keys the first one makes nonces; nonces by any of them are valid */
  constructor(keys: readonly string[]) {
    const imported = keys.map((key) =>
      crypto.subtle.importKey(
        "raw",
        new TextEncoder().encode(key),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign"],
      ),
    );
    this.#keys = Promise.all(imported);
  }

  async current(): Promise<string> {
    return (await this.#nonces(this.#period))[0]!;
  }

  /** Whether a nonce is of this period, or of the previous or next one, because clocks of processes differ. */
  async accepts(nonce: unknown): Promise<boolean> {
    const now = this.#period;
    const all = await Promise.all([now, now - 1, now + 1].map((period) => this.#nonces(period)));
    return all.some((nonces: readonly unknown[]) => nonces.includes(nonce));
  }

  get #period(): number {
    return Math.floor(Date.now() / periodMs);
  }

  #nonces(period: number): Promise<readonly string[]> {
    let found = this.#known.get(period);
    if (!found) {
      if (this.#known.size > 9) this.#known.clear();
      this.#known.set(period, (found = this.#derive(period)));
    }
    return found;
  }

  async #derive(period: number): Promise<readonly string[]> {
    const text = new TextEncoder().encode(`mcpgen DPoP nonce ${period}`);
    const keys = await this.#keys;
    return Promise.all(keys.map(async (key) => base64Url(await crypto.subtle.sign("HMAC", key, text))));
  }
}
