import { isMcpError } from "../../jsonrpc/errors.js";
import { pause } from "../../time/clock.js";
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
  for (let own = 200; ; own = Math.min(2 * own, 5000)) {
    let response: HttpResponse | undefined;
    let broken: unknown;
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
    const left = limits[saysLost(body) ? "lost" : "whole"] - (performance.now() - began);
    if (left <= 0) {
      if (response) return new Response(null, { status: response.status });
      throw broken;
    }
    const advised = retryAfter(response ? headerOf(response, "retry-after") : null);
    await pause(Math.max(Math.min(advised ?? own, left), limits.pause), signal, connectionClosed);
  }
}

function saysLost(body: string): boolean {
  try {
    return (JSON.parse(body) as { error?: { data?: { code?: unknown } } }).error?.data?.code === "node-lost";
  } catch {
    return false;
  }
}
