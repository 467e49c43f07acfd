import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { compilerOutput, projectConfig } from "../support/typescript-compiler.js";
import { blocksOf, documentsIn } from "./documents.js";

const documents = [
  "README.md",
  "skills/mcpgen/SKILL.md",
  ...documentsIn("docs"),
  ...documentsIn("docs/tasks"),
];

/** The extension that documents use, as a user generates it: by path. */
async function searchExtension(): Promise<[path: string, text: string][]> {
  const folder = temporaryFolder();
  const text = { type: "string" };
  const query = {
    method: { const: "search/query" },
    params: { type: "object", properties: { query: text }, required: ["query"] },
  };
  const $defs = {
    SearchQueryRequest: { type: "object", properties: query, required: ["method", "params"] },
    SearchQueryResult: {
      type: "object",
      properties: { items: { type: "array", items: text } },
      required: ["items"],
    },
    SearchSettings: { type: "object", properties: { fuzzy: { type: "boolean" } } },
  };
  writeFileSync(join(folder, "search.json"), JSON.stringify({ $defs }));
  await mcpgen(folder, ["extension", "add", "search.json", "--id", "com.example/search"]);
  const about = join(folder, "schema/extensions/com.example/search/1.0.0/extension.json");
  const settings = { server: "#/$defs/SearchSettings" };
  writeFileSync(about, JSON.stringify({ ...(JSON.parse(readFileSync(about, "utf8")) as object), settings }));
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  return readdirSync(join(folder, "generated"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [`generated/${path}`, readFileSync(join(folder, "generated", path), "utf8")]);
}

test("code blocks of the documentation that import the runtime or an extension compile", async () => {
  const blocks = documents.flatMap((document) =>
    blocksOf(document, "ts")
      .filter((code) => code.includes('"@mcpgen/runtime') || code.includes("/extensions/"))
      .map((code, index) => [`${document.replaceAll("/", "-")}-${index}.ts`, code] as const),
  );
  expect(blocks.length).toBeGreaterThanOrEqual(25);
  const errors = (await compilerOutput(new Map([...blocks, ...(await searchExtension())]), projectConfig))
    .split("\n")
    .filter((line) => line.includes("error TS"));
  // Our packages are taken from source, and type-checked by themselves.
  expect(errors.filter((line) => !/^(runtime|generated)\//.test(line))).toEqual([]);
});
