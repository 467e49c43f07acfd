import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loopback } from "../support/listen.js";
import { newServer, serve } from "../support/live-server.js";
import { authorizationServer } from "../support/auth/authorization-server.js";
import type { AuthorizationServerOptions } from "../support/auth/options.js";
import type { ProtectedResourceOptions } from "../support/auth/protected-resource.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Protected, protectedServer } from "./login/protected-server.js";

const client = { id: "ci", secret: "the-secret-of-ci" };
const credentials = { MCPGEN_CLIENT_ID: client.id, MCPGEN_CLIENT_SECRET: client.secret };

interface Checked {
  readonly exit: number;
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly place: { readonly file: string };
    readonly next?: string;
  }[];
  readonly error?: { readonly code: string };
  readonly authorization?: { readonly resource?: string; readonly issuers: readonly string[] };
}

/** A protected server with a fault, whose contract was captured before. */
async function faulty(
  change: (site: Protected) => Partial<ProtectedResourceOptions>,
  options: AuthorizationServerOptions = {},
): Promise<Protected> {
  const site = await protectedServer({ clients: [client], ...options });
  const tools = "tools:\n  - name: echo\n    description: 'Echoes nothing: it answers with one word.'\n";
  const contract = `name: weather\nversion: "1"\n${tools}    inputSchema: { type: object }\n`;
  writeFileSync(join(site.folder, "mcp.contract.yaml"), contract);
  site.resource.options = { ...site.resource.options, ...change(site) };
  return site;
}

async function check(
  site: Protected,
  given: Readonly<Record<string, string>> = credentials,
): Promise<Checked> {
  const env = given === credentials ? { ...credentials, MCPGEN_ISSUER: site.as.issuer } : given;
  const { stdout } = await site.run(["check", "--server", site.url, "--json"], env);
  return JSON.parse(stdout) as Checked;
}

/** The findings about the authorization, in short. */
const short = ({ findings }: Checked): string[] =>
  findings
    .filter(({ code }) => /^MG63(?:1[4-9]|2)/.test(code))
    .map(({ code, severity, message }) => `${code} ${severity}: ${message}`);

test("a server with correct metadata has no findings, and the report names issuer and scopes", async () => {
  const site = await faulty(() => ({ metadata: { scopes_supported: ["files:read"] } }));
  const report = await check(site);
  expect(short(report)).toEqual([]);
  expect(report.authorization).toEqual({
    resource: site.url,
    issuers: [site.as.issuer],
    scopes: ["files:read"],
  });
});

