import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type { Revision } from "@mcpgen/protocol/model";
import { createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { writeModules } from "../support/emitted-explanations.js";
import { schemaDir } from "../support/generated-output.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { compilerErrors } from "../support/typescript-compiler.js";

const textOf = (revision: string): string => readFileSync(join(schemaDir, revision, "schema.json"), "utf8");

/** The revisions of the output in `folder`, for one role. */
async function revisionsIn<R extends "client" | "server">(
  folder: string,
  role: R,
): Promise<readonly Revision<R>[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  const out = temporaryFolder();
  writeModules(
    out,
    files.map((path) => [path, readFileSync(join(folder, path), "utf8")] as const),
  );
  const module = (await import(/* @vite-ignore */ pathToFileURL(join(out, `${role}.js`)).href)) as {
    [name: string]: readonly Revision<R>[];
  };
  return module[`${role}Revisions`]!;
}

/** The result of a tool if server and client use this output. */
async function answerIn(folder: string, revision: string): Promise<unknown> {
  const revisions = await revisionsIn(folder, "server");
  const server = createServer({ name: "s", version: "1" }, { revisions });
  server.tool("hello", { inputSchema: { type: "object" } }, () => "hi");
  const pair = await createTestPair({ server, revisions: await revisionsIn(folder, "client"), revision });
  const { items } = await pair.client.listTools();
  const { content } = await pair.client.callTool("hello", {});
  await pair.close();
  return { tools: items.map(({ name }) => name), content };
}

const expected = { tools: ["hello"], content: [{ type: "text", text: "hi" }] };

describe("a server that is generated outside of the repository, from a released schema", () => {
  test.each(["2025-11-25", "2026-07-28"])("%s works from the file alone", async (revision) => {
    const folder = temporaryFolder({ "schema.json": textOf(revision) });
    const words = ["generate", "--schema", "schema.json", "--name", revision, "--out", "out"];
    expect((await mcpgen(folder, words)).code).toBe(0);
    expect(await answerIn(join(folder, "out"), revision)).toEqual(expected);
  });

  test("works from a schema folder whose revisions have no notes", async () => {
    const folder = temporaryFolder({
      "2025-11-25.json": textOf("2025-11-25"),
      "2026-07-28.json": textOf("2026-07-28"),
    });
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      await mcpgen(folder, ["revision", "add", `${revision}.json`, "--name", revision]);
      expect((await mcpgen(folder, ["revision", "list"])).stdout).toContain(revision);
      rmSync(join(folder, "schema", revision, "notes.json"));
    }
    expect((await mcpgen(folder, ["generate", "--out", "out"])).code).toBe(0);
    for (const revision of ["2025-11-25", "2026-07-28"])
      expect(await answerIn(join(folder, "out"), revision)).toEqual(expected);
  });
});

describe("beside the shipped extensions", () => {
  const repository = join(schemaDir, "..");

  test.each([
    ["--no-notes", ["--no-notes"]],
    [
      "the file of a released revision",
      ["--schema", "schema/2026-07-28/schema.json", "--name", "2026-07-28"],
    ],
    [
      "the same without notes",
      ["--schema", "schema/2026-07-28/schema.json", "--name", "2026-07-28", "--no-notes"],
    ],
  ])("generate accepts %s", async (_, words) => {
    const { code, stdout } = await mcpgen(repository, [
      ...["generate", ...words],
      ...["--only", "methods", "--dry-run", "--out", join(temporaryFolder(), "out")],
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("extensions/io.modelcontextprotocol/tasks");
  });

  test.each([
    ["--no-notes", ["--no-notes"]],
    [
      "one released file without notes",
      ["--schema", "schema/2026-07-28/schema.json", "--name", "2026-07-28", "--no-notes"],
    ],
  ])("the output of %s compiles", async (_, words) => {
    const out = join(temporaryFolder(), "out");
    expect((await mcpgen(repository, ["generate", ...words, "--out", out])).code).toBe(0);
    const modules = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ts"),
    );
    expect(modules).toContain("extensions/io.modelcontextprotocol/tasks/server.ts");
    const files = modules.map((path) => [path, readFileSync(join(out, path), "utf8")] as const);
    expect(await compilerErrors(new Map(files))).toEqual([]);
  });
});
