import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { tasksExtensionId } from "../../generator/contract/tasks.js";
import { type Ran, mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { addTickets, ticketsFolder, ticketsId } from "../support/tickets-extension.js";

// A new server of a contract whose tools run as tasks.

const contract = `name: reports
version: "1"
tools:
  - { name: report, inputSchema: { type: object }, task: { support: optional } }
  - { name: endless, inputSchema: { type: object }, task: { support: optional } }
`;
const extension = "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";

const read = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");

/** The server of the contract as `init` makes it. */
async function created(support = "optional"): Promise<string> {
  const folder = temporaryFolder({ "mcp.contract.yaml": contract.replaceAll("optional", support) });
  expect((await mcpgen(folder, ["init", "server"])).code).toBe(0);
  return folder;
}

test("the server runs tasks, and package.json has the package", async () => {
  const folder = await created();
  const server = read(folder, "src/server.ts");
  expect(server).toContain(`import { tasks as tasksExtension } from "${extension}";`);
  expect(server).toContain('import { tasks } from "@mcpgen/tasks";');
  expect(server).toContain("extensions: [tasks(tasksExtension)] }");
  expect(server).toContain("// Tasks are kept in memory");
  const { dependencies, devDependencies } = JSON.parse(read(folder, "package.json")) as Record<
    string,
    object
  >;
  expect(dependencies).toHaveProperty(["@mcpgen/tasks"]);
  expect(devDependencies).not.toHaveProperty(["@mcpgen/tasks"]);
});

test("the extension of tasks is run by the package, not written by hand", async () => {
  const folder = temporaryFolder();
  expect((await mcpgen(folder, ["init", "server", "--extension", tasksExtensionId])).code).toBe(0);
  expect(read(folder, "src/server.ts")).toContain("extensions: [tasks(tasksExtension)] }");
  expect(existsSync(join(folder, "src/extensions"))).toBe(false);
});

test.each([
  ["task of a tool", contract],
  ["taskSupport of a tool", contract.replaceAll("task: { support:", "execution: { taskSupport:")],
  ["a capability", `name: s\nversion: "1"\ncapabilities: { tasks: {} }\n`],
  ["an extension", `name: s\nversion: "1"\ncapabilities: { extensions: { ${tasksExtensionId}: {} } }\n`],
])("a client drives tasks if %s states that calls may become one", async (_, text) => {
  const folder = temporaryFolder({ "mcp.contract.yaml": text });
  expect((await mcpgen(folder, ["init", "client"])).code).toBe(0);
  expect(read(folder, "src/client.ts")).toContain("const extensions = [tasks(tasksExtension)];");
  expect(read(folder, "src/client.ts")).toContain("{ revisions, extensions }");
  expect(JSON.parse(read(folder, "package.json"))).toHaveProperty(["dependencies", "@mcpgen/tasks"]);
});

test("other clients do not use the package", async () => {
  const text = contract.replaceAll("optional", "forbidden");
  const folder = temporaryFolder({ "mcp.contract.yaml": text });
  expect((await mcpgen(folder, ["init", "client"])).code).toBe(0);
  expect(read(folder, "src/client.ts")).not.toMatch(/tasks|\n\n\n/);
});

test("tasks can be combined with the extensions of --extension", async () => {
  const folder = ticketsFolder();
  expect((await mcpgen(folder, addTickets)).code).toBe(0);
  writeFileSync(join(folder, "mcp.contract.yaml"), contract);
  expect((await mcpgen(folder, ["init", "server", "--extension", ticketsId])).code).toBe(0);
  expect(read(folder, "src/server.ts")).toContain("extensions: [tasks(tasksExtension), tickets] }");
});

test("a server of a contract without `task` does not use the package", async () => {
  const folder = temporaryFolder();
  await mcpgen(folder, ["init", "server", "--name", "plain"]);
  expect(read(folder, "src/server.ts")).not.toContain("tasks");
  expect(read(folder, "src/server.ts")).not.toMatch(/\n\n\n/);
});

test("when a contract gets its first `task`, sync and check print the lines that server.ts lacks", async () => {
  const folder = temporaryFolder({ "mcp.contract.yaml": contract.replaceAll(/, task: \{.*?\}/g, "") });
  await mcpgen(folder, ["init", "server"]);
  writeFileSync(join(folder, "mcp.contract.yaml"), contract);
  await mcpgen(folder, ["generate"]);
  const before = read(folder, "src/server.ts");
  for (const words of [["sync"], ["check"]]) {
    const { code, stdout } = await mcpgen(folder, words);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^src\/server\.ts:\d+:\d+: error MG6508: /m)]);
    expect(stdout).toContain(`import { tasks as tasksExtension } from "${extension}";`);
  }
  expect(read(folder, "src/server.ts")).toBe(before);
  writeFileSync(
    join(folder, "src/server.ts"),
    before.replace("{ revisions: serverRevisions }", "{ extensions: [tasks(tasksExtension)] }"),
  );
  expect((await mcpgen(folder, ["sync"])).code).toBe(0);
});

