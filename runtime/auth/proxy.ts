export { AuthError, type AuthErrorCode } from "./shared/errors.js";
export { type OAuthProxy, oauthProxy } from "./proxy/oauth-proxy.js";
export type { ClientOptions, KnownClient, ProxyEvent, ProxyOptions } from "./proxy/options.js";
export type { ConsentFacts } from "./proxy/consent-page.js";
export { memoryStore, type ProxyStore } from "./proxy/store.js";
export { entra, github, google, oidc, slack, type UpstreamClientOptions } from "./proxy/profiles.js";
export type { Identity, TokenAnswer, Upstream, UpstreamGet } from "./proxy/upstream.js";
