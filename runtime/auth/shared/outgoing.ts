import { Turns } from "@mcpgen/base";
import { AuthError } from "./errors.js";

/** Limits on outgoing requests that requests to this server cause. */
export interface OutgoingLimits {
  /** Maximum number of running requests. */
  readonly running: number;
  /** Maximum number of running requests with one key, such as a host or a user. Default: no separate limit. */
  readonly perKey?: number;
  /** Maximum number of waiting requests. One key may have at most half. */
  readonly waiting: number;
}

/** Maximum wait of a request in milliseconds. */
const longestWaitMs = 5000;

/** Limits on requests to an issuer of a resource server, for each endpoint. */
export const toIssuer: OutgoingLimits = { running: 16, waiting: 512 };

/**
 * Queues outgoing requests that others cause, for example by invented tokens or by naming metadata documents. Limits
 * the number of concurrent requests, regardless of the number of causes.
 */
export class Outgoing {
  readonly #turns: Turns;

  constructor(limits: OutgoingLimits) {
    this.#turns = new Turns(limits, busy);
  }

  /**
   * Sends a request as soon as the limits allow.
   *
   * @throws {AuthError} `auth-unavailable`: too many requests wait, or this one has waited 5 seconds
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
