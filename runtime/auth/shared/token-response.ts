/** What a token response says (RFC 6749, 5.1; RFC 8693, 2.2.1). */
export interface TokenResponse {
  readonly access: string;
  /** In lower case. */
  readonly type: string;
  readonly refresh: string | undefined;
  /** Seconds. */
  readonly expiresIn: number | undefined;
  readonly issued: unknown;
}

/**
 * Reads the body of a token response. An id token in it is not used, and so not read.
 *
 * @returns the name of the member that is not usable, if there is one
 */
export function tokensIn(body: Readonly<Record<string, unknown>>): TokenResponse | string {
  const { access_token: access, token_type: type, refresh_token: refresh } = body;
  if (typeof access !== "string" || !/^[\x21-\x7e]+$/.test(access)) return "access_token";
  if (typeof type !== "string") return "token_type";
  // Some servers write the number as a text.
  const seconds = Number.parseFloat(String(body["expires_in"]));
  return {
    access,
    type: type.toLowerCase(),
    refresh: typeof refresh === "string" ? refresh : undefined,
    expiresIn: seconds >= 0 ? seconds : undefined,
    issued: body["issued_token_type"],
  };
}

/** An error code of OAuth, if it is one (RFC 6749, 5.2). */
export const shown = (code: unknown): string =>
  typeof code === "string" && /^[a-z_]{1,64}$/.test(code) ? code : "an unknown error";
