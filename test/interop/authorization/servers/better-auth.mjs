// better-auth with its plugin for OAuth, in an application with pages for login and consent.
import { text } from "node:stream/consumers";
import { memoryAdapter } from "better-auth/adapters/memory";
import { betterAuth } from "better-auth";
import { jwt } from "better-auth/plugins";
import { oauthProvider } from "@better-auth/oauth-provider";
import { serveAt } from "./listening.mjs";

const page = (fields) => `<!doctype html><form method="post">${fields}<button>Go on</button></form>`;
const pages = {
  "/login": page('<input name="email"><input name="password" type="password">'),
  "/consent": page(""),
};

await serveAt(async (origin) => {
  const tables = ["user", "session", "account", "verification", "jwks", "oauthClient", "oauthResource"];
  const own = ["oauthClientResource", "oauthRefreshToken", "oauthAccessToken", "oauthConsent"];
  const more = ["oauthClientAssertion", "rateLimit"];
  const database = Object.fromEntries([...tables, ...own, ...more].map((name) => [name, []]));
  const auth = betterAuth({
    baseURL: origin,
    basePath: "/api/auth",
    secret: "a secret of better-auth, which is long enough",
    database: memoryAdapter(database),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: "error" },
    plugins: [
      jwt({ jwks: { keyPairConfig: { alg: "ES256" } } }),
      oauthProvider({
        loginPage: "/login",
        consentPage: "/consent",
        scopes: ["openid", "offline_access", "mcp", "files:write"],
        resources: [process.env.RESOURCE],
        clientRegistrationDefaultResources: [process.env.RESOURCE],
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
    ],
  });
  await auth.api.signUpEmail({
    body: { name: "Ada", email: "ada@example.com", password: "a password of ada" },
  });

  /** Does the work of the page's script in an application of better-auth. */
  async function sent(pathname, search, form, cookie) {
    const [path, body] =
      pathname === "/login"
        ? ["sign-in/email", { email: form.get("email"), password: form.get("password") }]
        : ["oauth2/consent", { accept: true }];
    return auth.handler(
      new Request(`${origin}/api/auth/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", origin, cookie },
        body: JSON.stringify({ ...body, oauth_query: search.slice(1) }),
      }),
    );
  }

  return async (request, response) => {
    const { pathname, search } = new URL(request.url, origin);
    const { method, headers } = request;
    const body = method === "POST" ? await text(request) : undefined;
    if (pages[pathname] && method === "GET")
      return response.writeHead(200, { "content-type": "text/html" }).end(pages[pathname]);
    if (pages[pathname]) {
      const answer = await sent(pathname, search, new URLSearchParams(body), headers.cookie ?? "");
      const { url, redirect_uri: uri } = await answer.json();
      return response
        .writeHead(303, { location: url ?? uri, "set-cookie": answer.headers.getSetCookie() })
        .end();
    }
    const entries = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const answer = await auth.handler(new Request(origin + request.url, { method, headers: entries, body }));
    response.writeHead(
      answer.status,
      [
        ...[...answer.headers].filter(([name]) => name !== "set-cookie"),
        ...answer.headers.getSetCookie().map((value) => ["set-cookie", value]),
      ].flat(),
    );
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
});
