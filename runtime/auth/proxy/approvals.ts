import type { AuthorizationRequest } from "./authorization-request.js";
import type { Client } from "./client.js";
import { setCookie } from "./cookies.js";
import { numericDate, sha256 } from "../shared/encoding.js";
import type { Proxy } from "./proxy.js";
import { isLoopback, withoutLoopbackPort } from "./redirects.js";

/** A decision of a user of the browser about a client. */
type Approval = readonly [request: string, subject: string, expires: number];

/** Maximum number of decisions that one browser remembers. */
const maxApprovals = 20;

/**
 * Returns a digest of the client and the request that the user agreed to. If the client's name, redirect URIs or
 * requested scopes change, the digest changes, and the user decides again.
 */
function requestName(client: Client, asked: AuthorizationRequest): Promise<string> {
  const uri = withoutLoopbackPort(asked.redirectUri);
  const parts = [client.id, client.name, uri, asked.resource, asked.scopes.toSorted()];
  return sha256(JSON.stringify(parts));
}

/** Seconds for which a browser remembers a decision: 30 days. */
const rememberSeconds = 2_592_000;

/**
 * Whether a decision may be remembered. A client without a secret proves its identity only by its redirect URI, and any
 * application on the machine can listen on a loopback address or claim a scheme (RFC 8252, 8.6; RFC 9700, 4.14). For
 * such redirect URIs the user decides each time, even about a dynamically registered client, because other applications
 * can read its id.
 */
function mayRemember(client: Client, asked: AuthorizationRequest): boolean {
  const isOwned = asked.redirectUri.startsWith("https:") && !isLoopback(asked.redirectUri);
  return client.method !== "none" || isOwned;
}

async function approvalsIn(
  { settings }: Proxy,
  cookies: ReadonlyMap<string, string>,
): Promise<readonly Approval[]> {
  const cookie = cookies.get("approvals");
  const found = cookie === undefined ? [] : await settings.keys.open("approvals", cookie);
  return ((found ?? []) as readonly Approval[]).filter(([, , expires]) => expires > numericDate());
}

/** Returns the digest of the user who has agreed to the same request in this browser. */
export async function approvedSubject(
  proxy: Proxy,
  cookies: ReadonlyMap<string, string>,
  client: Client,
  asked: AuthorizationRequest,
): Promise<string | undefined> {
  if (!mayRemember(client, asked) || !cookies.has("approvals")) return undefined;
  const name = await requestName(client, asked);
  return (await approvalsIn(proxy, cookies)).find(([request]) => request === name)?.[1];
}

/**
 * Returns the cookie after a decision; `undefined` if decisions are not remembered.
 *
 * @param subject digest of the user; `undefined` removes the decision
 */
export async function approvalCookie(
  proxy: Proxy,
  cookies: ReadonlyMap<string, string>,
  { client, asked }: { readonly client: Client; readonly asked: AuthorizationRequest },
  subject: string | undefined,
): Promise<readonly string[]> {
  if (!mayRemember(client, asked)) return [];
  const { keys } = proxy.settings;
  const name = await requestName(client, asked);
  const others = (await approvalsIn(proxy, cookies)).filter(([request]) => request !== name);
  const added: readonly Approval[] =
    subject === undefined ? [] : [[name, subject, numericDate() + rememberSeconds]];
  const approvals = [...added, ...others].slice(0, maxApprovals);
  return [setCookie("approvals", await keys.seal("approvals", approvals), rememberSeconds)];
}
