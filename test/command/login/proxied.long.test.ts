// These servers can only be reached by a proxy: their names do not resolve here. Whole logins and calls go through
// tunnels of the proxy.
import http from "node:http";
import https from "node:https";
import type net from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { useProxies } from "../../../generator/files/proxies.js";
import { cert } from "../../support/certificate.js";
import {
  type ConnectProxy,
  connectProxy,
  loginOfProxy,
  proxyVariables,
} from "../../support/connect-proxy.js";
import { freePorts } from "../../support/free-ports.mjs";
import { listen, served } from "../../support/listen.js";
import { type Protected, protectedServer } from "./protected-server.js";
import { atTerminal } from "./terminal-login.js";

const agents = [http.globalAgent, https.globalAgent] as const;

beforeEach(() => proxyVariables.forEach((name) => vi.stubEnv(name, "")));
afterEach(() => {
  vi.unstubAllEnvs();
  for (const agent of [http.globalAgent, https.globalAgent]) agent.destroy();
  [http.globalAgent, https.globalAgent] = agents;
});

/** Sends the requests of this process through a proxy, and trusts the certificate of the tests. */
async function use(url: string): Promise<void> {
  vi.stubEnv("HTTPS_PROXY", url);
  vi.stubEnv("HTTP_PROXY", url);
  await useProxies();
  (https.globalAgent as unknown as { readonly options: { ca?: string } }).options.ca = cert;
}

const client = { id: "ci", secret: "the-secret-of-ci" };
const [server, issuer] = ["https://mcp.proxied.example", "https://as.proxied.example"];

/** A protected server and its authorization server, both behind a proxy. @param others ports of further hosts */
async function behindProxy(
  others: Readonly<Record<string, number>> = {},
): Promise<Protected & { readonly proxy: ConnectProxy }> {
  const options = {
    host: issuer,
    clients: [client],
    scopes: ["files:read", "offline_access"],
    pollSeconds: 0.05,
  };
  const site = await protectedServer(options, ["files:read"], { host: server });
  const ports: Readonly<Record<string, number>> = {
    "mcp.proxied.example:443": site.resource.port,
    "as.proxied.example:443": site.as.port,
    ...others,
  };
  const proxy = await connectProxy((to) => ports[to]);
  await use(proxy.url);
  return { ...site, proxy };
}

/** Expects that all requests went through the proxy, which saw its own login but no contents of the tunnels. */
function expectTunnels({ proxy, as, resource, printed }: Protected & { readonly proxy: ConnectProxy }): void {
  expect(new Set(proxy.asked)).toEqual(new Set(["mcp.proxied.example:443", "as.proxied.example:443"]));
  expect(new Set(proxy.logins)).toEqual(new Set([loginOfProxy]));
  expect([...proxy.headers].toSorted()).toEqual(["connection", "host", "proxy-authorization"]);
  expect(proxy.others).toEqual([]);
  for (const { headers } of as.calls) expect(headers.get("proxy-authorization")).toBeNull();
  expect(resource.tokens.every((token) => /^(Bearer|DPoP) /.test(token))).toBe(true);
  expect(printed.join("\n")).not.toMatch(/p@ss-of-proxy|p%40ss-of-proxy/);
}

const login = ["--token-store", "file", "--no-browser"];

test("login, call, refresh, list, check, and logout", async () => {
  const site = await behindProxy();
  const { as, url, run } = site;
  const first = await atTerminal(site, ["login", url, ...login]);
  expect([first.code, first.logins], first.stderr).toEqual([0, 1]);
  expect(await run(["call", url, "echo"])).toMatchObject({ code: 0, stdout: "echoed\n", stderr: "" });
  as.expireAccessTokens();
  expect(await run(["call", url, "echo"])).toMatchObject({ code: 0, stdout: "echoed\n", stderr: "" });
  expect([as.count("authorize"), as.count("token refresh_token")]).toEqual([1, 1]);
  const listed = await run(["list", url]);
  expect([listed.code, listed.stdout.includes("echo")], listed.stderr).toEqual([0, true]);
  const checked = await run(["check", "--server", url]);
  expect([checked.code, checked.stderr]).toEqual([0, ""]);
  expect(checked.stdout).toContain("clients can get a token");
  expect((await run(["logout", url])).stdout).toContain("the authorization server revoked the tokens");
  expect(as.count("revoke")).toBe(2);
  expectTunnels(site);
});

