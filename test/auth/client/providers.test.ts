import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type AuthEvent, type OAuthOptions, memoryStore, oauth } from "../../../runtime/auth/client.js";
import { metadataPlaces } from "../../../runtime/auth/shared/urls.js";
import { type RenamedIssuer, renamedIssuers } from "../../support/auth/renamed-issuers.js";
import { type ProviderMetadata, providers } from "./providers.js";

const server = "https://api.example.com/mcp";
const redirectUri = "http://127.0.0.1:4711/callback";

/** The requests of one login, and the answers of a protected server and a provider. */
class Exchange {
  readonly asked: string[] = [];
  readonly bodies = new Map<string, { readonly headers: Headers; readonly body: string }>();
  opened: URL | undefined;
  readonly #provider: ProviderMetadata;

  constructor(provider: ProviderMetadata) {
    this.#provider = provider;
  }

  /** A document of the provider, or a status. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    this.asked.push(url);
    this.bodies.set(url, { headers: new Headers(init.headers), body: String((init.body ?? "") as string) });
    const { issuer, place, metadata, registration = 201 } = this.#provider;
    if (url === "https://api.example.com/.well-known/oauth-protected-resource/mcp")
      return Response.json({ resource: server, authorization_servers: [issuer], scopes_supported: ["mcp"] });
    if (url === placeOf(issuer, place) && metadata["token_endpoint"] !== undefined)
      return Response.json({ issuer, ...metadata });
    if (url === metadata["registration_endpoint"]) {
      const { token_endpoint_auth_method: method } = JSON.parse(String(init.body as string)) as Record<
        string,
        string
      >;
      const secret = method === "none" ? {} : { client_secret: "secret-of-client" };
      const body = { client_id: "registered", ...secret, token_endpoint_auth_method: method };
      return Response.json(registration < 400 ? body : { error: "access_denied" }, { status: registration });
    }
    if (url === metadata["token_endpoint"])
      return Response.json({ access_token: "token", token_type: "Bearer", expires_in: 3600 });
    return new Response(null, { status: 404 });
  };

  readonly redirect = {
    uri: redirectUri,
    receive: async (url: string): Promise<string> => {
      this.opened = new URL(url);
      const answer = new URL(redirectUri);
      answer.searchParams.set("code", "code");
      answer.searchParams.set("state", this.opened.searchParams.get("state")!);
      return answer.href;
    },
  };

  /** The header of a request after a refusal. */
  async login(options: OAuthOptions = {}): Promise<unknown> {
    const { fetch, redirect } = this;
    const authorizer = oauth({ store: memoryStore(), fetch, privateNetwork: true, redirect, ...options });
    const refused = { status: 401, headers: new Headers() };
    const { signal } = new AbortController();
    return authorizer.authorize({ method: "POST", url: server, signal, attempt: 1, refused });
  }
}

function placeOf(issuer: string, place: ProviderMetadata["place"]): string {
  const places = metadataPlaces(issuer);
  return place === "oauth" ? places[0]! : place === "oidc" ? places[1]! : places[2]!;
}

/** How a client authenticated at the token endpoint. */
function methodOf({ headers, body }: { readonly headers: Headers; readonly body: string }): string {
  if (headers.get("authorization")?.startsWith("Basic ")) return "client_secret_basic";
  return new URLSearchParams(body).has("client_secret") ? "client_secret_post" : "none";
}

const named = (all: readonly ProviderMetadata[]): (readonly [string, ProviderMetadata])[] =>
  all.map((provider) => [provider.name, provider] as const);

test.each(named(providers.filter(({ fails }) => !fails)))(
  "%s: a client registers and logs in",
  async (_, provider) => {
    const { metadata, method } = provider;
    const exchange = new Exchange(provider);
    const events: AuthEvent[] = [];
    const headers = await exchange.login({ onEvent: (event) => events.push(event) });
    expect(headers).toEqual({ authorization: "Bearer token" });
    expect(events.map(({ type }) => type)).toEqual(["discovered", "registered", "opened", "token"]);
    const sent = exchange.bodies.get(String(metadata["registration_endpoint"]))!.body;
    expect(JSON.parse(sent)).toMatchObject({
      token_endpoint_auth_method: method,
      application_type: "native",
    });
    expect(methodOf(exchange.bodies.get(String(metadata["token_endpoint"]))!)).toBe(method);
  },
);

test.each(named(providers.filter(({ fails }) => fails)))(
  "%s: the error for a client without an id states what to set",
  async (_, provider) => {
    const exchange = new Exchange(provider);
    const error = await exchange.login().catch((error: unknown) => error);
    const exception = `issuers: { ${JSON.stringify(provider.issuer)}: { pkce: "assumed" } }`;
    const advice = {
      "auth-registration-impossible": "set client.id",
      "auth-pkce-unsupported": exception,
      "auth-issuer-mismatch": "names another issuer",
      "auth-metadata-invalid": "no metadata",
    };
    expect(error).toMatchObject({ code: provider.fails });
    expect(String(error)).toContain(advice[provider.fails!]);
    expect(exchange.opened).toBeUndefined();
  },
);

