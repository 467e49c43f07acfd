import { networkFetch } from "../files/proxies.js";
import { secrets } from "../secrets/secrets.js";
import type { Authorizer, Refusal } from "./token-stores.js";

/** Maximum number of attempts for one request, as in the runtime. */
const mostAttempts = 4;

/** The result of a login. */
export interface Driven {
  /** Status of the last response. */
  readonly status: number;
  /** Whether the authorizer provided headers for the last request. */
  readonly authorized: boolean;
}

/**
 * Sends a request without effect until the authorizer has logged the user in. This happens outside of any
 * connection, because a login takes minutes and a connection would time out.
 *
 * @param refused an earlier rejection to start with
 * @throws the authorizer's errors
 */
export async function drive(
  authorizer: Authorizer,
  url: string,
  signal: AbortSignal,
  refused?: Refusal,
): Promise<Driven> {
  const request = { method: "POST", url, signal };
  let given = await authorizer.authorize({ ...request, attempt: 0 });
  let last = refused;
  for (let attempt = last ? 1 : 0; ; attempt++) {
    if (last) given = await authorizer.authorize({ ...request, attempt, refused: last });
    if (last && given === undefined) return { status: last.status, authorized: false };
    const { status, headers } = await harmlessRequest(url, headersWith(given ?? {}), signal);
    const authorized = [...headersWith(given ?? {}).keys()].includes("authorization");
    if (status !== 401 && status !== 403) {
      authorizer.observe?.({ status, headers, url });
      return { status, authorized };
    }
    if (attempt === mostAttempts - 1) return { status, authorized: false };
    last = { status, headers };
  }
}

/**
 * Sends a request without effect. Rejections arrive before its body is read, and other responses do not
 * matter.
 */
export async function harmlessRequest(url: string, headers: Headers, signal: AbortSignal): Promise<Refusal> {
  const response = await networkFetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  return response;
}

const ownHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export function headersWith(
  given: Headers | Readonly<Record<string, string | undefined>>,
  own: ConstructorParameters<typeof Headers>[0] = ownHeaders,
): Headers {
  const all = new Headers(own);
  const entries = given instanceof Headers ? [...given] : Object.entries(given);
  for (const [name, value] of entries) if (value !== undefined) all.set(name, value);
  secrets.learnCredential(all.get("authorization") ?? "");
  return all;
}
