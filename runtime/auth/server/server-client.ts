import { type Rules, text } from "@mcpgen/base";
import type { CryptoKey } from "jose";
import * as oauth from "oauth4webapi";
import { wrongOption } from "../shared/option-rules.js";

/** The credentials of this server at an issuer. */
export interface ClientCredentials {
  readonly clientId: string;
  /** Sent in the header `Authorization` (`client_secret_basic`). */
  readonly clientSecret?: string;
  /** Key that signs assertions, instead of a secret (`private_key_jwt`). */
  readonly clientKey?: { readonly key: CryptoKey; readonly kid?: string };
}

/** Valid values of credentials. */
export const credentialRules: Rules<ClientCredentials> = {
  clientId: text,
  clientSecret: text,
  clientKey: "object",
};

/** Checks what the rules of single options cannot. @throws {AuthError} `auth-options` */
export function checkCredentials({ clientSecret, clientKey }: ClientCredentials, place: string): void {
  if ((clientSecret === undefined) === (clientKey === undefined))
    throw wrongOption(`${place}clientSecret`, "expected either clientSecret or clientKey");
  if (clientKey !== undefined && (clientKey as Partial<typeof clientKey>).key?.type !== "private")
    throw wrongOption(`${place}clientKey.key`, "expected a private CryptoKey");
}

export function clientAuthentication({ clientSecret, clientKey }: ClientCredentials): oauth.ClientAuth {
  if (clientSecret !== undefined) return oauth.ClientSecretBasic(clientSecret);
  const { key, kid } = clientKey!;
  return oauth.PrivateKeyJwt(kid === undefined ? key : { key, kid });
}
