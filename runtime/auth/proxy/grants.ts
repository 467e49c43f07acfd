import { attempts, BoundedMap, growing, unref } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import type { Settings } from "./options.js";
import type { UpstreamClient, UpstreamTokens } from "./upstream.js";

/** Where logins are stored, and where their tokens are from. */
export interface Logins {
  readonly settings: Settings;
  readonly upstream: UpstreamClient;
}

/** One login: a user, a client, and the tokens of the upstream. It is stored encrypted. */
export interface Grant {
  readonly client: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly upstream: UpstreamTokens;
  /** Whether the code was exchanged. */
  readonly redeemed: boolean;
  /** Whether the client gets refresh tokens. */
  readonly refreshes: boolean;
  /** Number of the newest refresh token that was used; -1 before the first. */
  readonly used: number;
  /** Seconds since 1970 at which that token was used first. */
  readonly usedAt: number;
  /** Access tokens that were revoked, with the second of their expiry. */
  readonly revoked: readonly (readonly [id: string, expires: number])[];
  /** Seconds since 1970 after which nothing of the login is valid. */
  readonly expires: number;
}

/** A grant as it was read, to be replaced only if nothing has changed it meanwhile. */
export interface StoredGrant {
  readonly id: string;
  readonly grant: Grant;
  readonly text: string;
}

const keyOf = (id: string): string => `grant:${id}`;
/** Seconds for which a login whose code has expired is stored: until its tokens of the upstream are revoked. */
const unredeemedSeconds = 300;
/** Attempts to change a grant that other processes change at the same time, and milliseconds between two at most. */
const maxAttempts = 20;
const longestPause = 100;

/** Names a user or a client in the store, which holds neither. */
export async function ownerOf({ keys }: Settings, name: string): Promise<string> {
  return `owner:${await keys.mac("owner", name)}`;
}

export async function readGrant(settings: Settings, id: string): Promise<StoredGrant | undefined> {
  const key = keyOf(id);
  const text = await settings.store.get(key);
  // A record that was copied to another key does not open.
  const grant =
    text === undefined ? undefined : ((await settings.keys.open("grant", text, key)) as Grant | undefined);
  return grant && grant.expires > settings.seconds() ? { id, grant, text: text! } : undefined;
}

/** @throws {AuthError} `auth-unavailable`: the store has no room */
export async function createGrant(settings: Settings, id: string, grant: Grant): Promise<void> {
  if (await write(settings, id, grant, undefined)) return;
  throw new AuthError("auth-unavailable", "the store did not take a login: try again");
}

/** @returns the grant as it is stored now; `undefined` if another request changed it before */
async function write(
  settings: Settings,
  id: string,
  grant: Grant,
  expected: string | undefined,
): Promise<StoredGrant | undefined> {
  const key = keyOf(id);
  const text = await settings.keys.seal("grant", grant, key);
  const owner = await ownerOf(settings, grant.subject);
  const until = grant.expires + (grant.redeemed ? 0 : unredeemedSeconds);
  const done = await settings.store.put(key, text, expected, until * 1000, owner);
  return done ? { id, grant, text } : undefined;
}

/**
 * Changes a grant, also while other requests change it. Those of this process take turns.
 *
 * @param change may run several times; it returns the same object if nothing is to be written
 * @returns the grant as it is stored now; `undefined` if there is none, or `change` returned `undefined`
 * @throws {AuthError} `auth-unavailable`: other processes changed it each time
 */
export function changeGrant(
  settings: Settings,
  id: string,
  change: (grant: Grant) => Grant | undefined,
): Promise<StoredGrant | undefined> {
  return untilDone(settings, id, async () => {
    const stored = await readGrant(settings, id);
    const changed = stored && change(stored.grant);
    if (!changed) return { result: undefined };
    if (changed === stored.grant) return { result: stored };
    const result = await write(settings, id, changed, stored.text);
    return result && { result };
  });
}

