import { type CompactVerifyGetKey, type JSONWebKeySet, createLocalJWKSet } from "jose";
import { AuthError } from "../shared/errors.js";
import { unavailable } from "./issuer-document.js";

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
