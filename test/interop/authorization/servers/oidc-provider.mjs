// oidc-provider: DCR, PKCE, rotating refresh tokens, resource indicators, DPoP with nonces, device flow, introspection, revocation.
import { Provider, errors } from "oidc-provider";
import { serveAt } from "./listening.mjs";

const resource = process.env.RESOURCE;
const opaque = process.env.TOKENS === "opaque";
const nonces = process.env.DPOP === "nonces";

await serveAt((origin) => {
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: "resource-server",
        client_secret: "a secret of the resource server",
        redirect_uris: [],
        response_types: [],
        grant_types: [],
      },
    ],
    cookies: { keys: ["a key of cookies"] },
    scopes: ["openid", "offline_access"],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === "resource-server" },
      deviceFlow: { enabled: true },
      dPoP: { enabled: true, ...(nonces && { nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true }) },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo(_, indicator) {
          if (indicator !== resource) throw new errors.InvalidTarget();
          return {
            scope: "mcp files:write",
            audience: resource,
            accessTokenTTL: 600,
            accessTokenFormat: opaque ? "opaque" : "jwt",
            ...(!opaque && { jwt: { sign: { alg: "RS256" } } }),
          };
        },
      },
    },
  });
  return provider.callback();
});
