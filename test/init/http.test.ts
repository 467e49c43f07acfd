import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { sharedFolder } from "../support/temporary-folder.js";

// A new server over HTTP, as `npm run http` starts it.

const folder = sharedFolder();
const program = join(folder, "dist/http.js");

beforeAll(async () => {
  expect((await mcpgen(folder, ["init", "server", "--code", "--name", "shop"])).code).toBe(0);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc")], { cwd: folder });
  const text = readFileSync(program, "utf8");
  expect(text).toContain("port: 3000");
  writeFileSync(program, text.replace("port: 3000", "port: 0"));
});

/** Starts the server. Returns what it printed until it listens or ends, and its URL if it listens. */
async function started(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close") as Promise<[code: number | null]>;
  let printed = "";
  for await (const chunk of child.stderr.setEncoding("utf8")) {
    printed += chunk as string;
    const [, url] = /^listening at (.*)\n/m.exec(printed) ?? [];
    if (url !== undefined) return { printed, url, child, ended };
  }
  return { printed, url: "", child, ended };
}

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const post = (url: string, body: object, session?: string): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { ...headers, ...(session !== undefined && { "mcp-session-id": session }) },
    body: JSON.stringify({ jsonrpc: "2.0", ...body }),
  });

/** Begins a session. Returns its id. */
async function begun(url: string): Promise<string> {
  const clientInfo = { name: "host", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const answer = await post(url, { id: 1, method: "initialize", params });
  await answer.text();
  const session = answer.headers.get("mcp-session-id")!;
  await (await post(url, { method: "notifications/initialized" }, session)).text();
  return session;
}

/** Calls the tool in the session of a process that has been killed, at the next one. */
async function afterRestart(env: NodeJS.ProcessEnv): Promise<{ status: number; text: string }> {
  const first = await started(env);
  const session = await begun(first.url);
  first.child.kill("SIGKILL");
  await first.ended;
  const { url } = await started(env);
  const params = { name: "greet", arguments: { name: "Ada" } };
  const answer = await post(url, { id: 2, method: "tools/call", params }, session);
  return { status: answer.status, text: await answer.text() };
}

const key = "a secret of 32 characters or more";

test("with keys, a host that never begins another session goes on after a restart", async () => {
  const { status, text } = await afterRestart({ SESSION_KEYS: key });
  expect([status, text]).toEqual([200, expect.stringContaining("Hello, Ada.")]);
  expect((await started({ SESSION_KEYS: key })).printed).toMatch(/^listening at .*\n$/);
});

test("sessions of an earlier key go on; so a key can be replaced", async () => {
  const first = await started({ SESSION_KEYS: key });
  const session = await begun(first.url);
  const { url } = await started({ SESSION_KEYS: `another ${key},${key}` });
  const answer = await post(url, { id: 2, method: "tools/list" }, session);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("greet")]);
});

test("without keys, the server says on one line what a restart ends, and how to keep it", async () => {
  expect((await afterRestart({})).status).toBe(404);
  const { printed } = await started({});
  expect(printed).toMatch(/^SESSION_KEYS is not set: .*restart.*openssl rand -base64 32\nlistening at .*\n$/);
});

test.each(["", "short", `${key},`, `${key},short`])("wrong keys are an error: %j", async (keys) => {
  const { printed, url, ended } = await started({ SESSION_KEYS: keys });
  expect([url, await ended]).toEqual(["", [1, null]]);
  expect(printed).toMatch(/^invalid-definition: SESSION_KEYS: .*32 characters.*\n$/);
  if (keys !== "") expect(printed).not.toContain(keys);
});

test("SIGTERM ends it", async () => {
  const { child, ended } = await started({ SESSION_KEYS: key });
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
