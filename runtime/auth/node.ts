export { fileStore, tokenFolder } from "./node/file-store.js";
export { keychain, type KeychainOptions } from "./node/keychain.js";
export { loopback, type LoopbackOptions } from "./node/loopback.js";
export { openBrowser } from "./node/opener.js";
export { AuthError, type AuthErrorCode } from "./shared/errors.js";
