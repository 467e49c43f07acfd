import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtCli } from "../../support/built-program.js";
import { cert } from "../../support/certificate.js";
import { connectProxy, loginOfProxy } from "../../support/connect-proxy.js";
import { besidePseudoTerminal, terminalTest } from "../../support/pseudo-terminal.js";
import { type Protected, expectNoSecret, protectedServer } from "./protected-server.js";

const cli = builtCli();

/** Runs the program itself, without a terminal; it must not wait for input. */
async function mcpgen({ folder }: Protected, args: readonly string[], env: Record<string, string> = {}) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { ...(PATH && { PATH }), HOME: `${folder}/home`, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

test.each([{}, { CI: "true" }])("a process without a terminal does not ask questions: %j", async (env) => {
  const site = await protectedServer({}, ["files:read"]);
  for (const words of [
    ["call", site.url, "echo"],
    ["login", site.url],
  ]) {
    const { code, stderr } = await mcpgen(site, words, env as Record<string, string>);
    expect(code).toBe(4);
    expect(stderr).toContain("MG4106");
    expect(stderr.trimEnd().split("\n")).toHaveLength(2);
  }
  expect(site.as.count("authorize")).toBe(0);
});

test("a process with credentials of the environment prints no secret, also with --verbose", async () => {
  const client = { id: "ci", secret: "the-secret-of-ci" };
  const site = await protectedServer({ clients: [client] });
  const known = { MCPGEN_CLIENT_ID: client.id, MCPGEN_CLIENT_SECRET: client.secret };
  const env = { CI: "1", MCPGEN_ISSUER: site.as.issuer, ...known };
  const { code, stdout, stderr } = await mcpgen(site, ["call", site.url, "echo", "--verbose"], env);
  expect([code, stdout]).toEqual([0, "echoed\n"]);
  expectNoSecret(site.as, stdout + stderr);
});

test.each([false, true])("a process behind a proxy, which is reached by https: %s", async (isSecure) => {
  const client = { id: "ci", secret: "the-secret-of-ci" };
  const [server, issuer] = ["https://mcp.proxied.example", "https://as.proxied.example"];
  const site = await protectedServer({ host: issuer, clients: [client] }, [], { host: server });
  const ports: Readonly<Record<string, number>> = {
    "mcp.proxied.example:443": site.resource.port,
    "as.proxied.example:443": site.as.port,
  };
  const proxy = await connectProxy((to) => ports[to], isSecure);
  writeFileSync(join(site.folder, "ca.pem"), cert);
  const env = {
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: join(site.folder, "ca.pem"),
    MCPGEN_ISSUER: issuer,
    MCPGEN_CLIENT_ID: client.id,
    MCPGEN_CLIENT_SECRET: client.secret,
  };
  expect(await mcpgen(site, ["call", site.url, "echo"], env)).toEqual({
    code: 0,
    stdout: "echoed\n",
    stderr: "",
  });
  expect(new Set(proxy.asked)).toEqual(new Set(Object.keys(ports)));
  expect(new Set(proxy.logins)).toEqual(new Set([loginOfProxy]));
  // The certificates of the proxy and of the server behind it are self-signed.
  const { code, stderr } = await mcpgen(site, ["list", site.url], { ...env, NODE_EXTRA_CA_CERTS: "" });
  expect([code, stderr.includes("self-signed certificate")], stderr).toEqual([4, true]);
  expect(stderr.includes(`the proxy ${proxy.host} cannot be used`)).toBe(isSecure);
});

terminalTest("Ctrl-C while a login waits ends it with 130, and frees its port and its lock", async () => {
  const site = await protectedServer();
  const command = [process.execPath, cli, "login", site.url, "--no-browser", "--token-store", "file"];
  const ports: (string | undefined)[] = [];
  // The second run waits as well: it got the port and the lock of the first.
  for (let run = 0; run < 2; run++) {
    const { code, shown, unasked } = await besidePseudoTerminal(
      command,
      site.folder,
      [["Waiting", "\u0003"]],
      { HOME: `${site.folder}/home` },
    );
    expect([code, unasked], shown).toEqual([130, 0]);
    ports.push(/redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A(\d+)/.exec(shown)?.[1]);
  }
  expect(ports[0]).toMatch(/^\d+$/);
  expect(ports[1]).toBe(ports[0]);
});
