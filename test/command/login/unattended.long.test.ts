import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { exportJWK } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { freePorts } from "../../support/free-ports.mjs";
import { listen } from "../../support/listen.js";
import { protectedServer } from "./protected-server.js";

const host = builtProgram("test/host/programs/host.ts");
const client = { id: "ci", secret: "the-secret-of-ci" };
const bound = { MCPGEN_ISSUER: "https://as.example" };

describe("without a terminal", () => {
  test.each([
    ["call", (url: string) => ["call", url, "echo"]],
    ["capture", (url: string) => ["capture", url, "--out", "-"]],
    ["lint", (url: string) => ["lint", url]],
    ["diff", (url: string) => ["diff", url, url]],
    ["list", (url: string) => ["list", url]],
  ])("%s ends with 4 without a question, and names issuer, scopes and the next step", async (_, words) => {
    const { as, url, run } = await protectedServer({}, ["files:read"]);
    const { code, stdout, stderr } = await run(words(url));
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toContain("MG4106");
    expect(stderr).toContain(`the server asks for a login at ${as.issuer}, for files:read`);
    expect(stderr).toContain(`mcpgen login ${url}`);
    expect(stderr).toContain("MCPGEN_CLIENT_ID");
    expect([as.count("register"), as.count("authorize"), as.count("token")]).toEqual([0, 0, 0]);
  });

  test("after a missing scope, the next step names the scope", async () => {
    const { url, run, resource } = await protectedServer({}, ["files:read"]);
    expect((await run(["list", url])).stderr).toContain(`mcpgen login ${url}`);
    expect((await run(["list", url])).stderr).not.toContain("--scope");
    const challenge = (text: string): string => `${text}, error="insufficient_scope"`;
    resource.options = { ...resource.options, scopes: ["files:write", "admin"], challenge };
    const { code, stderr } = await run(["list", url]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("MG4106")]);
    expect(stderr).toContain(`mcpgen login ${url} --scope files:write --scope admin`);
  });

  test("check --server ends with 4", async () => {
    const { url, run, folder } = await protectedServer();
    writeFileSync(join(folder, "mcp.contract.yaml"), 'name: weather\nversion: "1"\n');
    const { code, stderr } = await run(["check", "--server", url, "--contract", "mcp.contract.yaml"]);
    expect(code).toBe(4);
    expect(stderr).toContain("MG4106");
  });

  test("the error names issuer, resource and scopes as JSON", async () => {
    const { as, url, run } = await protectedServer({}, ["files:read"]);
    const { code, stdout } = await run(["call", url, "echo", "--json"]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      exit: 4,
      error: {
        code: "MG4106",
        authorization: { issuer: as.issuer, resource: url, scopes: ["files:read"] },
      },
    });
  });

  test("auth status shows no login, and logout does nothing", async () => {
    const { url, run } = await protectedServer();
    expect(await run(["auth", "status", url])).toMatchObject({ code: 1 });
    const all = await run(["auth", "status", "--json"]);
    expect(JSON.parse(all.stdout)).toMatchObject({ exit: 0, logins: [] });
  });

  test("an issuer that cannot be reached is named, beside the server and its answer", async () => {
    const [port] = await freePorts(1);
    const issuer = `http://127.0.0.1:${port}`;
    const { url, run } = await protectedServer({}, [], { metadata: { authorization_servers: [issuer] } });
    const { code, stderr } = await run(["list", url]);
    expect(code).toBe(4);
    expect(stderr).toContain(
      `${url}: error MG4107: the server answered 401 and asks for a login: the metadata of the issuer "${issuer}" cannot be read: 127.0.0.1:`,
    );
  });

  test("the refusal of a server without OAuth is shown unchanged", async () => {
    const node = createServer((_, response) => void response.writeHead(401).end("who are you?"));
    const port = await listen(node);
    onTestFinished(() => void node.close());
    const { run } = await protectedServer();
    const { code, stderr } = await run(["list", `http://127.0.0.1:${port}/mcp`]);
    expect(code).toBe(4);
    expect(stderr).toContain("MG4106");
    expect(stderr).toContain("who are you?");
  });
});

