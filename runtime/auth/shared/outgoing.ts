import { Turns } from "@mcpgen/base";
import { AuthError } from "./errors.js";

/** How many requests to others run at once, because of requests to this server. */
export interface OutgoingLimits {
  /** Requests that run at once. */
  readonly running: number;
  /** Of them, requests with one key: to one host, or for one user. Default: all. */
  readonly perKey?: number;
  /** Requests that wait for their turn; one key gets at most half of them. */
  readonly waiting: number;
}

/** Milliseconds that a request waits for its turn. */
const longestWaitMs = 5000;

/** The bounds of requests to the issuers of a resource server: per issuer, and endpoint. */
export const toIssuer: OutgoingLimits = { running: 16, waiting: 512 };

/**
 * Requests that others cause: tokens that are invented, metadata documents that anybody names. They take turns, so that
 * their number at once is bounded whatever the number of causes.
 */
export class Outgoing {
  readonly #turns: Turns;

  constructor(limits: OutgoingLimits) {
    this.#turns = new Turns(limits, busy);
  }

  /**
   * Sends a request when its turn comes.
   *
   * @throws {AuthError} `auth-unavailable`: too many requests wait, or this one has waited for 5 seconds
   */
  async run<Answer>(key: string, send: () => Promise<Answer>): Promise<Answer> {
    const late = AbortSignal.timeout(longestWaitMs);
    try {
      return await this.#turns.run(key, send, late);
    } catch (error) {
      throw late.aborted && error === late.reason ? busy() : error;
    }
  }
}

function busy(): AuthError {
  return new AuthError("auth-unavailable", "too many requests wait for an answer: try again later");
}