test("a login on another device", async () => {
  const site = await behindProxy();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stderr = {
    write: (text: string) => {
      const code = /enter the code (\S+)/.exec(text)?.[1];
      if (code !== undefined) site.as.decideDevice(code);
    },
  };
  const words = ["call", site.url, "echo", "--device", "--token-store", "file"];
  const { code, stdout } = await site.run(words, {}, { terminal: { input, output }, stderr });
  expect([code, stdout]).toEqual([0, "echoed\n"]);
  expectTunnels(site);
});

test("credentials of the environment", async () => {
  const site = await behindProxy();
  const env = { MCPGEN_ISSUER: issuer, MCPGEN_CLIENT_ID: client.id, MCPGEN_CLIENT_SECRET: client.secret };
  expect(await site.run(["call", site.url, "echo"], env)).toMatchObject({ code: 0, stdout: "echoed\n" });
  expectTunnels(site);
});

test("the identity of a GitHub Actions job: its token goes only to that host, whatever it redirects to", async () => {
  const asked: string[] = [];
  const github = await served("https://github.proxied.example", ({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization}`);
    response.writeHead(302, { location: "https://elsewhere.proxied.example/" }).end();
  });
  onTestFinished(github.close);
  const { run, url, proxy } = await behindProxy({ "github.proxied.example:443": github.port });
  const env = {
    MCPGEN_ISSUER: issuer,
    ACTIONS_ID_TOKEN_REQUEST_URL: "https://github.proxied.example/id",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
  };
  const { code, stderr } = await run(["call", url, "echo"], env);
  expect(code, stderr).toBe(4);
  expect([...new Set(asked)]).toEqual([`/id?audience=${encodeURIComponent(issuer)} Bearer request-token`]);
  expect(proxy.asked.filter((to) => to.startsWith("elsewhere"))).toEqual([]);
});

describe("a proxy that does not work: exit code 4, its host, and what to check", () => {
  /** A proxy that gives this answer to a request for a tunnel. */
  const answering = async (answer: string): Promise<number> => {
    const proxy = http.createServer();
    proxy.on("connect", (_, socket: net.Socket) => {
      socket.on("error", () => socket.destroy());
      socket.end(answer);
    });
    const port = await listen(proxy);
    onTestFinished(() => void proxy.close());
    return port;
  };

  const faults: Readonly<Record<string, readonly [make: () => Promise<number>, text: string]>> = {
    "asks for a login": [() => answering("HTTP/1.1 407 Authenticate\r\n\r\n"), "answered 407"],
    "reaches no server": [() => answering("HTTP/1.1 502 Bad Gateway\r\n\r\n"), "answered 502"],
    redirects: [() => answering("HTTP/1.1 302 Found\r\nlocation: http://a.example/\r\n\r\n"), "answered 302"],
    "speaks no HTTP": [() => answering("SSH-2.0-x\r\n\r\n"), "cannot be used"],
    "hangs up": [() => answering(""), "cannot be used"],
    "is not there": [async () => (await freePorts(1))[0]!, "cannot be used"],
  };

  const commands: Readonly<Record<string, readonly string[]>> = {
    list: ["list", `${server}/mcp`],
    call: ["call", `${server}/mcp`, "echo"],
    check: ["check", "--server", `${server}/mcp`],
    login: ["login", `${server}/mcp`],
    download: ["diff", "2025-11-25", "https://files.proxied.example/schema.json"],
  };

  test.each(Object.entries(faults))("it %s", async (_, [make, text]) => {
    const { run, folder } = await protectedServer();
    const port = await make();
    await use(`http://user:p%40ss-of-proxy@127.0.0.1:${port}`);
    for (const [name, words] of Object.entries(commands)) {
      const { code, stdout, stderr } = await run(words);
      expect([name, code], stdout + stderr).toEqual([name, 4]);
      expect(stderr).toContain(`the proxy 127.0.0.1:${port} ${text}`);
      expect(stderr).toContain("NO_PROXY");
      expect(stdout + stderr).not.toMatch(/p@ss-of-proxy|p%40ss-of-proxy/);
    }
    writeFileSync(join(folder, "mcp.contract.yaml"), 'name: n\nversion: "1"\n');
    const { code, stderr } = await run([...commands["check"]!, "--contract", "mcp.contract.yaml"]);
    expect([code, stderr.includes(text)], stderr).toEqual([4, true]);
  });

  test("it hides only the authorization server", async () => {
    const site = await protectedServer({ host: issuer, clients: [client] }, [], { host: server });
    const proxy = await connectProxy((to) => (to.startsWith("mcp.") ? site.resource.port : undefined));
    await use(proxy.url);
    const env = { MCPGEN_ISSUER: issuer, MCPGEN_CLIENT_ID: client.id, MCPGEN_CLIENT_SECRET: client.secret };
    const { code, stderr } = await site.run(["call", site.url, "echo"], env);
    expect([code, stderr.includes("as.proxied.example: no connection: the proxy")], stderr).toEqual([
      4,
      true,
    ]);
    expect(stderr).toContain("answered 502");
    expect(stderr).toContain("NO_PROXY");
  });

  test("a variable that is not a URL ends each command with 2, and no password is shown", async () => {
    const { run } = await protectedServer();
    vi.stubEnv("HTTPS_PROXY", "socks5://user:p%40ss-of-proxy@127.0.0.1:1");
    for (const words of Object.values(commands)) {
      const { code, stdout, stderr } = await run(words);
      expect([words[0], code, stderr.includes("MG2019")], stderr).toEqual([words[0], 2, true]);
      expect(stdout + stderr).not.toContain("p%40ss");
    }
  });
});

