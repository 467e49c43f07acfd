export { oauth } from "./client/oauth.js";
export { clientCredentials, enterprise, workloadIdentity } from "./client/machine.js";
export type {
  AuthEvent,
  AuthorizationFacts,
  ClientCredentialsOptions,
  ClientKey,
  DevicePrompt,
  EnterpriseOptions,
  FlowOptions,
  IssuerException,
  KnownClient,
  OAuthClient,
  OAuthOptions,
  Redirect,
  RedirectReceiver,
  ScopePolicy,
  WorkloadIdentityOptions,
} from "./client/options.js";
export { forgetLogin, storedLogin, type LoginOptions, type StoredLogin } from "./client/stored-login.js";
export { inspectServer, type ServerFault, type ServerInspection } from "./client/inspection.js";
export { memoryStore, type TokenStore } from "./client/store.js";
export { AuthError, type AuthErrorCode } from "./shared/errors.js";