describe("exceptions for one issuer", () => {
  test.each([
    [{ MCPGEN_PKCE: "assumed" }, "MCPGEN_PKCE is set, and MCPGEN_ISSUER is not"],
    [{ MCPGEN_PKCE: "1", MCPGEN_ISSUER: "https://a.example" }, "MCPGEN_PKCE has another value than assumed"],
    [{ MCPGEN_METADATA_ISSUER: "https://a.example/" }, "METADATA_ISSUER is set, and MCPGEN_ISSUER is not"],
    [
      { MCPGEN_METADATA_ISSUER: "https://a.example/?x", MCPGEN_ISSUER: "https://a.example" },
      "is not an issuer",
    ],
    [
      { MCPGEN_METADATA_ISSUER: "", MCPGEN_ISSUER: "https://a.example" },
      "MCPGEN_METADATA_ISSUER is set, and empty",
    ],
    [{ MCPGEN_RESOURCE: "no", MCPGEN_ISSUER: "https://a.example" }, "another value than omit"],
  ])("%j is refused", async (env, text) => {
    const { url, run } = await protectedServer();
    const given = Object.fromEntries(Object.entries(env)) as Record<string, string>;
    const { code, stderr } = await run(["call", url, "echo"], given);
    expect([code, stderr.includes(text)], stderr).toEqual([2, true]);
  });

  test("resource is omitted only at that issuer", async () => {
    const site = await protectedServer({ clients: [client], resourceRequired: false });
    const given = {
      MCPGEN_CLIENT_ID: client.id,
      MCPGEN_CLIENT_SECRET: client.secret,
      MCPGEN_RESOURCE: "omit",
    };
    await site.run(["call", site.url, "echo"], { ...given, MCPGEN_ISSUER: site.as.issuer });
    const asked = site.as.calls.filter(({ endpoint }) => endpoint === "token");
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.some(({ params }) => params.has("resource"))).toBe(false);
  });
});

