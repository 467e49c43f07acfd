import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { expectNoSecret, protectedServer } from "./protected-server.js";
import { atTerminal, browse, paste } from "./terminal-login.js";

const login = ["--token-store", "file", "--no-browser"];

test("login keeps tokens; later commands use them, and logout revokes them", async () => {
  const site = await protectedServer({ scopes: ["files:read", "offline_access"] }, ["files:read"]);
  const { as, url, run, folder } = site;
  const first = await atTerminal(site, ["login", url, ...login]);
  expect([first.code, first.logins]).toEqual([0, 1]);
  expect(first.stderr).toContain(`${url} asks for a login`);
  expect(first.stderr).toContain(`login at: ${new URL(as.issuer).host}`);
  expect(first.stderr).toContain("scopes:   files:read");
  expect(first.stdout).toContain(`issuer:  ${as.issuer}`);

  expect(await run(["call", url, "echo"])).toMatchObject({ code: 0, stdout: "echoed\n", stderr: "" });
  const status = await run(["auth", "status", url]);
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/expires in 60 min/);
  const document = JSON.parse((await run(["auth", "status", "--json"])).stdout) as { logins: object[] };
  expect(document.logins).toMatchObject([
    { server: url, issuer: as.issuer, store: "file", refreshable: true },
  ]);

  const again = await atTerminal(site, ["login", url, ...login]);
  expect([again.code, again.logins]).toEqual([0, 0]);

  const out = await run(["logout", url]);
  expect(out.stdout).toContain("the authorization server revoked the tokens");
  expect(as.count("revoke")).toBe(2);
  expect((await run(["call", url, "echo"])).code).toBe(4);
  expect(await run(["logout", url])).toMatchObject({ code: 0 });
  const held = readdirSync(join(folder, "home/.local/state/mcpgen"), {
    recursive: true,
    withFileTypes: true,
  });
  for (const entry of held.filter((each) => each.isFile()))
    expect(statSync(join(entry.parentPath, entry.name)).mode & 0o077).toBe(0);
});

test.each([
  ["call", 0, (url: string) => ["call", url, "echo"]],
  ["capture", 0, (url: string) => ["capture", url, "--out", "-"]],
  ["lint", 0, (url: string) => ["lint", url]],
  ["diff", 0, (url: string) => ["diff", url, url]],
])("%s logs in at a terminal, once, and continues", async (_, exit, words) => {
  const site = await protectedServer();
  const { code, logins } = await atTerminal(site, [...words(site.url), ...login]);
  expect([code, logins]).toEqual([exit, 1]);
  expect(site.as.count("token authorization_code")).toBe(1);
});

test("check --server logs in, and writes no secret into a lock or report", async () => {
  const site = await protectedServer();
  const { folder, url, as } = site;
  expect((await atTerminal(site, ["capture", url, ...login])).code).toBe(0);
  expectNoSecret(as, readFileSync(join(folder, "mcp.contract.yaml"), "utf8"));
  expect((await site.run(["check", "--server", url, "--contract", "mcp.contract.yaml"])).code).toBe(0);
});

test("an authorization server that does not list PKCE needs an exception for it", async () => {
  const site = await protectedServer({ metadata: { code_challenge_methods_supported: undefined } });
  const refused = await atTerminal(site, ["login", site.url, ...login]);
  expect([refused.code, refused.logins]).toEqual([4, 0]);
  expect(refused.stderr).toContain("MCPGEN_PKCE=assumed");
  const env = { MCPGEN_ISSUER: site.as.issuer, MCPGEN_PKCE: "assumed" };
  const { code, logins } = await atTerminal(site, ["login", site.url, ...login], browse, env);
  expect([code, logins]).toEqual([0, 1]);
  const other = await protectedServer({ metadata: { code_challenge_methods_supported: undefined } });
  const elsewhere = { ...env, MCPGEN_ISSUER: "https://a.example" };
  expect((await atTerminal(other, ["login", other.url, ...login], browse, elsewhere)).code).toBe(4);
});

