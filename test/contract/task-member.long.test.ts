import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tasks as clientTasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as extension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Contract, addToTools, createServer, defineServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { tasks } from "@mcpgen/tasks";
import { describe, expect, onTestFinished, test } from "vitest";
import { asListed } from "../../generator/contract/tasks.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { mcpgen } from "../support/in-process.js";
import { serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const text = `name: reports
version: "1"
tools:
  - name: report
    description: Writes a report.
    inputSchema: { type: object }
    task: { support: optional, inlineMs: 500, onRestart: replay, immediate: By mail., maxRunMs: 60000 }
  - name: ping
    description: Answers.
    inputSchema: { type: object }
`;

const tool = (task: string): string =>
  `name: n\nversion: "1"\ntools:\n  - { name: t, inputSchema: { type: object }, ${task} }\n`;

const accept = (): undefined => undefined;

async function served() {
  const { contract } = await readContract(text, "c.yaml");
  const own = tasks(extension);
  onTestFinished(() => own.close());
  const options = {
    revisions: serverRevisions,
    extensions: [own],
    checks: { report: { input: accept }, ping: { input: accept } },
  };
  // As generated code does.
  const server = defineServer(
    asListed(contract, false) as unknown as Contract,
    { tools: { report: (_, { task }) => (task?.detach(), "the report"), ping: () => "pong" } },
    options,
  );
  return addToTools(server, options, { report: { task: contract.tools![0]!.task } });
}

describe("reading", () => {
  test.each([
    ["task: optional", "MG6003", "/tools/0/task", 'got "optional"'],
    ["task: {}", "MG6003", "/tools/0/task", 'expected the key "support"'],
    ["task: { support: always }", "MG6003", "/tools/0/task/support", 'got "always"'],
    ["task: { support: optional, inlineMs: -1 }", "MG6003", "/tools/0/task/inlineMs", "got -1"],
    ["task: { support: optional, inlineMS: 1 }", "MG6002", "/tools/0/task/inlineMS", 'no key "inlineMS"'],
  ])("%s is refused", async (task, code, pointer, message) => {
    const error: unknown = await readContract(tool(task), "c.yaml").catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code,
      place: { pointer },
      message: expect.stringContaining(message) as string,
    });
  });
});

