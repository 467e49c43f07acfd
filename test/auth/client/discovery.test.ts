import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { metadataPlaces } from "../../../runtime/auth/shared/urls.js";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { protectedResource } from "../../support/auth/protected-resource.js";
import { listen, loopback } from "../../support/listen.js";
import { failure, login, pair, send, user } from "./drive.js";

describe("protected resource metadata (2025-11-25 and later)", () => {
  test("the URL of the challenge is used, and no other is tried", async () => {
    const { rs } = await pair({}, { metadataAt: "root" });
    expect(await send(login(), rs.url)).toBe(200);
    expect(rs.log.filter((line) => line.includes("GET"))).toEqual([
      "200 GET /.well-known/oauth-protected-resource",
    ]);
  });

  test.each([
    ["path", ["200 GET /.well-known/oauth-protected-resource/mcp"]],
    [
      "root",
      ["404 GET /.well-known/oauth-protected-resource/mcp", "200 GET /.well-known/oauth-protected-resource"],
    ],
  ] as const)(
    "without a challenge the well-known URLs are tried in order: found at the %s",
    async (metadataAt, log) => {
      const { rs } = await pair({}, { metadataAt, challenge: () => undefined });
      expect(await send(login(), rs.url)).toBe(200);
      expect(rs.log.filter((line) => line.includes("GET"))).toEqual(log);
    },
  );

  /** Serves metadata at a place that a challenge names. */
  test.each<[string, number, string, Record<string, string>?]>([
    ["404", 404, ""],
    ["a page", 200, "<html>", { "content-type": "text/html" }],
    ["no JSON", 200, "{"],
    ["a list", 200, "[]"],
    ["null", 200, "null"],
    ["an empty text", 200, ""],
    ["an object of something else", 200, '{"error":"not found"}'],
    ["members that are null", 200, '{"resource":null,"authorization_servers":null}'],
    ["the resource alone", 200, '{"resource":"RESOURCE","authorization_servers":null}'],
    ["no authorization server", 200, '{"resource":"RESOURCE","authorization_servers":[]}'],
    ["malformed authorization servers", 200, '{"resource":"RESOURCE","authorization_servers":[7]}'],
    ["more than 64 KB", 200, `{"a":"${"x".repeat(70_000)}"}`],
    ["a redirect", 302, "", { location: "/elsewhere" }],
    ["429", 429, '{"error":"too_many_requests"}'],
    ["500", 500, ""],
    ["503", 503, "{}"],
  ])(
    "a challenge that names metadata with the answer %s: the well-known place counts",
    async (_, status, body, headers = {}) => {
      const named: string = await loopback((_, response) =>
        response.writeHead(status, headers).end(body.replace("RESOURCE", rs.url)),
      );
      const { rs } = await pair({}, { challenge: () => `Bearer resource_metadata="${named}/meta"` });
      expect(await send(login(), rs.url)).toBe(200);
    },
  );

  test.each([
    ...[
      "",
      "none",
      "/.well-known/oauth-protected-resource/mcp",
      "http://as.example/meta",
      "file:///etc/passwd",
    ],
    ...[
      "https://user:pass@as.example/meta",
      "https://",
      "urn:a:b",
      "javascript:alert(1)",
      "https://a.invalid/#x",
      "null",
      "https://a.invalid/x https://b.invalid/x",
      "https://a.invalid/x, https://b.invalid/x",
      '[\\"https://a.invalid/x\\"]',
      "https://nowhere.invalid/meta",
    ],
  ])("the well-known place is used if a challenge names metadata at %j", async (named) => {
    const { rs } = await pair({}, { challenge: () => `Bearer resource_metadata="${named}"` });
    expect(await send(login(), rs.url)).toBe(200);
    rs.options = { ...rs.options, metadataAt: "none" };
    expect(await failure(send(login(), rs.url))).toMatch(/^auth-(metadata-\w+|unavailable)$/);
  });

  test.each<[string, (good: string) => string | readonly string[]]>([
    [
      "in one challenge each",
      (good) => `Bearer resource_metadata="https://a.invalid/", DPoP resource_metadata="${good}"`,
    ],
    ["in a header each", (good) => ['Bearer resource_metadata="none"', `Bearer resource_metadata="${good}"`]],
    [
      "behind a challenge of another scheme",
      (good) => ['Basic realm="x"', `bearer Resource_Metadata="${good}"`],
    ],
    [
      "after two that are unusable",
      (good) => ["urn:a", "", good].map((each) => `Bearer resource_metadata="${each}"`),
    ],
  ])("among several places in challenges, a usable one is found: %s", async (_, headerOf) => {
    const { as, rs } = await pair({}, { metadataAt: "none" });
    const named = await loopback((_, response) =>
      response.end(JSON.stringify({ resource: rs.url, authorization_servers: [as.issuer] })),
    );
    rs.options = { ...rs.options, challenge: () => headerOf(`${named}/meta`) };
    expect(await send(login(), rs.url)).toBe(200);
  });

  test("of 50 places that a server names, only three are requested before the well-known place", async () => {
    const asked: (string | undefined)[] = [];
    const named = await loopback(({ url }, response) => {
      asked.push(url);
      response.writeHead(404).end();
    });
    const header = Array.from({ length: 50 }, (_, at) => `Bearer resource_metadata="${named}/${at}"`).join(
      ", ",
    );
    const { rs } = await pair({}, { challenge: () => header });
    expect(await send(login(), rs.url)).toBe(200);
    expect(asked).toEqual(["/0", "/1", "/2"]);
  });

  test.each([
    ["404", 404, ""],
    ["a page", 200, "<html>"],
    ["a redirect", 302, ""],
    ["503", 503, ""],
  ])("%s instead of metadata is ignored if the application names the issuer", async (_, status, body) => {
    const named = await loopback((_, response) => response.writeHead(status).end(body));
    const challenge = (): string => `Bearer resource_metadata="${named}/meta"`;
    const { as, rs } = await pair({}, { metadataAt: "none", challenge });
    expect(await failure(send(login(), rs.url))).toMatch(/^auth-(metadata-\w+|unavailable)$/);
    expect(await send(login({ issuer: as.issuer }), rs.url)).toBe(200);
  });

  test("a challenge that names metadata of another resource is refused, without a request for other metadata", async () => {
    const named = await loopback((_, response) =>
      response.end(JSON.stringify({ resource: "https://other.example/mcp", authorization_servers: [] })),
    );
    const { as, rs } = await pair({}, { challenge: () => `Bearer resource_metadata="${named}/meta"` });
    const error = await send(login(), rs.url).catch((error: unknown) => error);
    const { cause } = error as { readonly cause: Error & { readonly code: string } };
    expect(cause.code).toBe("auth-resource-mismatch");
    for (const text of [rs.url, "https://other.example/mcp"]) expect(cause.message).toContain(`"${text}"`);
    expect([as.calls, rs.log.filter((line) => line.includes("GET"))]).toEqual([[], []]);
  });

  test.each([408, 425, 429, 500, 503])(
    "after a well-known place answers %i, other places are not asked: they may name another authorization server",
    async (status) => {
      const { as, rs } = await pair({}, { challenge: () => undefined, metadataAt: "root" });
      const { origin } = new URL(rs.url);
      const asked: string[] = [];
      const fetch = async (url: string, init: RequestInit): Promise<Response> => {
        asked.push(url.slice(origin.length));
        return url.endsWith("/mcp") ? new Response("{}", { status }) : globalThis.fetch(url, init);
      };
      expect(await failure(send(login({ fetch, privateNetwork: true }), rs.url))).toBe("auth-unavailable");
      expect([asked, as.calls]).toEqual([["/.well-known/oauth-protected-resource/mcp"], []]);
    },
  );

  test("a Bearer challenge is found among other challenges, in upper or lower case", async () => {
    const { rs } = await pair(
      {},
      { challenge: (text) => `Basic realm="a, b", bEARER ${text.slice(7)}, Negotiate abc=` },
    );
    expect(await send(login(), rs.url)).toBe(200);
  });

  test("an empty authorization_servers is refused", async () => {
    const { rs } = await pair({}, { metadata: { authorization_servers: [] } });
    expect(await failure(send(login(), rs.url))).toBe("auth-metadata-invalid");
  });

  test("the application chooses among several authorization servers", async () => {
    const [one, two] = [await authorizationServer(), await authorizationServer()];
    const rs = await protectedResource({ servers: [one, two] });
    expect(await send(login({ chooseIssuer: (all) => all[1]! }), rs.url)).toBe(200);
    expect([one.calls.length, two.count("token")]).toEqual([0, 1]);
  });

  test.each([
    ["another origin", "https://other.example/mcp"],
    ["another path", (url: string) => url.replace(/mcp$/, "other")],
    ["a longer path", (url: string) => `${url}/more`],
    ["a part of a segment", (url: string) => url.slice(0, -1)],
  ])("attack 3: metadata of another resource is refused: %s", async (_, change) => {
    const { as, rs } = await pair();
    const resource = typeof change === "string" ? change : change(rs.url);
    rs.options = { ...rs.options, metadata: { resource } };
    expect(await failure(send(login(), rs.url))).toBe("auth-resource-mismatch");
    expect(as.calls).toEqual([]);
  });
});

