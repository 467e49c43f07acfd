import type { Settings } from "./options.js";
import type { UpstreamTokens } from "./upstream.js";

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
/** Attempts to change a grant that other requests change at the same time. */
const maxAttempts = 20;

export async function readGrant(settings: Settings, id: string): Promise<StoredGrant | undefined> {
  const text = await settings.store.get(keyOf(id));
  const grant =
    text === undefined ? undefined : ((await settings.keys.open("grant", text)) as Grant | undefined);
  return grant && grant.expires > settings.seconds() ? { id, grant, text: text! } : undefined;
}

export async function createGrant(settings: Settings, id: string, grant: Grant): Promise<void> {
  const text = await settings.keys.seal("grant", grant);
  await settings.store.put(keyOf(id), text, undefined, grant.expires * 1000);
}

/** @returns the grant as it is stored now; `undefined` if another request changed it before */
export async function replaceGrant(
  settings: Settings,
  stored: StoredGrant,
  grant: Grant,
): Promise<StoredGrant | undefined> {
  const text = await settings.keys.seal("grant", grant);
  const done = await settings.store.put(keyOf(stored.id), text, stored.text, grant.expires * 1000);
  return done ? { id: stored.id, grant, text } : undefined;
}

/** Changes a grant, also while other requests change it. `change` may run several times. */
export async function changeGrant(
  settings: Settings,
  id: string,
  change: (grant: Grant) => Grant | undefined,
): Promise<StoredGrant | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const stored = await readGrant(settings, id);
    const changed = stored && change(stored.grant);
    if (!changed) return undefined;
    const replaced = await replaceGrant(settings, stored, changed);
    if (replaced) return replaced;
  }
  throw new Error(`the store did not accept a change of a login in ${maxAttempts} attempts`);
}

/** Ends a login: its refresh tokens, access tokens and tokens of the upstream are gone. */
export async function revokeGrant(settings: Settings, id: string, reason: string): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const text = await settings.store.get(keyOf(id));
    if (text === undefined) return;
    if (!(await settings.store.put(keyOf(id), undefined, text, 0))) continue;
    settings.emit({ type: "revoked", reason });
    return;
  }
  throw new Error(`the store did not remove a login in ${maxAttempts} attempts`);
}
