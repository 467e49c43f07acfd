import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { compilerErrors } from "../support/typescript-compiler.js";

// A generated server and the generated client of the same contract, as one program that is compiled and run.

const contract = `name: reports
version: "1"
tools:
  - name: yearly_report
    description: Writes the report of a year.
    inputSchema: { type: object, required: [year], properties: { year: { type: integer } } }
    outputSchema: { type: object, required: [pages], properties: { pages: { type: integer } } }
    task: { support: required }
  - name: daily_report
    description: Writes the report of today.
    inputSchema: { type: object, properties: {} }
    task: { support: optional, inlineMs: 60000 }
  - name: ping
    description: Answers.
    inputSchema: { type: object, properties: {} }
`;

const main = `
import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createTestPair } from "@mcpgen/testing";
import { tasks as serverTasks } from "@mcpgen/tasks";
import { tasks as clientTasks } from "@mcpgen/tasks/client";
import { reportsClient } from "./client.js";
import { type Handlers, createReportsServer } from "./server.js";

const handlers: Handlers = {
  tools: {
    async yearly_report({ year }, { task }) {
      task?.detach();
      await Promise.resolve();
      return { structuredContent: { pages: year - 2000 } };
    },
    async daily_report(_, { task }) {
      task?.detach();
      await Promise.resolve();
      return "today";
    },
    ping: () => "pong",
  },
};

export async function run(revision: string) {
  const created: string[] = [];
  const own = serverTasks(serverExtension, {
    pollMs: 1,
    onEvent: ({ type, tool = "" }) => type === "created" && created.push(tool),
  });
  const pair = await createTestPair({
    server: createReportsServer(handlers, { revisions: serverRevisions, extensions: [own] }),
    revisions: clientRevisions,
    revision,
    extensions: [clientTasks(clientExtension)],
  });
  try {
    const { tools } = reportsClient(pair.client);
    const yearly = await tools.yearlyReport({ year: 2026 });
    if (yearly.isError) throw new Error("the tool failed");
    const pages: number = yearly.structuredContent.pages;
    const { content: daily } = await tools.dailyReport({});
    const { content: ping } = await tools.ping({});
    return { pages, daily, ping, created };
  } finally {
    await pair.close();
    await own.close();
  }
}
`;

let files: Map<string, string>;

beforeAll(async () => {
  const document = await readContract(contract, "c.yaml");
  const generated = await generateContract({ document, role: "both", importExtension: "js" });
  files = new Map([...generated.files, ["main.ts", main]]);
});

interface Program {
  run(revision: string): Promise<object>;
}

/** The program of the files, with the packages that it imports. */
async function bundled(): Promise<Program> {
  mkdirSync("node_modules/.cache", { recursive: true });
  // Inside the project, so that packages are found.
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-program-"));
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const outfile = join(folder, "main.mjs");
    await build({
      entryPoints: [join(folder, "main.ts")],
      outfile,
      ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
      conditions: ["mcpgen-source"],
    });
    return (await import(pathToFileURL(outfile).href)) as Program;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the server, its handlers and the calls of the client compile strictly", async () => {
  expect(await compilerErrors(files, ["node"])).toEqual([]);
});

test("calls that become tasks return their results at 2026-07-28 and 2025-11-25", async () => {
  const { run } = await bundled();
  // At 2025-11-25 the client decides: it asks for tasks of tools that require them.
  const becomeTasks = {
    "2026-07-28": ["yearly_report", "daily_report"],
    "2025-11-25": ["yearly_report"],
  };
  for (const [revision, created] of Object.entries(becomeTasks))
    expect({ revision, ...(await run(revision)) }).toEqual({
      revision,
      pages: 26,
      daily: [{ type: "text", text: "today" }],
      ping: [{ type: "text", text: "pong" }],
      created,
    });
});