describe("findings", () => {
  test.each<[string, (site: Protected) => Partial<ProtectedResourceOptions>, number, RegExp[]]>([
    [
      "401 without a challenge",
      () => ({ challenge: () => undefined }),
      0,
      [/^MG6314 warning: the refusal has no challenge Bearer or DPoP in WWW-Authenticate$/],
    ],
    [
      "401 without resource_metadata",
      () => ({ challenge: () => 'Bearer realm="x"' }),
      0,
      [/^MG6314 warning: the challenge in WWW-Authenticate has no resource_metadata$/],
    ],
    [
      "no metadata at all",
      ({ url }) => ({
        metadataAt: "none",
        challenge: () => `Bearer resource_metadata="${new URL("/.well-known/nothing", url).href}"`,
      }),
      // This client can connect, because its user names the issuer.
      1,
      [/^MG6315 error: there is no protected resource metadata, and none at \S+\/mcp or \S+-resource$/],
    ],
    [
      "metadata at the root alone, and no challenge that names it",
      () => ({ metadataAt: "root", challenge: () => "Bearer" }),
      0,
      [
        /^MG6314 warning/,
        /^MG6315 warning: there is no metadata here, but at \S+\/oauth-protected-resource$/,
      ],
    ],
    [
      "metadata at another place than the challenge says",
      ({ url }) => ({ challenge: () => `Bearer resource_metadata="${new URL("/metadata", url).href}"` }),
      1,
      [/^MG6315 error: there is no metadata here, but at \S+\/oauth-protected-resource\/mcp$/],
    ],
    [
      "a resource of another origin",
      () => ({ metadata: { resource: "https://api.example.com/mcp" } }),
      4,
      [/^MG6316 error: \S+ its metadata describes another resource, "https:\/\/api\.example\.com\/mcp"/],
    ],
    [
      "a resource that contains the server",
      ({ url }) => ({ metadata: { resource: new URL(url).origin } }),
      4,
      [/^MG6316 warning: resource is not the URL of the server, but one that contains it$/],
    ],
    [
      "no authorization server",
      () => ({ metadata: { authorization_servers: [] } }),
      4,
      [/^MG6317 error: \S+ authorization_servers is missing or empty$/],
    ],
    [
      "an authorization server without https",
      () => ({ metadata: { authorization_servers: ["http://auth.example.com"] } }),
      4,
      [/^MG6318 error: the issuer "http:\/\/auth\.example\.com" is not an https URL/],
    ],
    [
      "an authorization server that is not there",
      () => ({ metadata: { authorization_servers: ["http://127.0.0.1:9"] } }),
      4,
      [
        /^MG6318 error: the metadata of the issuer "http:\/\/127\.0\.0\.1:9" cannot be read: 127\.0\.0\.1:9: no connection/,
      ],
    ],
    [
      "an issuer with a slash at the end",
      ({ as }) => ({ metadata: { authorization_servers: [`${as.issuer}/`] } }),
      4,
      [/^MG6318 error: the metadata of the issuer \S+ names another issuer/],
    ],
  ])("%s", async (_, change, exit, expected) => {
    const site = await faulty(change);
    const report = await check(site);
    expect(short(report)).toEqual(expected.map((each) => expect.stringMatching(each) as string));
    for (const { place, next } of report.findings.filter(({ code }) => code !== "MG6308"))
      expect([place.file.startsWith("http"), typeof next]).toEqual([true, "string"]);
    // If clients cannot get a token, the connection fails, too.
    if (exit === 4) expect([report.exit, report.error?.code]).toEqual([4, expect.stringMatching(/^MG41/)]);
  });

  test("no PKCE with S256", async () => {
    const site = await faulty(() => ({}), { metadata: { code_challenge_methods_supported: ["plain"] } });
    const report = await check(site);
    expect(short(report)).toEqual([
      expect.stringMatching(/^MG6319 error: \S+ code_challenge_methods_supported does not list S256$/),
    ]);
    const excepted = { ...credentials, MCPGEN_ISSUER: site.as.issuer, MCPGEN_PKCE: "assumed" };
    expect(short(await check(site, excepted))).toEqual([]);
    // A client without a user has no login and does not need PKCE, so the contract is compared.
    expect([report.exit, report.error]).toEqual([1, undefined]);
  });

  test("metadata that is not JSON, and metadata behind a redirect", async () => {
    const as = await authorizationServer();
    for (const [status, headers] of [
      [200, { "content-type": "text/html" }],
      [302, { location: as.issuer }],
    ] as const) {
      const origin = await loopback((request, response) => {
        if (request.method === "POST")
          return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
        response.writeHead(status, headers).end("<html>");
      });
      const folder = temporaryFolder({ "mcp.contract.yaml": 'name: n\nversion: "1"\n' });
      const ran = await mcpgen(folder, ["check", "--server", `${origin}/mcp`, "--json"], {
        env: { HOME: folder },
      });
      const report = JSON.parse(ran.stdout) as Checked;
      expect([report.exit, short(report).at(-1)]).toEqual([4, expect.stringMatching(/^MG6315 error: /)]);
    }
  });

  test("scopes of the contract that the metadata does not offer", async () => {
    const site = await faulty(() => ({ metadata: { scopes_supported: ["files:read"] } }));
    const scoped =
      'name: weather\nversion: "1"\nresources:\n  - { name: a, uri: "a:b", scopes: [files:read, files:write] }\n';
    writeFileSync(join(site.folder, "mcp.contract.yaml"), scoped);
    expect(short(await check(site))).toEqual([
      "MG6320 warning: scopes_supported lacks files:write, which the contract requires",
    ]);
  });

  test("scopes in the contract of a server that asks for no token", async () => {
    const server = newServer("n", "1");
    server.tool("t", { description: "It.", inputSchema: { type: "object" } }, () => "x");
    const source = await serve(server);
    const contract = `name: n\nversion: "1"\ntools:\n  - { name: t, description: It., inputSchema: { type: object }, scopes: [a] }\n`;
    const folder = temporaryFolder({ "mcp.contract.yaml": contract });
    const ran = await mcpgen(folder, ["check", "--server", source, "--json"]);
    expect(short(JSON.parse(ran.stdout) as Checked)).toEqual([
      "MG6321 warning: the contract has scopes, and the server answers requests without a token",
    ]);
    const given = await mcpgen(folder, [
      "check",
      "--server",
      source,
      "--json",
      "--header",
      "Authorization: a b",
    ]);
    expect(short(JSON.parse(given.stdout) as Checked)).toEqual([]);
  });
});