describe("credentials of the environment", () => {
  const variablesFor = ({ issuer }: { readonly issuer: string }) => ({
    MCPGEN_ISSUER: issuer,
    MCPGEN_CLIENT_ID: client.id,
    MCPGEN_CLIENT_SECRET: client.secret,
  });

  test("a host reaches the server with a token that it does not have", async () => {
    const { as, url, run, folder } = await protectedServer({ clients: [client] }, ["files:read"]);
    const bin = join(folder, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    const kept = `cp .codex/config.toml '${bin}/config.toml'`;
    const program = `#!/bin/sh\n${kept}\nexec '${process.execPath}' '${host}'\n`;
    writeFileSync(join(bin, "codex"), program, { mode: 0o755 });
    writeFileSync(join(folder, "calls.json"), '[{ "tool": "echo" }]');
    const words = ["host", "test", url, "--host", "codex", "--script", "calls.json", "--json"];
    const { code, stdout } = await run(words, variablesFor(as));
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("echoed");
    // It is among the files that must have no token.
    expect(readFileSync(join(bin, "config.toml"), "utf8")).toContain("http_headers = {  }");
  });

  test("a client with a secret gets a token, with which the call runs", async () => {
    const { as, url, run } = await protectedServer({ clients: [client] }, ["files:read"]);
    const { code, stdout } = await run(["call", url, "echo"], variablesFor(as));
    expect([code, stdout]).toEqual([0, "echoed\n"]);
    expect(as.count("token client_credentials")).toBe(1);
  });

  test("a capture holds no credentials", async () => {
    const { as, url, run, folder } = await protectedServer({ clients: [client] });
    expect((await run(["capture", url], variablesFor(as))).code).toBe(0);
    const contract = readFileSync(join(folder, "mcp.contract.yaml"), "utf8");
    for (const secret of as.secrets) expect(contract).not.toContain(secret);
  });

  test.each(["pem", "jwk"])("a client with a private key (%s)", async (form) => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: "ES256" }] };
    const known = { id: "ci", method: "private_key_jwt" as const, jwks };
    const { as, url, run, folder } = await protectedServer({ clients: [known] });
    const text =
      form === "pem"
        ? privateKey.export({ type: "pkcs8", format: "pem" }).toString()
        : JSON.stringify(await exportJWK(privateKey));
    writeFileSync(join(folder, "key"), text);
    const { code, stderr } = await run(["call", url, "echo"], {
      MCPGEN_ISSUER: as.issuer,
      MCPGEN_CLIENT_ID: "ci",
      MCPGEN_CLIENT_KEY_FILE: "key",
    });
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("an assertion in a file is read for each token", async () => {
    const platform = await authorizationServer();
    const { as, url, run, folder } = await protectedServer({
      trusted: [{ issuer: platform.issuer, jwks: () => platform.state.keys.jwks(), kind: "workload" }],
    });
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: platform.issuer, sub: "job", aud: as.issuer, iat: now, exp: now + 60 };
    writeFileSync(join(folder, "assertion"), `${await platform.sign(claims)}\n`);
    const { code, stderr } = await run(["call", url, "echo"], {
      MCPGEN_ASSERTION_FILE: "assertion",
      MCPGEN_ISSUER: as.issuer,
    });
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("the identity of a GitHub Actions job, for the named issuer", async () => {
    const platform = await authorizationServer();
    const { as, url, run } = await protectedServer({
      trusted: [{ issuer: platform.issuer, jwks: () => platform.state.keys.jwks(), kind: "workload" }],
    });
    const asked: unknown[] = [];
    const github = createServer((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: platform.issuer, sub: "job", aud: as.issuer, iat: now, exp: now + 60 };
      void platform.sign(claims).then((value) => response.end(JSON.stringify({ value })));
    });
    const port = await listen(github);
    onTestFinished(() => void github.close());
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/id?api=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
    };
    expect((await run(["call", url, "echo"], env)).code).toBe(4);
    const { code, stderr } = await run(["call", url, "echo"], { ...env, MCPGEN_ISSUER: as.issuer });
    expect([code, stderr]).toEqual([0, ""]);
    expect(asked).toEqual([[`/id?api=1&audience=${encodeURIComponent(as.issuer)}`, "Bearer request-token"]]);
  });

  test("precedence: header, token, then the client", async () => {
    const { as, url, run, resource } = await protectedServer({ clients: [client] });
    const token = await as.mint({ resource: url });
    const other = await as.mint({ resource: url });
    const env = { ...variablesFor(as), MCPGEN_TOKEN: token };
    expect((await run(["call", url, "echo"], env)).code).toBe(0);
    expect(new Set(resource.tokens)).toEqual(new Set([`Bearer ${token}`]));
    resource.tokens.length = 0;
    const header = ["--header", `authorization: Bearer ${other}`];
    expect((await run(["call", url, "echo", ...header], env)).code).toBe(0);
    expect(new Set(resource.tokens)).toEqual(new Set([`Bearer ${other}`]));
    expect(as.count("token")).toBe(0);
  });

  test("a refused token is final, and is not shown", async () => {
    const { url, run, as } = await protectedServer({ clients: [client] });
    const env = { ...variablesFor(as), MCPGEN_TOKEN: "not-a-token-of-this-server" };
    const { code, stderr, stdout } = await run(["call", url, "echo"], env);
    expect(code).toBe(4);
    expect(stderr).toContain("MG4107: the server refused MCPGEN_TOKEN (401)");
    expect(stderr + stdout).not.toContain("not-a-token");
    expect(as.count("token")).toBe(0);
  });

  test("an error of the authorization server is shown without the server's text", async () => {
    const { as, url, run } = await protectedServer({
      clients: [client],
      fault: (call, answer) =>
        call.endpoint === "token"
          ? { status: 400, body: { error: "invalid_scope", error_description: "EVIL" } }
          : answer,
    });
    const { code, stderr } = await run(["call", url, "echo"], variablesFor(as));
    expect(code).toBe(4);
    expect(stderr).toContain("MG4107");
    expect(stderr).not.toContain("EVIL");
  });

  test.each([
    [{ MCPGEN_CLIENT_SECRET: "s3cret" }, "MCPGEN_CLIENT_SECRET is set, and MCPGEN_CLIENT_ID is not"],
    [{ MCPGEN_CLIENT_ID: "a", MCPGEN_CLIENT_SECRET: "s3cret", MCPGEN_CLIENT_KEY_FILE: "k" }, "are both set"],
    [
      { ...bound, MCPGEN_CLIENT_ID: "a", MCPGEN_CLIENT_KEY_FILE: "missing" },
      "cannot be read: there is no such file",
    ],
    [{ ...bound, MCPGEN_CLIENT_ID: "a", MCPGEN_CLIENT_KEY_FILE: "/" }, "got a folder"],
    [{ ...bound, MCPGEN_CLIENT_ID: "a", MCPGEN_CLIENT_KEY_FILE: "/dev/zero" }, "got a device"],
    [{ MCPGEN_TOKEN: "s3cret\n" }, "MCPGEN_TOKEN holds characters that no token has"],
    [{ MCPGEN_CLIENT_ID: "a", MCPGEN_CLIENT_SECRET: "s3cret" }, "and MCPGEN_ISSUER is not"],
    [{ MCPGEN_CLIENT_ID: "a", MCPGEN_CLIENT_KEY_FILE: "k" }, "and MCPGEN_ISSUER is not"],
    [{ MCPGEN_ASSERTION_FILE: "k" }, "and MCPGEN_ISSUER is not"],
    [{ MCPGEN_TOKEN: "" }, "MCPGEN_TOKEN is set, and empty"],
    [
      { MCPGEN_CLIENT_ID: "a", MCPGEN_CLIENT_SECRET: " ", ...bound },
      "MCPGEN_CLIENT_SECRET is set, and empty",
    ],
    [
      { MCPGEN_CLIENT_SECRET: "s3cret", MCPGEN_CLIENT_ID: "", ...bound },
      "MCPGEN_CLIENT_ID is set, and empty",
    ],
    [{ MCPGEN_ASSERTION_FILE: "", ...bound }, "MCPGEN_ASSERTION_FILE is set, and empty"],
    [{ MCPGEN_ISSUER: "" }, "MCPGEN_ISSUER is set, and empty"],
    [{ MCPGEN_ISSUER: "s3cret" }, "MCPGEN_ISSUER is not an issuer"],
    [{ MCPGEN_ISSUER: "http://as.example" }, "MCPGEN_ISSUER is not an issuer"],
    [{ MCPGEN_ISSUER: "https://a:s3cret@as.example" }, "MCPGEN_ISSUER is not an issuer"],
    [{ MCPGEN_SERVER: "weather" }, "MCPGEN_SERVER is not the https URL of a server"],
    [{ MCPGEN_SERVER: "" }, "MCPGEN_SERVER is set, and empty"],
    [{ MCPGEN_PRIVATE_NETWORK: "0" }, "MCPGEN_PRIVATE_NETWORK has another value than 1"],
    [{ MCPGEN_SCOPES: '"a b"', MCPGEN_TOKEN: "x" }, "MCPGEN_SCOPES holds characters that no scope has"],
    [
      {
        ...bound,
        ACTIONS_ID_TOKEN_REQUEST_URL: "http://a.example",
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: "s3cret",
      },
      "not a URL",
    ],
    [{ ...bound, ACTIONS_ID_TOKEN_REQUEST_URL: "https://a.example" }, "not a URL with https and a token"],
  ])("incompatible variables are refused: %j", async (env, text) => {
    const { url, run } = await protectedServer();
    const { code, stderr } = await run(["call", url, "echo"], env as Record<string, string>);
    expect(code).toBe(2);
    expect(stderr).toContain("MG2017");
    expect(stderr).toContain(text);
    expect(stderr).not.toContain("s3cret");
  });

  test.each([
    ["missing", () => {}, "cannot be read: there is no such file"],
    [
      "a pipe",
      (file: string) => void execFileSync("mkfifo", [file]),
      "cannot be read: expected a file, got a pipe",
    ],
    ["empty", (file: string) => writeFileSync(file, "\n"), "is empty"],
    [
      "too long",
      (file: string) => writeFileSync(file, "x".repeat(2 ** 20 + 1)),
      "cannot be read: expected at most 1 MiB",
    ],
  ])("a file with an assertion that is %s: an error, without waiting", async (_, make, text) => {
    const { as, url, run, folder } = await protectedServer();
    make(join(folder, "assertion"));
    const env = { MCPGEN_ASSERTION_FILE: "assertion", MCPGEN_ISSUER: as.issuer };
    const { code, stderr } = await run(["call", url, "echo"], env);
    expect([code, stderr.includes(`the file of MCPGEN_ASSERTION_FILE ${text}`)], stderr).toEqual([2, true]);
    expect(as.count("token")).toBe(0);
  });

  test("a token is not sent over http to another machine", async () => {
    const { run } = await protectedServer();
    const { code, stderr } = await run(["list", "http://192.0.2.1/mcp"], { MCPGEN_TOKEN: "s3cret" });
    expect([code, stderr.includes("MCPGEN_TOKEN is not sent over http")]).toEqual([2, true]);
  });

  test.each(["authorization: Bearer s3cret", "x-api-key: s3cret"])(
    "the header %s is not sent over http to another machine",
    async (header) => {
      const { run } = await protectedServer();
      const { code, stderr } = await run(["list", "http://192.0.2.1/mcp", "--header", header]);
      expect([code, stderr.includes("is not sent over http")], stderr).toEqual([2, true]);
      expect(stderr).not.toContain("s3cret");
    },
  );

  test("a header is for one server", async () => {
    const [one, two] = [await protectedServer(), await protectedServer()];
    const { code, stderr } = await one.run(["diff", one.url, two.url, "--header", "x-api-key: s3cret"]);
    expect([code, stderr.includes("MG2005")], stderr).toEqual([2, true]);
    expect([...one.resource.log, ...two.resource.log]).toEqual([]);
  });
});

