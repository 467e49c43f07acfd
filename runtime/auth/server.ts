// For servers: verifies access tokens before a request is read.
export { AuthError, type AuthErrorCode } from "./shared/errors.js";
export {
  resourceServer,
  type AuthDenial,
  type AuthPrincipal,
  type AuthRequest,
  type ResourceServer,
  type ScopedCall,
} from "./server/resource-server.js";
export type { ResourceServerOptions, ScopeOptions } from "./server/resource-server-options.js";
export type { AuthInfo } from "./server/auth-info.js";
export type { MetadataRoute } from "./server/resource-metadata.js";
export type { Audience, Claims, ServerRoute, TokenIssuer } from "./server/token-issuer.js";
export { jwks, type JwksOptions, type SignatureAlgorithm } from "./server/jwks.js";
export { introspection, type IntrospectionOptions } from "./server/introspection.js";
export type { ClientCredentials } from "./server/server-client.js";
export {
  dpop,
  type DpopOptions,
  type DpopProofs,
  type ProofFault,
  type ProofRequest,
} from "./server/dpop.js";
export { MemoryReplayStore, type ReplayStore } from "./server/replay-store.js";
export {
  tokenExchange,
  type TokenExchange,
  type TokenExchangeOptions,
  type UpstreamTarget,
  type UpstreamToken,
} from "./server/token-exchange.js";
export { google, type GoogleOptions } from "./server/profiles.js";
export {
  auth0,
  authKit,
  cognito,
  entra,
  keycloak,
  logto,
  okta,
  pingOne,
  zitadel,
  type CognitoOptions,
  type EntraOptions,
} from "./server/profiles.js";
