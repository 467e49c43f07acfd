// The inspector's command lines with our server, where tools run as tasks.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect as connectCli } from "./clients/inspector.mjs";
import { modern } from "./peers.mjs";
import { connectRaw, framing } from "./raw-modern.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const run = promisify(execFile);
const ours = fileURLToPath(new URL("servers/tasks.mjs", import.meta.url));
const program = fileURLToPath(
  new URL("node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js", import.meta.url),
);

const textOf = ({ content }) => content[0].text;

/** The inspector's program of commands, with a separate process that keeps connections, and a separate home folder. */
async function inspector() {
  const home = await mkdtemp(join(tmpdir(), "mcpgen-inspector-"));
  const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: "memory" };
  const { stdout } = await run(process.execPath, [program, "private"], { env });
  for (const [, name, value] of stdout.matchAll(/^export (\w+)='(.*)'$/gm)) env[name] = value;
  /** Resolves with the result; rejects with the error that it prints. */
  const ask = async (...words) => {
    const args = [program, "--plain", "--format", "json", ...words];
    try {
      return JSON.parse((await run(process.execPath, args, { env })).stdout);
    } catch (error) {
      // A tool that fails ends it with a code, too.
      if (error.stdout) return JSON.parse(error.stdout);
      throw new Error(error.stderr ?? error.message, { cause: error });
    }
  };
  const close = async () => {
    await ask("daemon", "stop").catch(() => undefined);
    await rm(home, { recursive: true, maxRetries: 20, retryDelay: 100 });
  };
  return { ask, close };
}

for (const era of ["legacy", "modern"])
  describe(`the inspector with our server, ${era} era`, { concurrency: 1 }, () => {
    let server;
    let user;
    let raw;
    /** A command for the connection. */
    let ask;
    before(
      async () => {
        server = await started([ours, "node"]);
        raw = connectRaw(server.url);
        user = await inspector();
        await user.ask("connect", "--era", era, server.url.href, "--transport", "http");
        const { connections } = await user.ask("connections/list");
        assert.equal(connections[0].protocolEra, era);
        ask = (...words) => user.ask("--connection", connections[0].name, ...words);
      },
      { timeout },
    );
    after(async () => {
      await user?.close();
      await server?.close();
    });
    const asTask = era === "legacy" ? ["--task"] : [];

    test("a tool that requires tasks", { timeout }, async () => {
      const result = await ask("tools/call", "strict", ...asTask);
      assert.deepEqual(result.structuredContent, { sum: 5 });
      // Without the option, too: the list of tools says that it does.
      assert.deepEqual((await ask("tools/call", "strict")).structuredContent, { sum: 5 });
    });
    test("a tool without tasks, and one that fails as a task", { timeout }, async () => {
      assert.equal(textOf(await ask("tools/call", "plain", "text:=it")), "plain it");
      const failed = ask("tools/call", "fail", ...asTask);
      if (era === "legacy") await assert.rejects(failed, /it went wrong/);
      else assert.equal((await failed).isError, true);
    });
    test("the user answers the questions of a task", { timeout }, async () => {
      const { elicitationPending } = await ask("tools/call", "name", ...asTask);
      const { elicitationId, message } = elicitationPending;
      assert.equal(message, "Who are you?");
      const result = await ask("elicitation/respond", elicitationId, "name:=Ada");
      assert.equal(textOf(result), "hello Ada");
    });
    test("the commands of tasks", { timeout }, async () => {
      const { taskId } = await created(raw, "name");
      const { task } = await ask("tasks/get", taskId);
      assert.deepEqual([task.taskId, task.status], [taskId, "input_required"]);
      const answer = { name: { action: "accept", content: { name: "Grace" } } };
      if (era === "modern") {
        await ask("tasks/update", taskId, "--input-responses", JSON.stringify(answer));
        assert.equal(textOf(await ask("tasks/result", taskId)), "hello Grace");
      } else {
        const { tasks } = await ask("tasks/list");
        assert.ok(tasks.some((each) => each.taskId === taskId));
      }
      const other = await created(raw, "wait");
      await ask("tasks/cancel", other.taskId);
      assert.equal((await ask("tasks/get", other.taskId)).task.status, "cancelled");
    });
    test("one command, one connection", { timeout, skip: era === "legacy" }, async () => {
      const session = await connectCli(server.url, modern);
      try {
        assert.deepEqual((await session.call("strict")).structuredContent, { sum: 5 });
      } finally {
        await session.close();
      }
    });
  });

/** A task that another client of the same name has made. */
async function created(raw, name) {
  const capabilities = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };
  const { result } = await raw.send({
    method: "tools/call",
    params: { name, arguments: {}, _meta: framing(capabilities) },
  });
  assert.equal(result.resultType, "task");
  return result;
}
