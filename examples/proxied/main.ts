// A server whose users log in at GitHub, which has no open registration: the proxy registers clients, asks for consent, and
// gives them tokens for this server alone. Without the variables GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET and PROXY_KEYS, a
// login on this machine stands in for GitHub.
// Usage: node dist/examples/proxied/main.js [PORT]
import { randomBytes } from "node:crypto";
import { github, oauthProxy } from "@mcpgen/auth/proxy";
import { type AuthInfo, resourceServer } from "@mcpgen/auth/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { startLoginStandIn } from "./login-stand-in.js";

const port = Number(process.argv[2] ?? 3000);
// In production, the https URL that clients see.
const issuer = process.env["PUBLIC_ORIGIN"] ?? `http://127.0.0.1:${port}`;
const resource = `${issuer}/mcp`;

const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: secret, PROXY_KEYS: keys } = process.env;
const login =
  clientId !== undefined && secret !== undefined
    ? { clientId, secret, api: "https://api.github.com" }
    : await startLoginStandIn(`${issuer}/oauth/callback`);

const proxy = oauthProxy({
  issuer,
  resource,
  upstream: github({ ...login, scopes: ["gist"] }),
  scopes: { "notes:read": [], "notes:write": ["gist"] },
  scopeTexts: { "notes:read": "Read your notes", "notes:write": "Write notes, which are gists" },
  // Processes that serve the same clients have the same keys, and one store.
  keys: keys?.split(",") ?? [randomBytes(32).toString("base64url")],
});

const auth = resourceServer({ resource, issuers: [proxy], scopes: { required: ["notes:read"] } });
const server = createServer({ name: "notes", version: "1.0.0" }, { revisions: serverRevisions });

server.tool("whoami", { description: "The GitHub account of the user." }, async (_, context) => {
  const { upstream } = context.auth as AuthInfo;
  // A token of GitHub. The token of the client never leaves this server.
  const response = await fetch(`${login.api}/user`, {
    headers: { authorization: `Bearer ${await upstream!()}`, "user-agent": "notes" },
  });
  const { login: name } = (await response.json()) as { login: string };
  return `You are ${name}.`;
});

const { url } = await serveHttp(server, { port, ...auth.http });
console.error(`listening on ${url}`);
