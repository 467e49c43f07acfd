import type { HeaderValues, platform } from "@mcpgen/base";
import type { Resend } from "../../client/retry-policy.js";

/** A response that asks for authorization. */
export interface Challenge {
  readonly status: number;
  /** `WWW-Authenticate`. */
  readonly challenge: string | undefined;
}

/**
 * Returns the headers that authorize a request. After 401 or 403 it is called again with the challenge, and the request is
 * sent once more. The signal aborts when the request is given up.
 */
export type Authorize = (
  challenge: Challenge | undefined,
  signal: platform.AbortSignal,
) => HeaderValues | Promise<HeaderValues>;

/** One attempt to send a request of HTTP. */
export interface AuthorizeRequest {
  /** POST, GET or DELETE. */
  readonly method: string;
  /** Where the attempt is sent to, also after a redirect. */
  readonly url: string;
  /** Aborts when the request is given up. */
  readonly signal: platform.AbortSignal;
  /** How often the request was refused: from 0 to 3. */
  readonly attempt: number;
  /** The last refusal, 401 or 403. */
  readonly refused?: { readonly status: number; readonly headers: platform.Headers };
  /** The revision of the request, if its headers or its handshake name one. */
  readonly revision?: string;
}

/** Authorizes each request by itself: proofs of possession, nonces, several rounds. */
export interface Authorizer {
  /**
   * Returns the headers of one attempt. Requests that run at the same time call it independently of each other.
   *
   * @returns `undefined` to accept the refusal: the request fails with it
   * @throws what the `cause` of the error `authorize-failed` is to be; the request is not sent again
   */
  authorize(request: AuthorizeRequest): HeaderValues | undefined | Promise<HeaderValues | undefined>;
  /** Gets each response that is no refusal, before its body is read. */
  observe?(response: {
    readonly status: number;
    readonly headers: platform.Headers;
    readonly url: string;
  }): void;
  /**
   * Names the principal for which requests are sent now: a private cached result serves only the principal for which it was
   * fetched. Without it, or while it returns `undefined`, private results are not cached.
   */
  identity?(): string | undefined;
}

/** Attempts to resume a stream. */
export interface Reconnects {
  /** Attempts that may fail in a row. Default: 5. */
  readonly attempts?: number;
  /**
   * Milliseconds before the first of them; doubled each time. Default: 1,000. A `retry` of the server replaces it, but not by
   * less than 100 or this option, whichever is less.
   */
  readonly delayMs?: number;
}

/** How to reach a server over HTTP. */
export interface HttpClientOptions {
  /** Headers of each request. */
  readonly headers?: HeaderValues;
  /**
   * Sends the requests; must not follow redirects. Default: `node:http` and `node:https` on Node, `fetch` elsewhere. `fetch` of
   * Node ends a request after 300 seconds without a byte, whatever `timeouts` says.
   */
  readonly fetch?: (url: string, init: platform.RequestInit) => Promise<platform.Response>;
  /** Returns the headers that authorize a request: a function that is called once more after a refusal, or an object. */
  readonly authorize?: Authorize | Authorizer;
  /** Attempts to resume a stream that was lost. A number stands for `attempts` alone. */
  readonly reconnects?: number | Reconnects;
  /**
   * Requests that are sent again if the connection breaks before the answer; the server may then process them twice.
   * Default: `safe`, all except `tools/call`. The option `resend` of a request takes precedence.
   */
  readonly resend?: Resend;
  /** Bytes of one message of the server. Default: 10 MiB. A request with a longer answer fails. */
  readonly limit?: number;
}