test.each(named(providers.filter(({ usable }) => usable !== false)))(
  "%s: a client with an id logs in, and requests metadata at the places of the specification",
  async (_, provider) => {
    const { issuer, metadata, exception, place } = provider;
    const exchange = new Exchange(provider);
    const client = { id: "known", secret: "secret-of-client", issuer };
    const headers = await exchange.login({ client, ...(exception && { issuers: { [issuer]: exception } }) });
    expect(headers).toEqual({ authorization: "Bearer token" });
    const places = metadataPlaces(issuer);
    const tried = places.slice(0, places.indexOf(placeOf(issuer, place)) + 1);
    expect(exchange.asked.filter((url) => places.includes(url))).toEqual(tried);
    const opened = exchange.opened!;
    expect(opened.origin + opened.pathname).toBe(metadata["authorization_endpoint"]);
    expect(opened.searchParams.get("code_challenge_method")).toBe("S256");
    expect(opened.searchParams.get("resource")).toBe(exception?.resource === "omit" ? null : server);
    const listed = (metadata["scopes_supported"] ?? []) as string[];
    const refresh = listed.includes("offline_access") ? " offline_access" : "";
    expect(opened.searchParams.get("scope")).toBe(`mcp${refresh}`);
    const token = exchange.bodies.get(String(metadata["token_endpoint"]))!;
    expect(methodOf(token)).toBe("client_secret_basic");
    expect(new URLSearchParams(token.body).get("resource")).toBe(opened.searchParams.get("resource"));
  },
);

test("Auth0: a resource that names the issuer without its slash is refused unless an exception allows it", async () => {
  const auth0 = providers[0]!;
  const bare = auth0.issuer.replace(/\/$/, "");
  const exchange = new Exchange({
    ...auth0,
    issuer: bare,
    metadata: { ...auth0.metadata, issuer: auth0.issuer },
  });
  await expect(exchange.login()).rejects.toMatchObject({ code: "auth-issuer-mismatch" });
  expect(exchange.opened).toBeUndefined();
  const issuers = { [bare]: { issuer: auth0.issuer } };
  expect(await exchange.login({ issuers })).toEqual({ authorization: "Bearer token" });
});

/** The metadata of a server with two names; its endpoints are elsewhere, as they are allowed to be for a named issuer. */
function renamedProvider({ name, issuer, own, where, source }: RenamedIssuer): ProviderMetadata {
  return {
    ...{ name, source, kind: "capture", issuer, place: "oauth" },
    metadata: {
      ...(where === "metadata" && { issuer: own }),
      authorization_endpoint: "https://login.example/authorize",
      token_endpoint: "https://token.example/token",
      registration_endpoint: "https://token.example/register",
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
    },
  };
}

test.each(renamedIssuers.map((each) => [each.name, each] as const))(
  "%s: the refusal states both names, and an exception with both is accepted",
  async (_, renamed) => {
    const { issuer, own } = renamed;
    const login = async (options: OAuthOptions): Promise<unknown> => {
      const exchange = new Exchange(renamedProvider(renamed));
      const receive = async (url: string): Promise<string> => {
        const callback = new URL(await exchange.redirect.receive(url));
        callback.searchParams.set("iss", own);
        return callback.href;
      };
      return exchange.login({ ...options, redirect: { ...exchange.redirect, receive } });
    };
    const error = await login({ issuers: { [issuer]: {} } }).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "auth-issuer-mismatch" });
    for (const each of [issuer, own]) expect(String(error)).toContain(`"${each}"`);
    expect(await login({ issuers: { [issuer]: { issuer: own } } })).toEqual({
      authorization: "Bearer token",
    });
  },
);

test("docs/authorization-works-with.md lists the issuers with two names", () => {
  const head = [
    "MCP server",
    "`issuers`: its issuer",
    "and the exception `issuer`",
    "another name in",
    "source",
  ];
  const rows = renamedIssuers.map(({ name, issuer, own, where, source }) => [
    ...[name, `\`${issuer}\``, `\`${own}\``, where],
    `[issue](https://${source})`,
  ]);
  const table = [head, head.map(() => "-"), ...rows].map((cells) => `|${cells.join("|")}|`).join("\n");
  expect(readFileSync("docs/authorization-works-with.md", "utf8")).toContain(table);
});

test("at least 12 providers are recorded, each with its source", () => {
  expect(new Set(providers.map(({ name }) => name.split(",")[0])).size).toBeGreaterThanOrEqual(12);
  expect(providers.every(({ source }) => source.length > 10)).toBe(true);
});

const placeTexts = {
  oauth: "RFC 8414",
  oidc: "OpenID Connect",
  "oidc-appended": "OpenID Connect, below the path of the issuer",
};

/** What the user of a client has to do before a login works. */
function needs({ name, fails, exception, usable }: ProviderMetadata): string {
  if (usable === false)
    return fails === "auth-issuer-mismatch"
      ? `${name.split(", ")[1]!} is no issuer: name a tenant`
      : "no login for MCP";
  if (!fails) return "registers";
  const given = Object.entries(exception ?? {}).map(([key, value]) => `\`${key}: "${value}"\``);
  return ["`client.id`", ...given].join(", ");
}

test("docs/authorization-works-with.md lists the providers", () => {
  const row = (cells: readonly string[]): string => `|${cells.join("|")}|`;
  const rows = providers.map((provider) => [
    provider.name,
    provider.metadata["token_endpoint"] === undefined ? "none" : placeTexts[provider.place],
    needs(provider),
    provider.kind,
  ]);
  const head = ["provider", "metadata", "a client of a user", "source"];
  const table = [head, head.map(() => "-"), ...rows].map(row).join("\n");
  expect(readFileSync("docs/authorization-works-with.md", "utf8")).toContain(table);
});