describe("authorization server metadata", () => {
  test("a path is inserted for OAuth and OpenID Connect, then appended", () => {
    expect(metadataPlaces("https://a.example/t/1")).toEqual([
      "https://a.example/.well-known/oauth-authorization-server/t/1",
      "https://a.example/.well-known/openid-configuration/t/1",
      "https://a.example/t/1/.well-known/openid-configuration",
    ]);
    expect(metadataPlaces("https://a.example")).toEqual([
      "https://a.example/.well-known/oauth-authorization-server",
      "https://a.example/.well-known/openid-configuration",
    ]);
  });

  test.each([
    ["oauth", 1],
    ["oidc", 2],
    ["oidc-appended", 3],
  ] as const)("metadata is found as %s", async (form, tries) => {
    const { as, rs } = await pair({ path: "/tenant1", forms: [form] });
    expect(await send(login(), rs.url)).toBe(200);
    expect(as.paths()).toHaveLength(tries);
  });

  test.each([
    ["a page", { status: 200, body: "<html>", headers: { "content-type": "text/html" } }],
    ["a redirect", { status: 302, headers: { location: "/" } }],
    ["404", { status: 404 }],
  ])("a metadata place with %s counts as empty", async (_, answer) => {
    const { rs } = await pair({
      fault: (call, honest) => (call.url.pathname.includes("oauth-authorization-server") ? answer : honest),
    });
    expect(await send(login(), rs.url)).toBe(200);
  });

  test.each([
    ...["registration", "revocation", "introspection", "device_authorization", "userinfo"].map(
      (name) => `${name}_endpoint`,
    ),
    ...["jwks_uri", "scopes_supported", "grant_types_supported", "dpop_signing_alg_values_supported"],
    ...["service_documentation", "token_endpoint_auth_methods_supported", "mtls_endpoint_aliases"],
  ])("optional %s counts as absent if it is null", async (name) => {
    const { rs } = await pair({
      metadata: { [name]: null },
      clients: [{ id: "known", redirectUris: [user().uri] }],
    });
    const device = (): void => expect.unreachable();
    const options = name.startsWith("device") ? { device } : {};
    expect(await send(login({ client: { id: "known" }, ...options }), rs.url)).toBe(200);
  });

  test("all optional and unknown members may be null at the same time", async () => {
    const needed = new Set([
      "issuer",
      "authorization_endpoint",
      "token_endpoint",
      "code_challenge_methods_supported",
    ]);
    const all = Object.keys((await authorizationServer({ scopes: ["a"], dpop: "offered" })).metadata());
    const others = [...all.filter((name) => !needed.has(name)), "x_unknown", "signed_metadata"];
    const { rs } = await pair({
      metadata: Object.fromEntries(others.map((name) => [name, null])),
      clients: [{ id: "known", redirectUris: [user().uri] }],
    });
    expect(await send(login({ client: { id: "known" } }), rs.url)).toBe(200);
  });

  test.each(["issuer", "authorization_endpoint", "token_endpoint"])(
    "required %s counts as missing if it is null",
    async (name) => {
      const { rs } = await pair({ metadata: { [name]: null } });
      expect(await failure(send(login(), rs.url))).toMatch(/^auth-(metadata-invalid|issuer-mismatch)$/);
    },
  );

  test.each([
    ["another host", () => "https://attacker.example"],
    ["a slash more", (issuer: string) => `${issuer}/`],
    ["another case", (issuer: string) => issuer.replace("http", "HTTP")],
    ["another name of the host", (issuer: string) => issuer.replace("127.0.0.1", "localhost")],
    ["another port", (issuer: string) => issuer.replace(/\d+$/, "1")],
    ["a full stop after the host", (issuer: string) => issuer.replace(/:(\d+)$/, ".:$1")],
    ["a path", (issuer: string) => `${issuer}/tenant`],
    ["a query", (issuer: string) => `${issuer}?`],
    ["a fragment", (issuer: string) => `${issuer}#`],
    ["a dot segment", (issuer: string) => `${issuer}/.`],
    ["white space", (issuer: string) => `${issuer} `],
    ["a zero before the port", (issuer: string) => issuer.replace(/(\d+)$/, "0$1")],
    ["none", () => undefined],
  ])("attack 2: metadata of another issuer is refused: %s", async (_, issuer) => {
    const { as, rs } = await pair({
      fault: (call, answer) =>
        call.endpoint === "metadata"
          ? { ...answer, body: { ...(answer.body as object), issuer: issuer(as.issuer) } }
          : answer,
    });
    expect(await failure(send(login(), rs.url))).toBe("auth-issuer-mismatch");
    expect(as.calls.map(({ endpoint }) => endpoint)).toEqual(["metadata"]);
  });

  test("attack 2: the port of the scheme is a part of the text, too", async () => {
    const { rs } = await pair({}, { metadata: { authorization_servers: ["https://as.example"] } });
    const asked: string[] = [];
    const fetch = async (url: string, init: RequestInit): Promise<Response> => {
      if (url.startsWith(new URL(rs.url).origin)) return globalThis.fetch(url, init);
      asked.push(url);
      return Response.json({ issuer: "https://as.example:443", token_endpoint: "https://as.example/token" });
    };
    expect(await failure(send(login({ fetch, privateNetwork: true }), rs.url))).toBe("auth-issuer-mismatch");
    expect(asked).toEqual(["https://as.example/.well-known/oauth-authorization-server"]);
  });

  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "ms-msdt:/id",
    "http://as.example/authorize",
    "https://u@as.example/",
  ])("attack 16: an endpoint %s is refused", async (authorization_endpoint) => {
    const { as, rs } = await pair({ metadata: { authorization_endpoint } });
    expect(await failure(send(login(), rs.url))).toBe("auth-metadata-unsafe");
    expect(as.count("register")).toBe(0);
  });

  test("attack 12: a redirect of metadata is not followed", async () => {
    const { as, rs } = await pair({
      fault: () => ({ status: 302, headers: { location: "http://169.254.169.254/" } }),
    });
    expect(await failure(send(login(), rs.url))).toBe("auth-metadata-unsafe");
    // Each place of the metadata was asked, and nothing else.
    expect(as.calls.map(({ endpoint }) => endpoint)).toEqual(["metadata", "metadata"]);
  });
});