test("an authorization server with another name in its metadata needs an exception with both names", async () => {
  const site = await protectedServer({
    fault: ({ endpoint, url }, honest) =>
      endpoint === "metadata"
        ? { ...honest, body: { ...(honest.body as object), issuer: `${url.origin}/` } }
        : honest,
  });
  const { issuer } = site.as;
  const refused = await atTerminal(site, ["login", site.url, ...login]);
  expect([refused.code, refused.logins]).toEqual([4, 0]);
  for (const text of [`"${issuer}"`, `"${issuer}/"`, "MCPGEN_METADATA_ISSUER"])
    expect(refused.stderr).toContain(text);
  const env = { MCPGEN_ISSUER: issuer, MCPGEN_METADATA_ISSUER: `${issuer}/` };
  const { code, logins } = await atTerminal(site, ["login", site.url, ...login], browse, env);
  expect([code, logins]).toEqual([0, 1]);
  site.as.expireAccessTokens();
  const called = await site.run(["call", site.url, "echo"], env);
  expect([called.code, site.as.count("token refresh_token")], called.stderr).toEqual([0, 1]);
});

test("the address may be pasted", async () => {
  const site = await protectedServer();
  const { code, logins } = await atTerminal(site, ["login", site.url, ...login], paste);
  expect([code, logins]).toEqual([0, 1]);
});

test("--device logs in with a code, if the authorization server offers that", async () => {
  const site = await protectedServer({ pollSeconds: 0.05 });
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = "";
  const stderr = {
    write: (text: string) => {
      shown += text;
      const code = /enter the code (\S+)/.exec(text)?.[1];
      if (code !== undefined) site.as.decideDevice(code);
    },
  };
  const words = ["call", site.url, "echo", "--device", "--token-store", "file"];
  const { code, stdout } = await site.run(words, {}, { terminal: { input, output }, stderr });
  expect([code, stdout]).toEqual([0, "echoed\n"]);
  expect(shown).toContain(`login at: ${new URL(site.as.issuer).host}`);
  expectNoSecret(site.as, shown);
  expect([site.as.count("authorize"), site.as.count("token")]).toEqual([0, 1]);
  const other = await protectedServer({ metadata: { device_authorization_endpoint: undefined } });
  const { logins } = await atTerminal(other, ["login", other.url, "--device", ...login]);
  expect(logins).toBe(1);
});

test("a call that needs more scopes asks once more", async () => {
  const site = await protectedServer({}, ["files:read"]);
  expect((await atTerminal(site, ["login", site.url, ...login])).code).toBe(0);
  site.resource.options = { ...site.resource.options, scopes: ["files:read", "files:write"] };
  const unattended = await site.run(["call", site.url, "echo"]);
  expect([unattended.code, unattended.stderr.includes("files:write")]).toEqual([4, true]);
  const { code, stdout, logins } = await atTerminal(site, ["call", site.url, "echo", "--no-browser"]);
  expect([code, stdout, logins]).toEqual([0, "echoed\n", 1]);
});

test("attack 4: a server that names another authorization server leads to a login that shows its host", async () => {
  const site = await protectedServer();
  const other = await authorizationServer();
  expect((await atTerminal(site, ["login", site.url, ...login])).code).toBe(0);
  site.as.expireAccessTokens();
  site.resource.options = { ...site.resource.options, servers: [other] };
  const { code, logins, stderr } = await atTerminal({ ...site, as: other }, [
    "call",
    site.url,
    "echo",
    ...login,
  ]);
  expect([code, logins]).toEqual([0, 1]);
  expect(stderr).toContain(`login at: ${new URL(other.issuer).host}`);
  const got = other.calls.map(({ url, body, headers }) => [url.href, body, ...headers.values()].join());
  for (const secret of site.as.secrets) expect(got.some((text) => text.includes(secret))).toBe(false);
});

test("a user who refuses ends the command with 4", async () => {
  const site = await protectedServer({ decide: () => ({ error: "access_denied" }) });
  const { code, stderr, logins } = await atTerminal(site, ["call", site.url, "echo", ...login]);
  expect([code, logins]).toEqual([4, 1]);
  expect(stderr).toContain("MG4107");
  expect(stderr).toContain("access_denied");
});

test.each([
  ["CI", {}, { CI: "1" }],
  ["--json", ["--json"], {}],
  ["--quiet", ["--quiet"], {}],
])("with %s, no question is asked at a terminal", async (_, words, env) => {
  const site = await protectedServer();
  const args = ["call", site.url, "echo", ...(Array.isArray(words) ? words : [])];
  const { code, logins } = await atTerminal(site, args, browse, env as Record<string, string>);
  expect([code, logins]).toEqual([4, 0]);
});

test("--token-store memory keeps nothing", async () => {
  const site = await protectedServer();
  const words = ["call", site.url, "echo", "--token-store", "memory", "--no-browser"];
  expect((await atTerminal(site, words)).code).toBe(0);
  expect((await site.run(["call", site.url, "echo"])).code).toBe(4);
});