test("without credentials, the error names the scopes of the metadata, and findings come with it", async () => {
  const site = await faulty(() => ({
    metadata: { scopes_supported: ["files:read", "files:write"] },
    challenge: () => "Bearer",
  }));
  const { code, stderr, stdout } = await site.run(["check", "--server", site.url]);
  expect(code).toBe(4);
  expect(stdout + stderr).toContain("MG6314");
  expect(stdout + stderr).toContain(`asks for a login at ${site.as.issuer}, for files:read files:write`);
  const { error } = JSON.parse((await site.run(["call", site.url, "echo", "--json"])).stdout) as {
    error: { authorization: { scopes: string[] } };
  };
  expect(error.authorization.scopes).toEqual(["files:read", "files:write"]);
});

test("a server that requires another scheme is not checked", async () => {
  const asked: string[] = [];
  const origin = await loopback((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
  });
  const folder = temporaryFolder({ "mcp.contract.yaml": 'name: n\nversion: "1"\n' });
  const { code, stdout } = await mcpgen(folder, ["check", "--server", `${origin}/mcp`, "--json"], {
    env: { HOME: folder },
  });
  expect([code, (JSON.parse(stdout) as { findings?: [] }).findings ?? []]).toEqual([4, []]);
});

test("without a contract, check reports faults that keep clients from a token", async () => {
  const right = await protectedServer({}, ["files:read"]);
  const good = await right.run(["check", "--server", right.url]);
  expect([good.code, good.stderr]).toEqual([0, ""]);
  expect(good.stdout).toContain("clients can get a token; there is no contract to compare it with");
  const site = await protectedServer();
  site.resource.options = { ...site.resource.options, metadataAt: "none" };
  const bad = await site.run(["check", "--server", site.url, "--json"]);
  expect(JSON.parse(bad.stdout)).toMatchObject({
    exit: 1,
    findings: expect.arrayContaining([
      expect.objectContaining({ code: "MG6315", severity: "error" }),
    ]) as object,
  });
  const open = await serve(newServer());
  const none = await mcpgen(temporaryFolder(), ["check", "--server", open]);
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining("asks for no token")]);
  const away = await mcpgen(temporaryFolder(), ["check", "--server", open.replace(/:\d+/, ":9")]);
  expect([away.code, away.stdout]).toEqual([4, ""]);
  const process = await mcpgen(temporaryFolder(), ["check", "--server", "stdio:none"]);
  expect([process.code, process.stderr]).toEqual([2, expect.stringContaining("MG2003")]);
  const given = ["check", "--server", open, "--header", "Authorization: Bearer x"];
  expect((await mcpgen(temporaryFolder(), given)).stderr).toContain("MG2003");
});

test.each([408, 425, 429, 500, 503])(
  "without a contract, a server that answers %i is not judged, because it may require a token a moment later",
  async (status) => {
    const origin = await loopback((_, response) => response.writeHead(status).end("{}"));
    const { code, stdout, stderr } = await mcpgen(temporaryFolder(), ["check", "--server", `${origin}/mcp`]);
    expect([code, stdout, stderr.includes(`it answered ${status}`)], stderr).toEqual([4, "", true]);
  },
);

test.each<[string, (place: string) => string | readonly string[]]>([
  ["the first place", (place) => `Bearer resource_metadata="${place}"`],
  [
    "each of two headers",
    (place) => [`Bearer resource_metadata="${place}"`, 'DPoP resource_metadata="none"'],
  ],
])(
  "metadata that are unusable at %s are findings, and clients go on with those of the server",
  async (_, headerOf) => {
    const named = await loopback((_, response) => response.end('{"authorization_servers":null}'));
    const site = await protectedServer();
    site.resource.options = { ...site.resource.options, challenge: () => headerOf(`${named}/meta`) };
    const { stdout } = await site.run(["check", "--server", site.url, "--json"]);
    const report = JSON.parse(stdout) as Checked;
    expect([report.exit, report.authorization?.issuers]).toEqual([1, [site.as.issuer]]);
    expect(new Set(short(report).map((text) => text.slice(0, 12)))).toEqual(new Set(["MG6315 error"]));
  },
);
