import { attempts, BoundedMap, growing, systemClock, unref } from "@mcpgen/base";
import { numericDate } from "../shared/encoding.js";
import { AuthError } from "../shared/errors.js";
import type { Settings } from "./options.js";
import type { UpstreamClient, UpstreamTokens } from "./upstream.js";

/** The store of logins, and the upstream of their tokens. */
export interface Logins {
  readonly settings: Settings;
  readonly upstream: UpstreamClient;
}

/** One login: a user, a client, and tokens of the upstream. It is stored in encrypted form. */
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
  /** Number of the newest used refresh token; -1 before the first use. */
  readonly used: number;
  /** Time of that token's first use, in seconds since 1970. */
  readonly usedAt: number;
  /** Revoked access tokens, with their expiry in seconds since 1970. */
  readonly revoked: readonly (readonly [id: string, expires: number])[];
  /** End of the login in seconds since 1970. */
  readonly expires: number;
}

/** A grant with its stored text, which must be unchanged when the grant is replaced. */
export interface StoredGrant {
  readonly id: string;
  readonly grant: Grant;
  readonly text: string;
}

const keyOf = (id: string): string => `grant:${id}`;
/** Seconds for which a login with an expired code stays stored, so that its upstream tokens can be revoked. */
const unredeemedSeconds = 300;
/**
 * Maximum number of attempts to change a grant that other processes also change, and maximum pause between them in
 * milliseconds.
 */
const maxAttempts = 20;
const longestPause = 100;

/** Returns a pseudonym of a user or client for the store, which contains neither name. */
export async function ownerOf({ keys }: Settings, name: string): Promise<string> {
  return `owner:${await keys.mac("owner", name)}`;
}

export async function readGrant(settings: Settings, id: string): Promise<StoredGrant | undefined> {
  const key = keyOf(id);
  const text = await settings.store.get(key);
  // The text is bound to its key: a record copied to another key does not decrypt.
  const grant =
    text === undefined ? undefined : ((await settings.keys.open("grant", text, key)) as Grant | undefined);
  return grant && grant.expires > numericDate() ? { id, grant, text: text! } : undefined;
}

/** @throws {AuthError} `auth-unavailable`: the store has no room */
export async function createGrant(settings: Settings, id: string, grant: Grant): Promise<void> {
  if (await write(settings, id, grant, undefined)) return;
  throw new AuthError("auth-unavailable", "the store did not take a login: try again");
}

/** @returns the stored grant; `undefined` if another request has changed it */
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
 * Changes a grant, even if other requests change it concurrently. Requests of this process take turns.
 *
 * @param change may run several times; returns the same object to write nothing
 * @returns the stored grant; `undefined` if there is none, or `change` returned `undefined`
 * @throws {AuthError} `auth-unavailable`: other processes changed the grant during each attempt
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

/** Ends a login with all its tokens. Also revokes the upstream tokens. */
export async function revokeGrant(logins: Logins, id: string, reason: string): Promise<void> {
  const grant = await removeGrant(logins.settings, id, reason);
  if (grant) await revokeUpstream(logins, grant.upstream);
}

/** Ends a login with an expired code, unless a process has exchanged the code. Also revokes the upstream tokens. */
async function revokeUnredeemed(logins: Logins, id: string): Promise<void> {
  const reason = "the code was not exchanged";
  const grant = await removeGrant(logins.settings, id, reason, ({ redeemed }) => !redeemed);
  if (grant) await revokeUpstream(logins, grant.upstream);
}

/**
 * Removes a login without revoking its upstream tokens.
 *
 * @param isMeant whether to remove the login, given its stored state
 * @returns the removed grant
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

/** Revokes tokens at the upstream. An error there is only reported, because the login has already ended here. */
export async function revokeUpstream({ settings, upstream }: Logins, tokens: UpstreamTokens): Promise<void> {
  await upstream.revoke(tokens).catch((error: unknown) => {
    settings.emit({ type: "not-revoked", reason: (error as Error).name });
  });
}

/** Repeats a step until it has a result, with random pauses. */
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

/** Maximum number of remembered logins. */
const mostLogins = 10_000;

/**
 * The logins of this process whose codes have not been exchanged here. When a code expires that no process has exchanged,
 * the login's upstream tokens are revoked.
 */
export class UnredeemedLogins {
  /**
   * Expiry of the codes in seconds since 1970, by login. All codes live equally long, so the map is in order of expiry.
   */
  readonly #expiries = new BoundedMap<string, number>({ count: mostLogins, full: "refuse" });
  #isTimed = false;

  add(logins: Logins, id: string, expires: number): void {
    this.#expiries.set(id, expires);
    // On platforms without long timers, the next login triggers the sweep.
    this.#sweep(logins);
  }

  delete(id: string): void {
    this.#expiries.delete(id);
  }

  #sweep(logins: Logins): void {
    const { settings } = logins;
    for (const [id, expires] of this.#expiries) {
      if (expires > numericDate()) return this.#time(logins, expires * 1000 - Date.now());
      this.#expiries.delete(id);
      // The store may be unavailable for a moment.
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
    unref(systemClock.schedule(again, delay));
  }
}

/** The encrypted content of an authorization code. The grant records its use, so that it works only once. */
export interface Code {
  readonly grant: string;
  readonly redirectUri: string;
  readonly challenge: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

export const codeSeconds = 60;
