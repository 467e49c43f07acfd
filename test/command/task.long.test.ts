import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { experimentalTasks as dialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { serverRevisions } from "@mcpgen/protocol/server";
import { McpError, createServer } from "@mcpgen/runtime";
import { tasks } from "@mcpgen/tasks";
import { experimentalTasks } from "@mcpgen/tasks/experimental";
import { expect, onTestFinished, test } from "vitest";
import { builtCli } from "../support/built-program.js";
import { type Ran, mcpgen } from "../support/in-process.js";
import { newServer, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const cli = builtCli();

const form = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;

/** A server whose tools end when the test says so. */
async function reports() {
  const extension = tasks(tasksExtension, { pollMs: 1, list: true });
  const server = createServer(
    { name: "reports", version: "1" },
    {
      revisions: serverRevisions,
      extensions: [extension, experimentalTasks(dialect, extension)],
      onEvent: () => true,
    },
  );
  onTestFinished(() => extension.close());
  let finish!: (text: string) => void;
  const finished = new Promise<string>((resolve) => (finish = resolve));
  const task = { support: "optional" } as const;
  server.tool("quick", { task }, () => "at once");
  server.tool("report", { task }, async (_, { task: own, progress }) => {
    own?.detach();
    progress(1, 2, "page\u001b one");
    return finished;
  });
  server.tool("asks", { task }, async (_, { ask, task: own }) => {
    own?.detach();
    const answer = await ask.elicit("name", form);
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  server.tool("broken", { task }, async (_, { task: own }) => {
    own?.detach();
    await sleep(1);
    throw new McpError("internal-error", "no such\nreport", { rpcCode: -32603 });
  });
  return { source: await serve(server), finish };
}

/** The commands of one machine. */
function machine() {
  const state = temporaryFolder();
  const directory = temporaryFolder();
  const env = { XDG_STATE_HOME: state };
  return {
    state: join(state, "mcpgen/tasks"),
    run: (...words: string[]): Promise<Ran> => mcpgen(directory, words, { env }),
    /** @param seen gets what is written on standard error */
    watched: async (words: readonly string[], seen: (text: string) => void): Promise<Ran> => {
      let stderr = "";
      const write = (text: string): void => seen((stderr += text));
      return { ...(await mcpgen(directory, words, { env, stderr: { write } })), stderr };
    },
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name));
}

test("a call drives the task that it becomes: states on standard error, the result on standard output", async () => {
  const { source, finish } = await reports();
  const { state, run, watched } = machine();
  const ran = await watched(["call", source, "report"], (text) => {
    if (text.includes("\nworking")) finish("two pages");
  });
  expect(ran).toMatchObject({ code: 0, stdout: "two pages\n" });
  expect(ran.stderr).toMatch(/^task [\w-]+\n(working: page\\u001b one\n|working\n)+$/);
  expect(filesIn(state)).toEqual([]);
  const quick = await run("call", source, "quick");
  expect(quick).toEqual({ code: 0, stdout: "at once\n", stderr: "" });
});

test("--detach prints the id; get, list and result of another process take it from there", async () => {
  const { source, finish } = await reports();
  const { state, run } = machine();
  const called = await run("call", source, "report", "--detach");
  expect(called.code).toBe(0);
  const id = called.stdout.trim();
  expect(id).toMatch(/^[\w-]{40,64}$/);
  const words = id.startsWith("-") ? `-- ${id}` : id;
  expect(called.stderr).toContain(`\`mcpgen task result ${source} ${words}\` waits for its result`);
  const [file] = filesIn(state);
  expect(statSync(file!).mode & 0o077).toBe(0);
  expect(JSON.parse(readFileSync(file!, "utf8"))).toMatchObject({ format: 1, source, tool: "report" });

  const listed = await run("task", "list", source);
  expect(listed.stdout).toMatch(/^\S+ {2}working {2}report/);
  expect((await run("task", "list")).stdout).toContain(source);
  const got = await run("task", "get", source);
  expect(got.stdout).toMatch(/^status {3}working\n[^]*tool {5}report\n/);
  expect(JSON.parse((await run("task", "get", source, "--json", "--", id)).stdout)).toMatchObject({
    tool: "report",
    task: { taskId: id, status: "working" },
  });
  finish("two pages");
  expect(await run("task", "result", source, "--", id)).toMatchObject({ code: 0, stdout: "two pages\n" });
  expect(filesIn(state)).toEqual([]);
  // The server still has it, and its id is enough.
  const again = await run("task", "result", source, "--json", "--", id);
  expect(JSON.parse(again.stdout)).toMatchObject({ exit: 0, content: [{ type: "text", text: "two pages" }] });
});

test("--detach of a call that ends at once prints its result", async () => {
  const { source } = await reports();
  const ran = await machine().run("call", source, "quick", "--detach");
  expect(ran).toEqual({ code: 0, stdout: "at once\n", stderr: "the call has ended: there is no task\n" });
});

test("task result answers the questions of a task, as call does", async () => {
  const { source } = await reports();
  const { run } = machine();
  await run("call", source, "asks", "--detach");
  const got = await run("task", "get", source);
  expect(got.stdout).toMatch(/^status {3}(working|input_required)\n/);
  expect(await run("task", "result", source, "--answer", "name=Ada")).toMatchObject({
    code: 0,
    stdout: "Hello, Ada\n",
  });
  await run("call", source, "asks", "--detach");
  const declined = await run("task", "result", source);
  expect(declined).toMatchObject({ code: 0, stdout: "decline\n" });
  expect(declined.stderr).toContain("declined: the server asked the user: Your name?\n");
});

test("task cancel cancels, once", async () => {
  const { source } = await reports();
  const { state, run } = machine();
  const id = (await run("call", source, "report", "--detach")).stdout.trim();
  expect(await run("task", "cancel", source)).toEqual({ code: 0, stdout: "cancelled\n", stderr: "" });
  expect(filesIn(state)).toEqual([]);
  const again = await run("task", "cancel", source, "--", id);
  expect(again.code).toBe(0);
  // What the tool reported last may stand behind the status.
  expect(again.stdout).toMatch(/^cancelled(: .*)?\nthe task had ended before\n$/);
  const result = await run("task", "result", source, "--", id);
  expect(result.code).toBe(1);
  expect(result.stderr).toContain(`error MG6325: the task ${id} was cancelled`);
});

test("a task that fails ends the command with its error", async () => {
  const { source } = await reports();
  const { run } = machine();
  for (const words of [["call", source, "broken"]]) {
    const ran = await run(...words);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/error MG6326: the task \S+ failed: no such; report/);
  }
});

test("Ctrl-C ends the command, and not the task: another command has its result", async () => {
  const { source, finish } = await reports();
  const { state, run } = machine();
  const child = spawn(process.execPath, [cli, "call", source, "report"], {
    cwd: temporaryFolder(),
    env: { ...process.env, XDG_STATE_HOME: join(state, "../..") },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (text.includes("working")) child.kill("SIGINT");
  });
  const [code] = (await once(child, "close")) as [number | null];
  expect([code, stderr]).toEqual([130, expect.stringContaining("the task goes on: `mcpgen task result ")]);
  finish("two pages");
  expect(await run("task", "result", source)).toMatchObject({ code: 0, stdout: "two pages\n" });
});

test("errors name the next step", async () => {
  const { source } = await reports();
  const { run } = machine();
  const none = await run("task", "get", source);
  expect(none).toMatchObject({ code: 2, stdout: "" });
  expect(none.stderr).toMatch(/error MG2018: .*0 tasks.*\n.*call … --detach/);
  const ids = [
    await run("call", source, "report", "--detach"),
    await run("call", source, "asks", "--detach"),
  ].map(({ stdout }) => stdout.trim());
  const several = await run("task", "cancel", source);
  expect(several.code).toBe(2);
  for (const id of ids) expect(several.stderr).toContain(id);

  for (const verb of ["get", "result", "cancel"]) {
    const unknown = await run("task", verb, source, "no-such-task");
    expect(unknown, verb).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(/error MG6322: .*"no-such-task"\n.*mcpgen task list/);
  }
  const other = await serve(newServer());
  const elsewhere = await run("task", "get", other, "--", ids[0]!);
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toMatch(/error MG6323: /);
  expect(elsewhere.stderr).toContain(`Name its server: ${source}`);
  for (const words of [
    ["task", "list", other],
    ["task", "get", other, "x"],
    ["call", other, "x", "--detach"],
  ]) {
    const without = await run(...words);
    expect(without, words.join(" ")).toMatchObject({ code: 2, stdout: "" });
    expect(without.stderr).toContain("error MG6324: the server has no tasks");
  }
  const together = await run("call", source, "report", "--detach", "--output", "a.txt");
  expect(together.stderr).toContain("error MG2005: --detach and --output exclude each other");
});

test("a broken file of a handle is reported, and loses no other task", async () => {
  const { source } = await reports();
  const { state, run } = machine();
  const id = (await run("call", source, "report", "--detach")).stdout.trim();
  const [file] = filesIn(state);
  await run("call", source, "asks", "--detach");
  writeFileSync(file!, "{");
  const get = await run("task", "get", source, "--", id);
  expect(get).toMatchObject({ code: 3, stdout: "" });
  expect(get.stderr).toMatch(/error MG1010: .*\n.*Remove the file/);
  for (const words of [
    ["task", "list"],
    ["task", "list", source],
  ]) {
    const list = await run(...words);
    expect(list.code).toBe(0);
    expect(list.stdout).toContain("warning MG1010");
    expect(list.stdout).toContain("asks");
  }
});

test("a handle that cannot be stored causes a warning, because the id suffices", async () => {
  const { source, finish } = await reports();
  const state = temporaryFolder({ mcpgen: "a file" });
  const run = (...words: string[]) => mcpgen(temporaryFolder(), words, { env: { XDG_STATE_HOME: state } });
  const called = await run("call", source, "report", "--detach", "--json");
  const { findings, task } = JSON.parse(called.stdout) as {
    readonly findings: readonly object[];
    readonly task: { readonly taskId: string };
  };
  expect(called.code).toBe(0);
  expect(findings).toMatchObject([{ code: "MG4108", severity: "warning" }]);
  finish("two pages");
  expect((await run("task", "result", source, "--", task.taskId)).stdout).toContain("two pages");
});

test.each(["2025-11-25", "2025-06-18"])(
  "tasks of %s: detached, followed, answered and cancelled",
  async (revision) => {
    const { source, finish } = await reports();
    const { state, run } = machine();
    const at = ["--revision", revision];
    const id = (await run("call", source, "report", "--detach", ...at)).stdout.trim();
    expect(id).toMatch(/^[\w-]{40,64}$/);
    expect((await run("task", "get", source, ...at)).stdout).toMatch(/^status {3}(working|running)\n/);
    finish("two pages");
    expect(await run("task", "result", source, ...at)).toMatchObject({ code: 0, stdout: "two pages\n" });
    expect(filesIn(state)).toEqual([]);

    await run("call", source, "asks", "--detach", ...at);
    const answered = await run("task", "result", source, "--answer", "name=Ada", ...at);
    expect(answered).toMatchObject({ code: 0, stdout: "Hello, Ada\n" });

    await run("call", source, "asks", "--detach", ...at);
    expect(await run("task", "cancel", source, ...at)).toMatchObject({ code: 0, stderr: "" });
    const unknown = await run("task", "get", source, "no-such-task", ...at);
    expect(unknown.stderr).toContain("error MG6322: ");
  },
);

test("a server of 2025-11-25 lists its tasks", async () => {
  const { source } = await reports();
  const { run } = machine();
  const id = (await run("call", source, "report", "--detach")).stdout.trim();
  const listed = await machine().run("task", "list", source, "--revision", "2025-11-25", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject({ tasks: [{ taskId: id, status: "working" }] });
});