describe("what is generated", () => {
  const serverOf = async (contract: string) => {
    const document = await readContract(contract, "c.yaml");
    return (await generateContract({ document, role: "server", importExtension: "js" })).files;
  };

  test("hands the task to the server, and requires an extension that runs it", async () => {
    const files = await serverOf(text);
    const [contract, added] = files.get("contract.ts")!.split("export const added");
    expect(contract).not.toContain("task");
    expect(added).toMatch(/"report": \{\s+"task": \{\s+"support": "optional",\s+"inlineMs": 500/);
    expect(files.get("server.ts")).toMatch(/return addToTools\(\s*defineToolServer\(.*options,\s+added/s);
    expect(files.get("server.ts")).toContain("Calls that take long become tasks.");
    expect((await serverOf(tool("task: { support: required }"))).get("server.ts")).toContain(
      "Calls run as tasks.",
    );
    expect((await serverOf(tool("title: T"))).get("server.ts")).not.toContain("addToTools");
  });

  test("a server without such an extension is refused, and so are wrong members", () => {
    const own = tasks(extension);
    const options = { revisions: serverRevisions, extensions: [own], checks: { t: { input: accept } } };
    const inputSchema = { type: "object" } as const;
    const server = defineServer(
      { name: "n", version: "1", tools: [{ name: "t", inputSchema }] },
      { tools: { t: () => "" } },
      options,
    );
    const task = { support: "optional" };
    expect(addToTools(server, options, { t: { task } })).toBe(server);
    for (const extensions of [{}, { extensions: [] }])
      expect(() =>
        addToTools(server, { revisions: serverRevisions, ...extensions }, { t: { task } }),
      ).toThrow(
        'tool "t": task: none of the option extensions has this member. For task, add tasks() of @mcpgen/tasks.',
      );
    expect(() => addToTools(server, options, { u: { task } })).toThrow(
      'tool "u": the contract has no such tool.',
    );
    expect(() => addToTools(server, options, { t: { task: 1 } })).toThrow(
      /tool "t": task: expected \{ support/,
    );
    expect(() => addToTools(server, options, { t: { task: { support: "x" } } })).toThrow(/task.support/);
  });
});

test("calls of a contract's tools run as tasks; lists only have the support", async () => {
  const server = await served();
  const clientOf = async (revision: string) => {
    const pair = await createTestPair({
      server,
      revisions: clientRevisions,
      revision,
      extensions: [clientTasks],
    });
    onTestFinished(() => pair.close());
    return pair.client;
  };
  const client = await clientOf("2025-11-25");
  expect(client.serverCapabilities).toHaveProperty("tasks", {
    cancel: {},
    requests: { tools: { call: {} } },
  });
  expect(await client.request("tools/list" as string)).toMatchObject({
    tools: [{ name: "report", execution: { taskSupport: "optional" } }, { name: "ping" }],
  });
  const listed = JSON.stringify(await client.request("tools/list" as string));
  expect(listed).not.toMatch(/"task"|immediate|inlineMs/);
  const newest = await clientOf("2026-07-28");
  const { taskId, ...task } = await newest.request<{ taskId: string }>("tools/call" as string, {
    name: "report",
  });
  expect(task).toMatchObject({ resultType: "task", statusMessage: "By mail." });
  expect(await newest.request("tasks/get" as string, { taskId })).toMatchObject({ taskId });
  const old = await clientOf("2025-06-18");
  expect(JSON.stringify(await old.request("tools/list" as string))).not.toMatch(/"task"|execution/);
});

describe("drift", () => {
  const diffOf = async (old: string, next: string) => {
    const there = temporaryFolder({ "old.yaml": old, "new.yaml": next });
    const ran = await mcpgen(there, ["diff", "old.yaml", "new.yaml", "--json"]);
    return { code: ran.code, findings: (JSON.parse(ran.stdout) as { findings: object[] }).findings };
  };

  test("a task that becomes required breaks clients; members that only the server reads do not count as differences", async () => {
    expect(await diffOf(text, text.replace("support: optional", "support: required"))).toMatchObject({
      code: 1,
      findings: [
        {
          rule: "task-call-required",
          level: { client: "breaking" },
          subject: { definition: "tools/report", path: "execution.taskSupport" },
          at: { new: { file: "new.yaml", line: 7 } },
        },
      ],
    });
    expect(await diffOf(text, text.replace("inlineMs: 500", "inlineMs: 1"))).toEqual({
      code: 0,
      findings: [],
    });
    const listed = "execution: { taskSupport: optional }";
    expect(await diffOf(tool("task: { support: optional }"), tool(listed))).toEqual({
      code: 0,
      findings: [],
    });
  });

  /** A live server of a revision, and the contract of its capture with `task`. */
  const live = async (support: "optional" | "required" | undefined, speaks: string) => {
    const own = tasks(extension);
    onTestFinished(() => own.close());
    const server = createServer(
      { name: "reports", version: "1" },
      { revisions: { known: serverRevisions, speaks: [speaks] }, extensions: [own] },
    );
    const description = "Writes a report.";
    server.tool("report", { description, ...(support && { task: { support } }) }, () => "");
    server.tool("other", { description: "Other.", task: { support: "optional" } }, () => "");
    return serve(server);
  };

  test.each([
    ["2025-11-25", "required", ["task-call-required"]],
    ["2025-11-25", "optional", []],
    ["2025-11-25", undefined, ["task-call-forbidden"]],
    // Its lists do not say.
    ["2026-07-28", "required", []],
  ] as const)("at %s a live server with %s", async (revision, support, rules) => {
    const source = await live(support, revision);
    const there = temporaryFolder();
    await mcpgen(there, ["capture", source]);
    const file = join(there, "mcp.contract.yaml");
    const { contract } = await readContract(readFileSync(file, "utf8"), file);
    const tools = contract.tools!.map((each) => ({
      ...each,
      execution: undefined,
      task: { support: "optional" as const, inlineMs: 5 },
    }));
    writeFileSync(file, JSON.stringify({ ...contract, tools }));
    const { stdout } = await mcpgen(there, ["diff", "mcp.contract.yaml", source, "--json"]);
    const { findings } = JSON.parse(stdout) as { findings: { rule: string }[] };
    expect(findings.map(({ rule }) => rule)).toEqual(rules);
    await mcpgen(there, ["capture", source, "--replace"]);
    const { contract: again } = await readContract(readFileSync(file, "utf8"), file);
    const wanted = revision === "2026-07-28" ? "optional" : (support ?? "forbidden");
    expect(again.tools).toMatchObject([
      { name: "report", task: { support: wanted, inlineMs: 5 } },
      { name: "other", task: { support: "optional", inlineMs: 5 } },
    ]);
    expect(JSON.stringify(again)).not.toContain("execution");
  });

  test("lint warns of a task that is required", async () => {
    const there = temporaryFolder({ "c.yaml": text.replace("support: optional", "support: required") });
    const { stdout } = await mcpgen(there, ["lint", "c.yaml", "--json"]);
    expect(stdout).toContain("task-required");
  });

  test("lint names the place in a contract that holds what a server listed", async () => {
    const tool = { name: "report", inputSchema: { type: "object" }, execution: { taskSupport: "required" } };
    const there = temporaryFolder({ "c.json": JSON.stringify({ name: "x", version: "1", tools: [tool] }) });
    const { stdout } = await mcpgen(there, ["lint", "c.json", "--json"]);
    const { problems } = JSON.parse(stdout) as { problems: { rule: string; pointer: string }[] };
    expect(problems).toContainEqual(
      expect.objectContaining({ rule: "task-required", pointer: "/tools/0/execution/taskSupport" }),
    );
  });
});
