import { attempts, growing, isMcpError, settleWithin } from "@mcpgen/base";
import { type HttpResponse, connectionClosed, headerOf, retryAfter, textWithin } from "./http-response.js";

/** Milliseconds that one notification may delay the messages after it. */
const longestDelay = 2000;

/** Milliseconds after which the exchange of a notification is aborted. */
const longestExchange = 30_000;

/** Maximum number of answers that are sent at the same time. */
const mostAnswering = 64;

/** Number of waiting answers at which the client stops reading from the server. */
const mostWaiting = 256;

/** A notification, or an answer to a request of the server. */
export interface Unanswered {
  readonly text: string;
  /** The method of a notification. */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a client's messages that are not answered. A notification is sent after the previous one has arrived, or was
 * delayed for too long.
 */
export class Outbox {
  readonly #send: (message: Unanswered, signal: AbortSignal) => Promise<void>;
  readonly #exchanges = new Set<AbortController>();
  #last: Promise<void> = Promise.resolve();
  readonly #answers: Unanswered[] = [];
  #answering = 0;
  /** Callbacks for when there is room for answers. */
  #waiting: (() => void)[] = [];

  /** @param send sends one message, and resolves when the server has accepted it */
  constructor(send: (message: Unanswered, signal: AbortSignal) => Promise<void>) {
    this.#send = send;
  }

  /** Resolves when all notifications so far have arrived, or were delayed for too long. */
  get idle(): Promise<void> {
    return this.#last;
  }

  /** Sends a notification after the earlier ones. Resolves when it has arrived, or was delayed for too long. */
  notify(message: Unanswered): Promise<void> {
    return (this.#last = settleWithin(longestDelay, this.#after(message)));
  }

  /**
   * Sends the answer to a request of the server. Later messages do not wait for it: some servers keep its exchange open.
   * Many open exchanges delay further answers.
   */
  answer(message: Unanswered): void {
    this.#answers.push(message);
    this.#next();
  }

  /**
   * Resolves when few answers wait to be sent; `undefined` if few wait now. The client reads no requests of the server
   * until then.
   */
  get room(): Promise<void> | undefined {
    if (this.#answers.length <= mostWaiting) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Aborts all exchanges and drops the answers that wait. */
  stop(): void {
    this.#answers.length = 0;
    this.#roomMade();
    for (const controller of this.#exchanges) controller.abort();
  }

  #next(): void {
    while (this.#answering < mostAnswering && this.#answers.length > 0) {
      this.#answering++;
      void this.#after(this.#answers.shift()!).then(() => {
        this.#answering--;
        this.#next();
      });
    }
    if (this.#answers.length <= mostWaiting) this.#roomMade();
  }

  #roomMade(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #after(message: Unanswered): Promise<void> {
    const controller = new AbortController();
    this.#exchanges.add(controller);
    await this.#last;
    const longest = message.method === undefined ? answerLimits.whole : longestExchange;
    const timer = setTimeout(() => controller.abort(), longest);
    try {
      if (!controller.signal.aborted) await this.#send(message, controller.signal);
    } catch {
      // The next request fails with the reason.
    } finally {
      clearTimeout(timer);
      this.#exchanges.delete(controller);
    }
  }
}

/** Milliseconds. A request of a server waits for 60 s by default. */
export const answerLimits = {
  /** For all attempts to send an answer. */
  whole: 60_000,
  /** For all attempts, if the server answers that the asking process is gone. */
  lost: 5000,
  /** For one attempt. */
  attempt: 30_000,
  /** The minimum between two attempts. */
  pause: 100,
};

/** Maximum bytes of a refusal that are read. */
const longestBody = 4096;

/**
 * Sends an answer until the server accepts it: the receiving process may be busy or may have ended. Without an answer,
 * the server's request waits until its timeout. A server ignores a repeated answer.
 *
 * @param post sends it; its signal aborts the attempt
 */
export async function untilTaken(
  post: (signal: AbortSignal) => Promise<HttpResponse>,
  signal: AbortSignal,
  limits = answerLimits,
): Promise<HttpResponse> {
  const began = performance.now();
  const own = growing({ first: 200, most: 5000 });
  let response: HttpResponse | undefined;
  let broken: unknown;
  let left = limits.whole;
  const pauses = (): number | undefined => {
    if (left <= 0) return undefined;
    const usual = own()!;
    const advised = retryAfter(response ? headerOf(response, "retry-after") : null);
    return Math.max(Math.min(advised ?? usual, left), limits.pause);
  };
  for await (const _ of attempts({ pauses, signal, reason: connectionClosed })) {
    response = undefined;
    const bound = new AbortController();
    const timer = setTimeout(() => bound.abort(), limits.attempt);
    try {
      response = await post(AbortSignal.any([signal, bound.signal]));
      if (response.status !== 503) return response;
    } catch (error) {
      if (!isMcpError(error) || error.code !== "connection-closed" || bound.signal.aborted) throw error;
      broken = error;
    } finally {
      clearTimeout(timer);
    }
    const body = response ? await textWithin(response, longestBody).catch(() => "") : "";
    left = limits[saysLost(body) ? "lost" : "whole"] - (performance.now() - began);
  }
  if (response) return new Response(null, { status: response.status });
  throw broken;
}

function saysLost(body: string): boolean {
  try {
    return (JSON.parse(body) as { error?: { data?: { code?: unknown } } }).error?.data?.code === "node-lost";
  } catch {
    return false;
  }
}
