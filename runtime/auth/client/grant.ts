import type { Tokens } from "../shared/token-response.js";
import type { AuthenticatedClient } from "./token-request.js";

/** The stored form of tokens, with their issuer, client and resource. */
export interface Grant {
  /** Identifies the login; refreshed tokens keep it. */
  readonly id: string;
  readonly issuer: string;
  /** URL of the token endpoint that issued the tokens. */
  readonly endpoint: string;
  readonly resource: string | undefined;
  readonly clientId: string;
  /** The client, if the options do not name it, so that its tokens can be refreshed. */
  readonly client?: AuthenticatedClient;
  /** All requested scopes. */
  readonly scopes: readonly string[];
  readonly tokens: Tokens;
  readonly dpopKey?: string | undefined;
}

/** Returns the expiry of a grant's access token, in milliseconds since 1970. */
export function expiryOf({ tokens: { obtained, expiresIn } }: Grant): number {
  return expiresIn === undefined ? Infinity : obtained + expiresIn * 1000;
}

/** Returns the time to replace a token: after about 80 % of its life, with a random part for each process. */
export function refreshTimeOf({ tokens: { obtained, expiresIn } }: Grant): number {
  return expiresIn === undefined ? Infinity : obtained + expiresIn * (775 + 50 * Math.random());
}