test("tokens that others can read are refused", async () => {
  const site = await protectedServer();
  const folder = join(site.folder, "home/.local/state/mcpgen");
  expect((await atTerminal(site, ["login", site.url, ...login])).code).toBe(0);
  const { chmodSync } = await import("node:fs");
  for (const name of readdirSync(join(folder, "tokens"))) chmodSync(join(folder, "tokens", name), 0o644);
  const { code, stderr } = await site.run(["call", site.url, "echo"]);
  expect(code).toBe(4);
  expect(stderr).toContain("MG4107");
});

test("files of the index that cannot be read count as absent", async () => {
  const site = await protectedServer();
  expect((await atTerminal(site, ["login", site.url, ...login])).code).toBe(0);
  const logins = join(site.folder, "home/.local/state/mcpgen/logins");
  for (const [name, text] of Object.entries({ a: "{", b: "{}", c: '{"server":1,"store":"file"}' }))
    writeFileSync(join(logins, `${name}.json`), text);
  const { code, stdout } = await site.run(["auth", "status", "--json"]);
  expect([code, (JSON.parse(stdout) as { logins: object[] }).logins]).toEqual([
    0,
    [expect.objectContaining({ server: site.url })],
  ]);
});

test("logins to several servers at the same time are all remembered", async () => {
  const site = await protectedServer();
  const others = [await protectedServer(), await protectedServer()];
  const env = { HOME: join(site.folder, "home") };
  const all = [site, ...others];
  const ran = await Promise.all(
    all.map((each) => atTerminal(each, ["login", each.url, ...login], browse, env)),
  );
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
  const { stdout } = await site.run(["auth", "status", "--json"]);
  const { logins } = JSON.parse(stdout) as { logins: { server: string }[] };
  expect(logins.map(({ server }) => server).sort()).toEqual(all.map(({ url }) => url).sort());
});

test("without a keychain, a message is printed once at the login, and the login stays in its file", async () => {
  const site = await protectedServer();
  const auto = ["login", site.url, "--no-browser"];
  const first = await atTerminal(site, auto, browse, { DBUS_SESSION_BUS_ADDRESS: "" });
  expect([first.code, first.stderr.includes("there is no keychain")]).toEqual([0, true]);
  expect(first.stdout).toContain("kept in: file");
  expect(await site.run(["call", site.url, "echo"])).toMatchObject({ code: 0, stderr: "" });
  expect(await site.run(["auth", "status", site.url])).toMatchObject({ code: 0, stderr: "" });
});

test("an unwritable home folder is reported, and credentials of the environment work", async () => {
  const site = await protectedServer({ clients: [{ id: "ci", secret: "the-secret-of-ci" }] });
  writeFileSync(join(site.folder, "file"), "");
  const env = { HOME: join(site.folder, "file") };
  const { code, stderr } = await atTerminal(site, ["login", site.url, ...login], browse, env);
  expect(code).toBe(4);
  expect(stderr).toMatch(/MG4107.*cannot be used \(ENOTDIR\)/);
  expect(stderr).toContain("--token-store");
  const client = { MCPGEN_CLIENT_ID: "ci", MCPGEN_CLIENT_SECRET: "the-secret-of-ci" };
  const credentials = { ...env, ...client, MCPGEN_ISSUER: site.as.issuer };
  expect(await site.run(["call", site.url, "echo"], credentials)).toMatchObject({
    code: 0,
    stdout: "echoed\n",
  });
  expect(
    (
      await atTerminal(
        site,
        ["call", site.url, "echo", "--token-store", "memory", "--no-browser"],
        browse,
        env,
      )
    ).code,
  ).toBe(0);
});

test("login to a server that does not require it", async () => {
  const { createServer } = await import("node:http");
  const { listen } = await import("../../support/listen.js");
  const node = createServer((_, response) => void response.writeHead(404).end());
  const port = await listen(node);
  onTestFinished(() => void node.close());
  const site = await protectedServer();
  const { code, stdout } = await atTerminal(site, ["login", `http://127.0.0.1:${port}/mcp`, ...login]);
  expect([code, stdout.includes("asks for no login")]).toEqual([0, true]);
});

test.each([
  ["login", "stdio:node server.js", "has no login"],
  ["login", "http://me:pw@127.0.0.1:9/mcp", "no login is needed"],
  ["logout", "nowhere", "MG2014"],
])("%s %s is refused", async (command, source, text) => {
  const site = await protectedServer();
  const { code, stderr } = await site.run([command, source]);
  expect([code, stderr.includes(text)]).toEqual([2, true]);
});