/** Runs Node in the project, as its scripts do. */
const node = (folder: string, ...args: string[]): string =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: "pipe", env: {} });
const tsc = resolve("node_modules/typescript/bin/tsc");

/** The code of the handlers after their call has become a task. */
const bodies = {
  report: 'await Promise.resolve(); return "the report";',
  endless: 'await new Promise(() => {}); return "";',
};

/** The project with its packages, and with handlers that are written. */
async function built(main: (text: string) => string = (text) => text, support?: string): Promise<string> {
  const folder = await created(support);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const written = Object.entries(bodies).reduce(
    (text, [tool, body]) => {
      const stub = `throw new Error("${tool} is not written yet");`;
      expect(text).toContain(stub);
      return text.replace(stub, `context.task?.detach();\n${body}`);
    },
    read(folder, "src/handlers.ts"),
  );
  writeFileSync(join(folder, "src/handlers.ts"), written);
  writeFileSync(join(folder, "src/server.ts"), main(read(folder, "src/server.ts")));
  node(folder, tsc);
  return folder;
}

/** Serves the project over HTTP, as its README describes, on a free port. Returns the URL. */
async function overHttp(): Promise<string> {
  const folder = await built();
  const program = join(folder, "dist/http.js");
  writeFileSync(program, readFileSync(program, "utf8").replace("port: 3000", "port: 0"));
  const server = spawn(process.execPath, [program], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  for await (const line of createInterface({ input: server.stderr })) {
    const [, url] = /^listening at (.*)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("the server ended");
}

test("the project type-checks, passes its tests, and answers a call that becomes a task", async () => {
  const folder = await built();
  expect(node(folder, "--test", "--test-reporter=tap", "test/")).toMatch(/^# pass 2\n# fail 0$/m);
  const called = await mcpgen(folder, ["call", "stdio:node dist/main.js", "report"]);
  expect(called).toMatchObject({
    code: 0,
    stdout: "the report\n",
    stderr: expect.stringMatching(/^task /) as string,
  });
});

test("a client of the same contract gets the result of a tool that requires tasks", async () => {
  const folder = await built((text) => text, "required");
  const client = temporaryFolder({
    "mcp.contract.yaml": read(folder, "mcp.contract.yaml"),
    "src/try.ts": `import { connectTo } from "./client.js";
const { client, tools } = await connectTo(${JSON.stringify(`stdio:node ${join(folder, "dist/main.js")}`)});
console.log(JSON.stringify((await tools.report({})).content));
await client.close();
`,
  });
  expect((await mcpgen(client, ["init", "client"])).code).toBe(0);
  symlinkSync(resolve("node_modules"), join(client, "node_modules"));
  node(client, tsc);
  expect(node(client, "dist/try.js")).toBe('[{"type":"text","text":"the report"}]\n');
});

test("over HTTP, `call --detach` and `task list|get|result|cancel` find its tasks", async () => {
  const source = await overHttp();
  const env = { XDG_STATE_HOME: temporaryFolder() };
  const run = (...words: string[]): Promise<Ran> => mcpgen(env.XDG_STATE_HOME, words, { env });
  const detached = async (tool: string): Promise<readonly string[]> => {
    const id = (await run("call", source, tool, "--detach")).stdout.trim();
    // An id may begin like an option.
    return ["--", id];
  };
  const report = await detached("report");
  expect((await run("task", "list", source)).stdout).toMatch(/^\S+ {2}\w+ {2}report/);
  expect((await run("task", "get", source, ...report)).code).toBe(0);
  expect(await run("task", "result", source, ...report)).toMatchObject({ code: 0, stdout: "the report\n" });
  const endless = await detached("endless");
  expect((await run("task", "get", source, ...endless)).stdout).toContain("working");
  expect((await run("task", "cancel", source, ...endless)).code).toBe(0);
  expect((await run("task", "list", source)).stdout).toBe("0 tasks\n");
});

test("without the extension the server names the tool and what to add on one line", async () => {
  const folder = await built((text) => text.replace("extensions: [tasks(tasksExtension)]", "extensions: []"));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/main.js"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr:
      'invalid-definition: tool "report": task: none of the option extensions has this member. ' +
      "For task, add tasks() of @mcpgen/tasks.\n",
  });
});