describe("attack 12: addresses that a server names", () => {
  /** A port of this machine, and how many connections it got. */
  async function target(): Promise<{ readonly port: number; connections: () => number }> {
    let count = 0;
    const server = createServer((socket) => (count++, socket.destroy()));
    onTestFinished(() => void server.close());
    return { port: await listen(server), connections: () => count };
  }
  const hosts = ["[::ffff:7f00:1]", "0x7f.1", "2130706433", "localhost.", "127.0.0.1", "[64:ff9b::7f00:1]"];

  test.each(hosts)("metadata of the resource at https://%s get no connection", async (host) => {
    const { port, connections } = await target();
    const { as, rs } = await pair(
      {},
      { challenge: () => `Bearer resource_metadata="https://${host}:${port}/meta"` },
    );
    expect(await failure(send(login(), rs.url))).toBe("answered 200");
    expect(connections()).toBe(0);
    // Without metadata at a well-known place, the login cannot continue.
    rs.options = { ...rs.options, metadataAt: "none" };
    const calls = as.calls.length;
    expect(await failure(send(login(), rs.url))).toMatch(/^auth-(metadata-unsafe|unavailable)$/);
    expect([connections(), as.calls.length]).toEqual([0, calls]);
  });

  test.each(hosts)("an authorization server at https://%s gets no connection", async (host) => {
    const { port, connections } = await target();
    const { rs } = await pair({}, { metadata: { authorization_servers: [`https://${host}:${port}`] } });
    expect(await failure(send(login(), rs.url))).toMatch(/^auth-(metadata-unsafe|unavailable)$/);
    expect(connections()).toBe(0);
  });

  test.each(hosts)("a token endpoint at https://%s gets no connection", async (host) => {
    const { port, connections } = await target();
    const { rs } = await pair({ metadata: { token_endpoint: `https://${host}:${port}/token` } });
    expect(await failure(send(login(), rs.url))).toMatch(/^auth-(metadata-unsafe|unavailable)$/);
    expect(connections()).toBe(0);
  });
});

