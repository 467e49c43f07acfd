import { attempts, growing } from "@mcpgen/base";
import { AuthError, isUnavailable } from "../shared/errors.js";
import { TokenRefusal } from "../shared/token-response.js";
import { randomText } from "../shared/encoding.js";
import { changeGrant, readGrant, removeGrant, revokeUpstream, type StoredGrant } from "./grants.js";
import type { Settings } from "./options.js";
import type { Proxy } from "./proxy.js";
import type { UpstreamTokens } from "./upstream.js";

/** Milliseconds before its expiry at which a token is refreshed. */
const aheadMs = 60_000;
/** Milliseconds after which another node takes over a refresh. */
const lockMs = 15_000;
const pollMs = 100;
/** Maximum number of polls for the lock. The lock of an ended process expires after half of them. */
const maxPolls = (2 * lockMs) / pollMs;

/** Current refreshes in this process, by login. */
const underWay = new WeakMap<Proxy, Map<string, Promise<string>>>();

/**
 * Returns the upstream token of a login. Refreshes run one at a time across all nodes, because an upstream that rotates
 * refresh tokens treats two uses of one as theft.
 *
 * @throws {AuthError} `auth-needs-user`: the login has ended, here or at the upstream
 */
export async function upstreamToken(proxy: Proxy, grantId: string): Promise<string> {
  const stored = await readGrant(proxy.settings, grantId);
  if (!stored) throw ended();
  if (isFresh(stored)) return stored.grant.upstream.access;
  const running = underWay.get(proxy) ?? new Map<string, Promise<string>>();
  underWay.set(proxy, running);
  const known = running.get(grantId);
  if (known) return known;
  const refresh = refreshLocked(proxy, grantId).finally(() => running.delete(grantId));
  running.set(grantId, refresh);
  return refresh;
}

function isFresh({ grant }: StoredGrant): boolean {
  const { expiresAt } = grant.upstream;
  return expiresAt === undefined || expiresAt - aheadMs > Date.now();
}

async function refreshLocked(proxy: Proxy, grantId: string): Promise<string> {
  const { settings } = proxy;
  const lock = `lock:${grantId}`;
  const owner = randomText(9);
  await take(settings, lock, owner);
  try {
    const stored = await readGrant(settings, grantId);
    if (!stored) throw ended();
    // Another node has refreshed the token meanwhile.
    if (isFresh(stored)) return stored.grant.upstream.access;
    const tokens = await refreshed(proxy, stored);
    if (await changeGrant(settings, grantId, (grant) => ({ ...grant, upstream: tokens })))
      return tokens.access;
    // The login has ended during the refresh: revoke the new tokens, which belong to no login.
    await revokeUpstream(proxy, tokens);
    throw ended();
  } finally {
    await settings.store.put(lock, undefined, owner, 0);
  }
}

/** Waits until a lock is released or expired, and takes it. @throws {AuthError} `auth-unavailable` */
async function take(settings: Settings, lock: string, owner: string): Promise<void> {
  for await (const _ of attempts({ pauses: growing({ first: pollMs, factor: 1, count: maxPolls }) }))
    if (await settings.store.put(lock, owner, undefined, Date.now() + lockMs, lock)) return;
  throw new AuthError("auth-unavailable", "another process refreshes the login: try again");
}

async function refreshed({ settings, upstream }: Proxy, { id, grant }: StoredGrant): Promise<UpstreamTokens> {
  const { expiresAt, refresh } = grant.upstream;
  if (refresh === undefined) {
    if (expiresAt! > Date.now()) return grant.upstream;
    await removeGrant(settings, id, "the token of the upstream has expired");
    throw ended();
  }
  try {
    return await upstream.refresh(grant.upstream);
  } catch (error) {
    const isFinal = error instanceof TokenRefusal && error.error === "invalid_grant";
    if (isFinal) {
      await removeGrant(settings, id, "the upstream ended the login");
      throw ended();
    }
    // The upstream may be down for a moment while the token is still valid.
    if (expiresAt! > Date.now()) return grant.upstream;
    if (isUnavailable(error)) throw error;
    throw new AuthError(
      "auth-refused",
      `The upstream ${upstream.profile.name} did not refresh its token. Try again.`,
    );
  }
}

function ended(): AuthError {
  return new AuthError(
    "auth-needs-user",
    "The login at the upstream has ended. The client must let its user log in again.",
  );
}
