import type { CryptoKey } from "jose";
import { signedJwt } from "./signed-jwt.js";

/** A private key, and its name at the authorization server. */
export interface SigningKey {
  readonly key: CryptoKey;
  readonly kid?: string;
}

/** A client, and how it authenticates (RFC 6749, 2.3). */
export interface FormClient {
  /** Empty: it is not sent. */
  readonly id: string;
  readonly secret?: string | undefined;
  /** Signs assertions instead of a secret (`private_key_jwt`). */
  readonly key?: SigningKey | undefined;
  /** Whether the secret is in the header `Authorization`, or in the form. */
  readonly basic?: boolean;
}

/**
 * A request with a form, of a client that authenticates. A redirect is not followed.
 *
 * @param issuer the audience of an assertion
 * @param params absent values are left out
 */
export async function formRequest(
  issuer: string,
  { id, secret, key, basic }: FormClient,
  params: Readonly<Record<string, string | undefined>>,
): Promise<{ method: "POST"; headers: Record<string, string>; body: string }> {
  const form = new URLSearchParams();
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  const all: typeof params = {
    ...params,
    ...(key && {
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await assertion(issuer, id, key),
    }),
    ...(!basic && { client_id: id || undefined, client_secret: secret }),
  };
  setAll(form, all);
  // Encoded as a form, no more than that: some servers do not decode (RFC 6749, 2.3.1).
  if (basic) headers["authorization"] = `Basic ${btoa(`${formText(id)}:${formText(secret!)}`)}`;
  return { method: "POST", headers, body: form.toString() };
}

/** Sets parameters; absent values are left out. */
export function setAll(form: URLSearchParams, params: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(params)) if (value !== undefined) form.set(name, value);
}

const formText = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1);

/** An assertion by which a client authenticates (RFC 7523, 3). */
function assertion(issuer: string, id: string, { key, kid }: SigningKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const times = { iat: now, nbf: now, exp: now + 60 };
  const claims = { iss: id, sub: id, aud: issuer, jti: crypto.randomUUID(), ...times };
  return signedJwt({ kid }, claims, key);
}