describe("attack 21: servers without metadata", () => {
  test("are refused at new revisions: the server's origin does not count as an authorization server", async () => {
    const { rs } = await pair({}, { metadataAt: "none" });
    for (const legacy of [undefined, "2025-03-26"] as const)
      expect(await failure(send(login({ ...(legacy && { legacy }) }), rs.url, "2026-07-28"))).toBe(
        "auth-metadata-invalid",
      );
    expect(await failure(send(login(), rs.url, "2025-03-26"))).toBe("auth-metadata-invalid");
  });

  test("get the issuer that the application names", async () => {
    const { as, rs } = await pair({}, { metadataAt: "none" });
    expect(await send(login({ issuer: as.issuer }), rs.url)).toBe(200);
  });

  test.each(["with metadata", "without"])(
    "2025-03-26: the origin, %s of the authorization server",
    async (how) => {
      const as = await authorizationServer({ resourceRequired: false });
      const origin = new URL(as.issuer).origin;
      const versions: (string | undefined)[] = [];
      // One origin: the paths of the authorization server, and the MCP server.
      const server = await loopback((request, response) => {
        const { url = "", method, headers } = request;
        if (url === "/mcp") return void response.writeHead(headers.authorization ? 200 : 401).end("{}");
        if (url.includes(".well-known/oauth-authorization-server")) {
          versions.push(headers["mcp-protocol-version"] as string);
          if (how === "without") return void response.writeHead(404).end();
          const document = JSON.stringify(as.metadata()).replaceAll(origin, `http://${headers.host}`);
          return void response.end(document);
        }
        if (url.includes(".well-known")) return void response.writeHead(404).end();
        let body = "";
        request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
        request.on("end", async () => {
          const type = headers["content-type"];
          const init =
            method === "POST"
              ? {
                  method,
                  body,
                  headers: { "content-type": type!, authorization: headers.authorization ?? "" },
                }
              : {};
          const answer = await fetch(origin + url, { ...init, redirect: "manual" });
          const location = answer.headers
            .get("location")
            ?.replace(encodeURIComponent(origin), encodeURIComponent(`http://${headers.host}`));
          response.writeHead(answer.status, {
            "content-type": answer.headers.get("content-type") ?? "",
            ...(location && { location }),
          });
          response.end(await answer.text());
        });
      });
      expect(await send(login({ legacy: "2025-03-26" }), `${server}/mcp`, "2025-03-26")).toBe(200);
      expect(versions).toEqual(["2025-03-26"]);
      expect(as.calls.some(({ params }) => params.has("resource"))).toBe(false);
    },
  );
});
