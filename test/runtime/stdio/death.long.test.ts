import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { members } from "../../support/processes.js";
import { until } from "../../support/until.mjs";

const client = builtProgram("test/runtime/stdio/programs/client.ts");
const server = builtProgram("test/runtime/stdio/programs/server.ts");

/** A client in a separate process, and its server's process group, once both talk. */
async function talking(fate: string, command: readonly string[]): Promise<readonly [ChildProcess, number]> {
  const process_ = spawn(process.execPath, [client, fate, ...command], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [said] = (await once(process_.stdout, "data")) as [Buffer];
  const group = Number.parseInt(said.toString());
  onTestFinished(() => {
    process_.kill("SIGKILL");
    for (const member of members(group).length > 0 ? [group] : []) process.kill(-member, "SIGKILL");
  });
  return [process_, group];
}

/** Deaf to the end of its input. */
const deaf = ["/bin/sh", "-c", "echo ready; sleep 60; true"];

test("when the client is killed, the server and its children end at the end of the input", async () => {
  const [process_, group] = await talking("live", [
    "/bin/sh",
    "-c",
    `echo ready; "${process.execPath}" "${server}"; true`,
  ]);
  await until("the server runs", () => members(group).length === 2);
  process_.kill("SIGKILL");
  await until("the server is gone", () => members(group).length === 0);
});

test.each([
  ["throws", "throw", 1],
  ["exits", "exit", 5],
])("a client that %s also ends a server that ignores the end of its input", async (_, fate, code) => {
  const [process_, group] = await talking(fate, deaf);
  expect(await once(process_, "exit")).toEqual([code, null]);
  await until("the server is gone", () => members(group).length === 0);
});
