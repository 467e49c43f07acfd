import type { CryptoKey } from "jose";
import * as oauth from "oauth4webapi";
import { checkText, wrongOption } from "../shared/option-check.js";

/** The credentials of this server at an issuer. */
export interface ClientCredentials {
  readonly clientId: string;
  /** Sent in the header `Authorization` (`client_secret_basic`). */
  readonly clientSecret?: string;
  /** Key that signs assertions, instead of a secret (`private_key_jwt`). */
  readonly clientKey?: { readonly key: CryptoKey; readonly kid?: string };
}

/** @throws {AuthError} `auth-options` */
export function checkCredentials(given: ClientCredentials, place: string): void {
  const { clientId, clientSecret, clientKey } = given;
  checkText(clientId, `${place}clientId`);
  if ((clientSecret === undefined) === (clientKey === undefined))
    throw wrongOption(`${place}clientSecret`, "expected either clientSecret or clientKey");
  if (clientSecret !== undefined) checkText(clientSecret, `${place}clientSecret`);
  if (clientKey !== undefined && (clientKey as Partial<typeof clientKey> | null)?.key?.type !== "private")
    throw wrongOption(`${place}clientKey.key`, "expected a private CryptoKey");
}

export function clientAuthentication({ clientSecret, clientKey }: ClientCredentials): oauth.ClientAuth {
  if (clientSecret !== undefined) return oauth.ClientSecretBasic(clientSecret);
  const { key, kid } = clientKey!;
  return oauth.PrivateKeyJwt(kid === undefined ? key : { key, kid });
}
