import type { Grant } from "./grants.js";
import type { Settings } from "./options.js";

/** An unverified refresh token from a client. */
export interface ReadToken {
  readonly grant: string;
  readonly number: number;
  readonly mac: string;
}

const purpose = "refresh token";
const form = /^([\w-]{22})\.(\d{1,9})\.([\w-]{8}\.[\w-]{43})$/;

/**
 * Computes the refresh token with a number. The same number gives the same token, so that a repeated request gets the lost
 * answer again.
 */
export async function refreshToken(
  settings: Settings,
  grantId: string,
  number: number,
  { client }: Grant,
): Promise<string> {
  const text = `${grantId}.${number}`;
  return `${text}.${await settings.keys.mac(purpose, `${text}\n${client}`)}`;
}

export function readRefreshToken(token: string): ReadToken | undefined {
  const [, grant, number, mac] = form.exec(token) ?? [];
  return grant === undefined ? undefined : { grant, number: Number(number), mac: mac! };
}

export async function isRefreshToken(
  settings: Settings,
  { grant, number, mac }: ReadToken,
  { client, redeemed, refreshes }: Grant,
): Promise<boolean> {
  return redeemed && refreshes && settings.keys.isMac(purpose, `${grant}.${number}\n${client}`, mac);
}
