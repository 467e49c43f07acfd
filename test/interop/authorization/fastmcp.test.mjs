// fastmcp, both ways. It is a package of Python: MCPGEN_FASTMCP names a Python that has it; without, nothing is tested here.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { memoryStore, oauth } from "@mcpgen/auth/client";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { ourProxy } from "./counterparts.mjs";
import { freePorts } from "../../support/free-ports.mjs";
import { startStandIn } from "./stand-in.mjs";
import { UserAgent } from "./user-agent.mjs";

const python = process.env.MCPGEN_FASTMCP;
const options = { skip: python === undefined, timeout: 120_000 };
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a program of Python with an empty home folder. It ends with the test. */
function run(t, args, env = {}) {
  const home = mkdtempSync(join(tmpdir(), "mcpgen-fastmcp-"));
  const child = spawn(python, args, {
    env: { ...process.env, HOME: home, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  const ended = new Promise((resolve) => child.on("close", resolve)).then((code) => ({
    code,
    output,
    errors,
  }));
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(home, { recursive: true, force: true });
  });
  return { ended };
}

test("a client of fastmcp logs in to our proxy, and calls", options, async (t) => {
  const server = await ourProxy();
  t.after(() => server.close());
  const browser = `${process.execPath} ${path("browser.mjs")} %s &`;
  const { code, output, errors } = await run(t, [path("clients/fastmcp_client.py"), server.url], {
    BROWSER: browser,
  }).ended;
  assert.equal(code, 0, errors);
  const calls = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    calls.map(({ subject, scopes }) => [subject, scopes]),
    [
      ["17", ["mcp"]],
      ["17", ["mcp"]],
    ],
  );
});

test("our client logs in to the proxy of fastmcp, and calls", options, async (t) => {
  const [port] = await freePorts(1);
  const upstream = await startStandIn(`http://127.0.0.1:${port}/auth/callback`);
  const { ended } = run(t, [path("servers/fastmcp_server.py"), String(port), JSON.stringify(upstream)]);
  const url = `http://127.0.0.1:${port}/mcp`;
  const failed = ended.then(({ errors }) => Promise.reject(new Error(errors)));
  failed.catch(() => undefined);
  for (let up = false; !up; await Promise.race([setTimeout(100), failed]))
    up = await fetch(url).then(
      () => true,
      () => false,
    );
  const [agent, store, events] = [new UserAgent(), memoryStore(), []];
  const uri = "http://127.0.0.1:41999/callback";
  for (const expected of [["discovered", "registered", "opened", "token"], []]) {
    const receive = (target) => agent.visit(target, (each) => each.startsWith(uri));
    const authorize = oauth({ store, redirect: { uri, receive }, onEvent: ({ type }) => events.push(type) });
    const client = await connect(url, { revisions: clientRevisions, http: { authorize } });
    const { content } = await client.callTool("whoami", {});
    assert.deepEqual(JSON.parse(content[0].text).scopes, ["gist"]);
    await client.close();
    assert.deepEqual(events.splice(0), expected);
  }
  // It asks for consent.
  assert.ok(agent.pages.includes("/consent"));
});