test("a server on this machine is reached without a remote proxy, so its token stays here", async () => {
  const site = await protectedServer({ clients: [client] });
  const proxy = await connectProxy(() => site.resource.port);
  await use(proxy.url.replace(/127\.0\.0\.1/, "proxy.invalid"));
  const env = {
    MCPGEN_ISSUER: site.as.issuer,
    MCPGEN_CLIENT_ID: client.id,
    MCPGEN_CLIENT_SECRET: client.secret,
  };
  expect(await site.run(["call", site.url, "echo"], env)).toMatchObject({ code: 0, stdout: "echoed\n" });
  expect(proxy.asked).toEqual([]);
});

test.each(["*", "127.0.0.1", "127.0.0.0/8", "127.0.0.1:PORT"])(
  "with a local proxy, NO_PROXY=%s decides for servers on this machine",
  async (exceptions) => {
    const site = await protectedServer({ clients: [client] });
    const ports = new Set([site.resource.port, site.as.port]);
    const proxy = await connectProxy((to) => {
      const port = Number(to.split(":")[1]);
      return ports.has(port) ? port : undefined;
    });
    await use(proxy.url);
    const env = {
      MCPGEN_ISSUER: site.as.issuer,
      MCPGEN_CLIENT_ID: client.id,
      MCPGEN_CLIENT_SECRET: client.secret,
    };
    expect((await site.run(["call", site.url, "echo"], env)).code).toBe(0);
    expect(proxy.asked.length).toBeGreaterThan(0);
    for (const agent of [http.globalAgent, https.globalAgent]) agent.destroy();
    proxy.asked.length = 0;
    vi.stubEnv("NO_PROXY", [...ports].map((port) => exceptions.replace("PORT", String(port))).join(","));
    expect((await site.run(["call", site.url, "echo"], env)).code).toBe(0);
    expect(proxy.asked).toEqual([]);
  },
);
