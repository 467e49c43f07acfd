// A reader follows one call through the runtime: how many files that takes, counted in a process that answers it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { clientRevisions } from "@mcpgen/protocol/client";
import { type Client, connect } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/built-program.js";

const program = builtProgram("test/runtime/stdio/programs/walked.ts");

// Outside of production, sent messages are checked, too.
const env = { NODE_ENV: "production" };

async function connected(source: Parameters<typeof connect>[0]): Promise<Client> {
  const client = await connect(source, {
    info: { name: "reader", version: "1.0.0" },
    revisions: clientRevisions.filter(({ era }) => era === "modern"),
  });
  onTestFinished(() => client.close());
  return client;
}

/**
 * Modules of the server that one `tools/call` runs. Earlier calls have run, so that work which is done once is left
 * out.
 */
async function modulesOfCall(client: Client): Promise<string[]> {
  const add = () => client.callTool("add", { a: 1, b: 2 });
  await add();
  await client.callTool("modules");
  await add();
  const { content } = await client.callTool("modules");
  return JSON.parse((content[0] as { text: string }).text) as string[];
}

const architecture = readFileSync("docs/architecture.md", "utf8");

/** The files of the walk that docs/architecture.md lists below a line, in order. */
function listed(title: string): string[] {
  const [, walk = ""] = architecture.split("## The walk of one call\n");
  const [, list = ""] = walk.split(`\n${title}:\n\n`);
  return list
    .trimEnd()
    .split("\n\n")[0]!
    .split("\n")
    .map((line) => /^\d+\. `([^`]+)` .+\.$/.exec(line)?.[1] ?? line);
}

test("a tool call over stdio runs the eight modules that docs/architecture.md lists", async () => {
  const modules = await modulesOfCall(await connected({ command: process.execPath, args: [program], env }));
  expect(modules).toEqual(listed("Over stdio").toSorted());
  expect(modules.length, modules.join("\n")).toBeLessThanOrEqual(8);
});

test("a tool call over HTTP runs the eleven modules that docs/architecture.md lists", async () => {
  const server = spawn(process.execPath, [program, "--http"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [port] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
  const modules = await modulesOfCall(await connected(`http://127.0.0.1:${port.trim()}/mcp`));
  expect(modules).toEqual(listed("Over HTTP").toSorted());
  expect(modules.length, modules.join("\n")).toBeLessThanOrEqual(11);
});