/** Ends a login: its refresh tokens, access tokens and tokens of the upstream are gone, and revoked there. */
export async function revokeGrant(logins: Logins, id: string, reason: string): Promise<void> {
  const grant = await removeGrant(logins.settings, id, reason);
  if (grant) await revokeUpstream(logins, grant.upstream);
}

/** Ends a login whose code has expired, unless a process has exchanged it; its tokens of the upstream are revoked. */
async function revokeUnredeemed(logins: Logins, id: string): Promise<void> {
  const reason = "the code was not exchanged";
  const grant = await removeGrant(logins.settings, id, reason, ({ redeemed }) => !redeemed);
  if (grant) await revokeUpstream(logins, grant.upstream);
}

/**
 * Removes a login whose tokens of the upstream have ended.
 *
 * @param isMeant whether a login is to be removed, as it is stored now
 * @returns what was removed
 */
export function removeGrant(
  settings: Settings,
  id: string,
  reason: string,
  isMeant: (grant: Grant) => boolean = () => true,
): Promise<Grant | undefined> {
  const key = keyOf(id);
  return untilDone(settings, id, async () => {
    const text = await settings.store.get(key);
    if (text === undefined) return { result: undefined };
    const grant = (await settings.keys.open("grant", text, key)) as Grant | undefined;
    if (grant && !isMeant(grant)) return { result: undefined };
    if (!(await settings.store.put(key, undefined, text, 0))) return undefined;
    settings.emit({ type: "revoked", reason });
    return { result: grant };
  });
}

/** Revokes tokens at the upstream. The login has ended here, whatever the upstream does. */
export async function revokeUpstream({ settings, upstream }: Logins, tokens: UpstreamTokens): Promise<void> {
  await upstream.revoke(tokens).catch((error: unknown) => {
    settings.emit({ type: "not-revoked", reason: (error as Error).name });
  });
}

/** Tries until a step has a result, at times that differ between processes. */
function untilDone<Result>(
  { grantTurns }: Settings,
  id: string,
  step: () => Promise<{ readonly result: Result } | undefined>,
): Promise<Result> {
  return grantTurns.run(id, async () => {
    const pauses = growing({ first: 1, most: longestPause, count: maxAttempts - 1, spread: [0, 1] });
    for await (const _ of attempts({ pauses })) {
      const done = await step();
      if (done) return done.result;
    }
    throw new AuthError("auth-unavailable", "other processes change the login: try again");
  });
}

/** Logins that are remembered at most. */
const mostLogins = 10_000;

/**
 * The logins of this process whose codes were not exchanged here. When a code expires that no process has exchanged, the tokens of
 * its login are revoked at the upstream.
 */
export class UnredeemedLogins {
  /** Seconds since 1970 at which the codes expire, by login. All codes live equally long: the first one expires first. */
  readonly #expiries = new BoundedMap<string, number>({ count: mostLogins, full: "refuse" });
  #isTimed = false;

  add(logins: Logins, id: string, expires: number): void {
    this.#expiries.set(id, expires);
    // On platforms without lasting timers, the next login does the work.
    this.#sweep(logins);
  }

  delete(id: string): void {
    this.#expiries.delete(id);
  }

  #sweep(logins: Logins): void {
    const { settings } = logins;
    for (const [id, expires] of this.#expiries) {
      if (expires > settings.seconds()) return this.#time(logins, expires * 1000 - settings.now());
      this.#expiries.delete(id);
      // The store may be away for a moment.
      revokeUnredeemed(logins, id).catch((error: unknown) => {
        settings.emit({ type: "not-revoked", reason: (error as Error).name });
      });
    }
  }

  #time(logins: Logins, delay: number): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    const again = (): void => {
      this.#isTimed = false;
      this.#sweep(logins);
    };
    unref(setTimeout(again, delay));
  }
}

/** What an authorization code holds, sealed. It works once: the grant notes its use. */
export interface Code {
  readonly grant: string;
  readonly redirectUri: string;
  readonly challenge: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

export const codeSeconds = 60;
