import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtCli, builtProgram } from "../support/built-program.js";
import { members } from "../support/processes.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.mjs";

const host = builtProgram("test/host/programs/host.ts");
const cli = builtCli();

/** Never answers a call, and ends neither with its input nor with SIGTERM. */
const stubborn = `
import { renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
const tools = [{ name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "tools/call") {
    writeFileSync("calling", String(process.pid));
    return renameSync("calling", "called");
  }
  const result = results[method];
  const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});`;

test.each([
  [["SIGINT"], 130],
  [["SIGTERM"], 143],
  [["SIGINT", "SIGTERM"], 143],
] as const)("%j ends the host, its server and their folder", async (signals, code) => {
  const started = `#!/bin/sh\necho $$ >"$(dirname "$0")/host"\nexec '${process.execPath}' '${host}' old\n`;
  const folder = temporaryFolder({ "stubborn.mjs": stubborn, "node_modules/.bin/codex": started });
  const file = join(folder, "node_modules/.bin/codex");
  chmodSync(file, 0o755);
  const temporary = temporaryFolder();
  const args = [cli, "host", "test", "stdio:node stubborn.mjs", "--host", "codex"];
  const env = { ...process.env, TMPDIR: temporary };
  const program = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
  onTestFinished(() => void program.kill("SIGKILL"));
  const ended = once(program, "exit");
  await until("the call", () => existsSync(join(folder, "called")) || program.exitCode !== null);
  const groups = ["called", "node_modules/.bin/host"].map((name) =>
    Number(readFileSync(join(folder, name), "utf8")),
  );
  onTestFinished(() => {
    for (const group of groups) if (members(group).length > 0) process.kill(-group, "SIGKILL");
  });
  expect(groups.map((group) => members(group).length > 0)).toEqual([true, true]);
  for (const signal of signals) program.kill(signal);
  const [first] = await ended;
  // The system may deliver the second signal first.
  expect(signals.length > 1 ? [130, 143] : [code]).toContain(first);
  await until("no process is left", () => groups.every((group) => members(group).length === 0));
  expect(readdirSync(temporary)).toEqual([]);
});
