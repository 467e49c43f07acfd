// Third-party clients log in to our server behind resourceServer() and oauthProxy(). Each is a process; if it prints
// the URL of the login, a user agent without scripts opens it. test/interop/proxied.test.mjs tests the clients of the
// official SDK.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { runtimes } from "../../portability/runtimes.mjs";
import { ourProxy } from "./counterparts.mjs";
import { freePorts } from "../../support/free-ports.mjs";
import { UserAgent } from "./user-agent.mjs";
import { compareTable, withVersion } from "./works-with.mjs";

const [node] = runtimes["Node 24"];
const installed = (path) => fileURLToPath(new URL(path, import.meta.url));
const inspector = installed(
  "../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const mcporter = installed("node_modules/mcporter/dist/cli.js");
const mcpRemote = installed("node_modules/mcp-remote/dist/proxy.js");

let server;
before(async () => {
  server = await ourProxy();
});
after(() => server.close());

/** A user with a home folder, whose browser follows the URLs of logins that programs print. */
class User {
  agent = new UserAgent();
  logins = 0;
  #visits = [];
  home = mkdtempSync(join(tmpdir(), "mcpgen-clients-"));

  get env() {
    const { CI: _, DISPLAY: __, ...env } = process.env;
    const { home } = this;
    const xdg = Object.fromEntries(
      ["CONFIG", "STATE", "DATA", "CACHE"].map((name) => [`XDG_${name}_HOME`, join(home, name)]),
    );
    return {
      ...{ ...env, ...xdg, HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, "mcp-remote") },
      // A program that opens nothing.
      BROWSER: "true",
      ...{ MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file" },
    };
  }

  /** Returns a function that reads what a program prints. */
  reader() {
    let text = "";
    return (chunk) => {
      text += String(chunk);
      // Before the end of the line, the URL may be incomplete.
      const found = new RegExp(`${server.issuer}/authorize\\?[^\\s"]+(?=[\\s"])`).exec(text);
      if (!found) return;
      text = text.slice(found.index + found[0].length);
      this.logins++;
      this.#visits.push(this.agent.visit(found[0].replaceAll("\\u0026", "&")));
    };
  }

  /** Runs a program to its end, and resolves with its standard output. */
  async run(args) {
    const child = spawn(node, args, { env: this.env, cwd: this.home, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (chunk) => (output[name] += chunk));
      child[name].on("data", this.reader());
    }
    const code = await new Promise((resolve) => child.on("close", resolve));
    await Promise.all(this.#visits);
    assert.equal(code, 0, output.stdout + output.stderr);
    return output.stdout;
  }

  /** Makes stored access tokens useless. Some clients only refresh expired tokens, so these expire, too. */
  spoil() {
    let spoilt = 0;
    for (const entry of readdirSync(this.home, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath ?? entry.path, entry.name);
      const text = readFileSync(path, "utf8");
      const changed = text
        .replace(/("access_token\\*": *\\*")[^"\\]*/g, "$1expired")
        .replace(/("expires_at\\*": *)\d+/g, "$11");
      if (changed === text) continue;
      writeFileSync(path, changed);
      spoilt++;
    }
    assert.ok(spoilt > 0, "no stored access token was found");
  }
}

function userOf(t) {
  const user = new User();
  t.after(() => rmSync(user.home, { recursive: true, force: true }));
  return user;
}

/** Calls three times: with a login, with stored tokens, and with an access token that must be refreshed. */
async function callsThrice(user, call) {
  const subject = "17";
  for (const logins of [1, 1]) {
    assert.equal(JSON.parse(await call()).subject, subject);
    assert.equal(user.logins, logins);
  }
  user.spoil();
  assert.equal(JSON.parse(await call()).subject, subject);
  assert.equal(user.logins, 1);
}

test("mcp-remote logs in, calls, and refreshes", { timeout: 120_000 }, async (t) => {
  const user = userOf(t);
  const [port] = (await freePorts(1)).map(String);
  const args = [mcpRemote, server.url, port, "--host", "127.0.0.1", "--transport", "http-only"];
  await callsThrice(user, async () => {
    // It is a server over stdio.
    const open = () => stdioClientChannel([node, ...args], { env: user.env, stderr: user.reader() });
    const client = await connect(open, { revisions: clientRevisions, timeouts: { connect: 60_000 } });
    try {
      return (await client.callTool("whoami", {})).content[0].text;
    } finally {
      await client.close();
    }
  });
});

test("mcporter logs in, calls, and refreshes", { timeout: 120_000 }, async (t) => {
  const user = userOf(t);
  const target = ["--http-url", server.url, "--allow-http"];
  await user.run([mcporter, "auth", ...target, "--no-browser", "--json"]);
  await callsThrice(user, () =>
    user.run([mcporter, "call", ...target, "--tool", "whoami", "--output", "json"]),
  );
});

for (const era of ["legacy", "modern"])
  test(`the inspector logs in, calls, and refreshes: ${era}`, { timeout: 120_000 }, async (t) => {
    const user = userOf(t);
    const [port] = await freePorts(1);
    const callback = `http://127.0.0.1:${port}/oauth/callback`;
    const connection = [
      "--cli",
      server.url,
      "--transport",
      "http",
      "--protocol-era",
      era,
      "--callback-url",
      callback,
    ];
    const call = ["--format", "json", "--method", "tools/call", "--tool-name", "whoami"];
    await callsThrice(user, async () => {
      const output = await user.run([inspector, ...connection, ...call]);
      return JSON.parse(output.slice(output.indexOf('{"result"'))).result.content[0].text;
    });
  });

test("docs/authorization-works-with.md has these results", () => {
  const all = ["login and call", "refresh"];
  const row = (name, text) => [withVersion(name), text, ...all.map(() => "yes")];
  compareTable(
    "clients",
    ["client", "", ...all],
    [
      row("@modelcontextprotocol/client", "official SDK 2"),
      row("@modelcontextprotocol/sdk", "official SDK 1"),
      row("mcp-remote", "a bridge for clients over stdio"),
      row("mcporter", "a command line; refreshes tokens whose time is over, not refused ones"),
      row("@modelcontextprotocol/inspector", "its command line, in both eras"),
    ],
  );
});
