import type { Tokens } from "../shared/token-response.js";
import type { AuthenticatedClient } from "./token-request.js";

/** Tokens, and for whom and for what they are: as they are stored. */
export interface Grant {
  /** Names the login; refreshed tokens keep it. */
  readonly id: string;
  readonly issuer: string;
  /** URL of the endpoint that gave the tokens. */
  readonly endpoint: string;
  readonly resource: string | undefined;
  readonly clientId: string;
  /** The client, if the options do not name it: so its tokens can be refreshed as long as they are there. */
  readonly client?: AuthenticatedClient;
  /** All scopes that were asked for. */
  readonly scopes: readonly string[];
  readonly tokens: Tokens;
  readonly dpopKey?: string | undefined;
}

/** When the token of a grant ends, in milliseconds since 1970. */
export function expiryOf({ tokens: { obtained, expiresIn } }: Grant): number {
  return expiresIn === undefined ? Infinity : obtained + expiresIn * 1000;
}

/** When a token is to be replaced: after about 80 % of its life, at another time in each process. */
export function refreshTimeOf({ tokens: { obtained, expiresIn } }: Grant): number {
  return expiresIn === undefined ? Infinity : obtained + expiresIn * (775 + 50 * Math.random());
}
