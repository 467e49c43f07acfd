/**
 * Why authorization failed. A program decides by the code; the text names the place and the next step, and holds neither
 * secrets nor text of a server that was not verified.
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

/** Whether an error passes by itself: too much is going on, or another server does not answer. */
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
