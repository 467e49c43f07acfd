export { AuthError, type AuthErrorCode } from "./shared/errors.js";
