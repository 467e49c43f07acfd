/**
 * The reason why authorization failed. Programs should use the code. The message names the place and the next step, and
 * contains neither secrets nor text of an unverified server.
 */
export type AuthErrorCode =
  | "auth-issuer-mismatch"
  | "auth-metadata-invalid"
  | "auth-metadata-unsafe"
  | "auth-needs-user"
  | "auth-pkce-unsupported"
  | "auth-refused"
  | "auth-registration-impossible"
  | "auth-resource-mismatch"
  | "auth-token-refused"
  | "auth-store"
  | "auth-unavailable"
  | "auth-options";

/** Whether an error is temporary: too many requests, or another server does not answer. */
export function isUnavailable(error: unknown): error is AuthError {
  return error instanceof AuthError && error.code === "auth-unavailable";
}

/** An error of authorization. */
export class AuthError extends Error {
  override readonly name = "AuthError";
  readonly code: AuthErrorCode;

  constructor(code: AuthErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
