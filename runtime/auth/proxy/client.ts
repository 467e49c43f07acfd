import type { JWK } from "jose";

export type ClientMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** A client of the proxy. */
export interface Client {
  readonly id: string;
  /**
   * Kind of registration. `known`: by the operator; `sealed`: by dynamic registration; `document`: by the metadata
   * document at the client id.
   */
  readonly kind: "known" | "sealed" | "document";
  /** The name that the client gives itself. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly method: ClientMethod;
  readonly secret?: string;
  /** Whether the client gets refresh tokens. */
  readonly refreshes: boolean;
  /** Public keys of a client that authenticates with `private_key_jwt`. */
  readonly keys?: readonly JWK[] | string;
}

/** The data that dynamic registration encrypts into a client id. Short member names keep the id short. */
export interface SealedClient {
  readonly n: string;
  readonly r: readonly string[];
  readonly m: ClientMethod;
  readonly g: boolean;
  /** Time of the registration in seconds since 1970. */
  readonly i: number;
}

const maxName = 64;

/**
 * Prepares a name for the consent page: without direction marks and control characters, on one line, at most 64
 * characters.
 */
export function clientName(given: string): string {
  const text = given
    .slice(0, 4 * maxName)
    .replace(/\s+/gu, " ")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
  return [...text.trim()].slice(0, maxName).join("");
}
