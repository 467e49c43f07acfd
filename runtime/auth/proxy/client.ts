import type { JWK } from "jose";

export type ClientMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** A client of the proxy, wherever it is registered. */
export interface Client {
  readonly id: string;
  /** `known`: by the operator; `sealed`: by dynamic registration; `document`: by the metadata document at its id. */
  readonly kind: "known" | "sealed" | "document";
  /** What the client calls itself. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly method: ClientMethod;
  readonly secret?: string;
  /** Whether it gets refresh tokens. */
  readonly refreshes: boolean;
  /** Public keys of a client that authenticates with `private_key_jwt`. */
  readonly keys?: readonly JWK[] | string;
}

/** What dynamic registration encrypts into a client id. Short names keep it short. */
export interface SealedClient {
  readonly n: string;
  readonly r: readonly string[];
  readonly m: ClientMethod;
  readonly g: boolean;
  /** Seconds since 1970 of the registration. */
  readonly i: number;
}

const maxName = 64;

/**
 * A name as the consent page shows it: without what changes the direction of text, without controls, on one line, at most
 * 64 characters.
 */
export function clientName(given: string): string {
  const text = given
    .slice(0, 4 * maxName)
    .replace(/\s+/gu, " ")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "");
  return [...text.trim()].slice(0, maxName).join("");
}
