import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { sharedFolder } from "../support/temporary-folder.js";

/** A project whose output folder has the newest revision and an extension over it, built. */
const folder = sharedFolder({ "mcpgen.config.json": '{"package":"not-installed"}' });
const revision = "2026-07-28";
const id = "io.modelcontextprotocol/tasks";
const isGenerated = existsSync(`generated/extensions/${id}/${revision}/methods.ts`);

beforeAll(async () => {
  const parts = [revision, ...(isGenerated ? [`extensions/${id}/${revision}`] : [])];
  const entries = parts.flatMap((part) =>
    ["methods", "explain"].map((module) => ({
      in: `generated/${part}/${module}.ts`,
      out: `${part}/${module}`,
    })),
  );
  const outdir = join(folder, "generated/dist");
  await build({ entryPoints: entries, bundle: true, format: "esm", outdir, logLevel: "error" });
});

const _meta = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const request = (number: number, method: string, params: object): object => ({
  from: "client",
  message: { jsonrpc: "2.0", id: number, method, params: { ...params, _meta } },
});
const answer = (number: number, result: object): object => ({
  from: "server",
  message: { jsonrpc: "2.0", id: number, result },
});
const task = {
  taskId: "1",
  status: "working",
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttlMs: null,
};

/** The messages of the findings. */
async function judged(messages: readonly object[], ...more: string[]): Promise<string[]> {
  writeFileSync(join(folder, "t.jsonl"), messages.map((one) => JSON.stringify(one)).join("\n"));
  const args = ["validate", "t.jsonl", "--revision", revision, "--json", ...more];
  const { stdout } = await mcpgen(folder, args);
  const { findings } = JSON.parse(stdout) as { findings: { message: string; detail?: string }[] };
  return findings.map(({ message, detail }) => `${message}: ${detail ?? ""}`);
}

test.skipIf(!isGenerated)(
  "validate --extension knows its methods, their results, and the results that it adds to other methods",
  async () => {
    const messages = [
      request(1, "tasks/get", { taskId: "1" }),
      answer(1, { ...task, resultType: "complete" }),
      request(2, "tools/call", { name: "x" }),
      answer(2, { ...task, resultType: "task" }),
    ];
    expect(await judged(messages, "--extension", id)).toEqual([]);
    const without = await judged(messages);
    expect(without[0]).toContain('invalid "tasks/get" request');
    expect(without.at(-1)).toContain('invalid "tools/call" result');
    const { taskId: _, ...nameless } = task;
    const wrong = [...messages.slice(0, 3), answer(2, { ...nameless, resultType: "task" })];
    const [only, ...others] = await judged(wrong, "--extension", id);
    expect(others).toEqual([]);
    expect(only).toContain("taskId");
  },
);

test("validate --extension refuses an extension that is not built, and names the nearest", async () => {
  writeFileSync(join(folder, "t.jsonl"), "{}");
  const args = ["validate", "t.jsonl", "--revision", revision, "--extension", "com.example/none"];
  const { code, stderr } = await mcpgen(folder, args);
  expect(stderr).toContain("error MG2011: the extension com.example/none over 2026-07-28 is neither in");
  expect(code).toBe(2);
});
