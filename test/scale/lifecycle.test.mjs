// Rolling deploys: nodes are replaced one by one under load, also with other keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { clientRevisions } from "@mcpgen/protocol";
import { connect } from "@mcpgen/runtime";
import { isThorough } from "../support/cases.mjs";
import { Nodes } from "./nodes.mjs";
import { startProxy } from "./proxy.mjs";

const program = fileURLToPath(new URL("programs/worker.mjs", import.meta.url));
const old = "the former secret of the service for tests";
const next = "the next secret of the service for tests";

/** Calls until `isOver`. @returns the number of calls that succeeded, and the errors of the others */
async function load(client, name, ms, isOver) {
  let calls = 0;
  const errors = [];
  while (!isOver()) {
    const key = `${name} ${calls}`;
    try {
      const { content } = await client.callTool("work", { key, ms }, { onProgress: () => {} });
      assert.equal(content[0].text, `done ${key}`);
      calls++;
    } catch (error) {
      errors.push(error);
    }
  }
  return { calls, errors };
}

/** Listens in a session until `isOver`, again after each end. @returns the last line of each stream but the last one */
async function listen(url, session, isOver) {
  const ends = [];
  const headers = {
    accept: "text/event-stream",
    "mcp-session-id": session,
    "mcp-protocol-version": "2025-11-25",
  };
  while (!isOver()) {
    const over = new AbortController();
    const watch = setInterval(() => isOver() && over.abort(), 20);
    try {
      const response = await fetch(url, { headers, signal: over.signal });
      const text = await response.text();
      ends.push(response.status === 200 ? text.trimEnd().split("\n").at(-1) : `${response.status} ${text}`);
    } catch (error) {
      if (!over.signal.aborted) ends.push(String(error));
    } finally {
      clearInterval(watch);
    }
  }
  return ends;
}

/** Opens a session by hand. @returns its id */
async function open(url) {
  const post = (message, more = {}) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...more },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const clientInfo = { name: "listener", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const response = await post({ id: 1, method: "initialize", params });
  await response.text();
  const session = response.headers.get("mcp-session-id");
  await post({ method: "notifications/initialized" }, { "mcp-session-id": session });
  return session;
}

test("rolling deploys with other keys: no call fails, no session is lost, streams end with retry", async (t) => {
  const nodes = new Nodes(program, { SCALE_KEYS: old });
  await nodes.start(4);
  const proxy = await startProxy({ ports: nodes.ports, ready: "/health/ready" });
  const clients = [];
  let isOver = false;
  t.after(async () => {
    isOver = true;
    await Promise.all(clients.map((client) => client.close()));
    await proxy.close();
    await nodes.end();
  });
  const session = await open(proxy.url);
  const loads = [];
  const add = async (revision, ms) => {
    const client = await connect(proxy.url, { revisions: clientRevisions, revision });
    clients.push(client);
    loads.push(load(client, `client ${clients.length}`, ms, () => isOver));
  };
  for (const revision of ["2025-11-25", "2026-07-28"]) for (const ms of [0, 10, 300]) await add(revision, ms);
  const listening = listen(proxy.url, session, () => isOver);

  // A key is known to all processes before one of them uses it.
  const steps = [
    `${old},${next}`,
    `${next},${old}`,
    ...(isThorough ? [`${next},${old}`, `${next},${old}`] : []),
  ];
  for (const keys of steps) {
    nodes.setEnv({ SCALE_KEYS: keys });
    for (let replaced = 0; replaced < 4; replaced++) {
      await nodes.start();
      await nodes.retire(proxy.hasLeft);
    }
    // A session of the new keys.
    await add("2025-11-25", 10);
  }
  isOver = true;
  const results = await Promise.all(loads);
  const ends = await listening;
  const errors = results.flatMap((result) => result.errors);
  const calls = results.reduce((sum, result) => sum + result.calls, 0);
  t.diagnostic(
    `${steps.length * 4} nodes replaced, ${calls} calls, ${errors.length} failed, ${ends.length} streams ended`,
  );
  assert.deepEqual(errors, []);
  assert.equal(proxy.refused, 0);
  assert.ok(results.every((result) => result.calls > 0));
  for (const end of ends) assert.match(end, /^retry: \d+$/);
  assert.ok(ends.length > 0);
});
