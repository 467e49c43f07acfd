import { isMcpError } from "../../jsonrpc/errors.js";
import { attempts, growing } from "../../time/retry.js";
import { connectionClosed, retryAfter, textWithin } from "./answer-body.js";
import { type HttpResponse, headerOf } from "./http-response.js";

/** Milliseconds. A request of a server waits for 60 s by default. */
export const answerLimits = {
  /** Of all attempts to send an answer. */
  whole: 60_000,
  /** Of all attempts, where the process that asked is said to be gone. */
  lost: 5000,
  /** Of one attempt. */
  attempt: 30_000,
  /** Between two attempts, at least. */
  pause: 100,
};

/** Bytes of a refusal that are read, at most. */
const longestBody = 4096;

/**
 * Sends an answer until the server takes it: the process that got it may be busy, or may have ended. Without it, the request of the
 * server waits until its timeout. A server ignores an answer that it has already.
 *
 * @param post sends it, until a signal aborts
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