describe("MCPGEN_TOKEN goes to one server", () => {
  /** Two servers, of which the second is in the file of a host. */
  async function two() {
    const [one, other] = [await protectedServer(), await protectedServer()];
    const token = await one.as.mint({ resource: one.url });
    writeFileSync(
      join(one.folder, ".mcp.json"),
      JSON.stringify({ mcpServers: { other: { url: other.url } } }),
    );
    return { one, other, token };
  }

  test("not to a server that a configuration names; the error states what to set", async () => {
    const { one, other, token } = await two();
    const { code, stderr } = await one.run(["call", "other", "echo"], { MCPGEN_TOKEN: token });
    expect([code, stderr.includes("Set MCPGEN_SERVER")], stderr).toEqual([2, true]);
    expect(other.resource.tokens).toEqual([]);
  });

  test("to that server, if MCPGEN_SERVER names it", async () => {
    const { one, other } = await two();
    const token = await other.as.mint({ resource: other.url });
    const env = { MCPGEN_TOKEN: token, MCPGEN_SERVER: other.url };
    expect((await one.run(["call", "other", "echo"], env)).code).toBe(0);
    expect(new Set(other.resource.tokens)).toEqual(new Set([`Bearer ${token}`]));
    expect((await one.run(["call", one.url, "echo"], env)).code).toBe(4);
    expect(one.resource.tokens).toEqual([]);
  });

  test("to neither of two typed servers, unless MCPGEN_SERVER names one of them", async () => {
    const { one, other, token } = await two();
    const words = ["diff", one.url, other.url];
    expect((await one.run(words, { MCPGEN_TOKEN: token })).code).toBe(2);
    expect([...one.resource.tokens, ...other.resource.tokens]).toEqual([]);
    await one.run(words, { MCPGEN_TOKEN: token, MCPGEN_SERVER: one.url });
    expect(other.resource.tokens).toEqual([]);
    expect(new Set(one.resource.tokens)).toEqual(new Set([`Bearer ${token}`]));
  });

  test("a token that its issuer does not bind to a resource also goes to one server", async () => {
    const site = await protectedServer({ clients: [client], resourceRequired: false });
    writeFileSync(join(site.folder, ".mcp.json"), JSON.stringify({ mcpServers: { it: { url: site.url } } }));
    const env = {
      MCPGEN_ISSUER: site.as.issuer,
      MCPGEN_CLIENT_ID: client.id,
      MCPGEN_CLIENT_SECRET: client.secret,
      MCPGEN_RESOURCE: "omit",
    };
    const { code, stderr } = await site.run(["call", "it", "echo"], env);
    expect([code, stderr.includes("Set MCPGEN_SERVER")], stderr).toEqual([2, true]);
    expect(site.as.count("token")).toBe(0);
  });
});
