import type { Resend } from "../../client/retry-policy.js";
import type { HeaderValues } from "./header-values.js";
import type * as platform from "../../platform/platform.js";

export type { HeaderValues } from "./header-values.js";

/** What the server asks for where it refuses a request for want of authorization. */
export interface Challenge {
  readonly status: number;
  /** `WWW-Authenticate`. */
  readonly challenge: string | undefined;
}

/** How to reach a server over HTTP. */
export interface HttpClientOptions {
  /** Headers of each request. */
  readonly headers?: HeaderValues;
  /** In place of the platform's. */
  readonly fetch?: (url: string, init: platform.RequestInit) => Promise<platform.Response>;
  /**
   * Gives the headers that authorize a request; called again, with what the server asks for, when one was
   * refused with 401 or 403, and the request is then sent once more. The signal is aborted when nobody waits
   * for the request any more.
   */
  readonly authorize?: (
    challenge: Challenge | undefined,
    signal: platform.AbortSignal,
  ) => HeaderValues | Promise<HeaderValues>;
  /** Attempts to connect to a lost stream again that may fail in a row; 5 without it. */
  readonly reconnects?: number;
  /**
   * Milliseconds to wait before the first of them, where the server does not say: 1,000; doubled each time. A server
   * may ask for 100 at least, or for this where it is less.
   */
  readonly retryMs?: number;
  /**
   * Requests that are sent again where the connection broke before the answer, so that the server may do them twice.
   * `safe` without it: all but calls of tools. `resend` of a request's own options goes before it.
   */
  readonly resend?: Resend;
  /** Bytes of one message of the server's; 10 MiB without it. A request whose answer is longer fails. */
  readonly limit?: number;
}
