import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { compilerOutput, projectConfig } from "../support/typescript-compiler.js";
import { blocksOf, documentsIn, readmes } from "./documents.js";

/** Guides are walked outside of the repository, where the READMEs of packages are compiled, too. */
const documents = [
  "README.md",
  "skills/mcpgen/SKILL.md",
  ...documentsIn("docs"),
  ...documentsIn("docs/tasks"),
  ...readmes.filter((file) => file.startsWith("examples/")),
];

/** Blocks that do not compile alone, by their first line. */
const leftOut: readonly (readonly [firstLine: RegExp, reason: string])[] = [
  [/^const mcp = create|^for \(const path of mcp\.routes\)/, "mounts.test.ts finds them in the examples"],
  [/^const \{ items, references, complete \}|^const weather = weatherClient/, "they need generated code"],
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

test("code blocks of the documentation compile", async () => {
  const all = documents.flatMap((document) =>
    blocksOf(document, "ts").map((code, index, codes) => {
      // A block that uses names of the block before it continues that one.
      const isContinued = code.includes("cluster: cluster(");
      return [
        `${document.replaceAll("/", "-")}-${index}.ts`,
        isContinued ? codes[index - 1]! + code : code,
      ] as const;
    }),
  );
  const blocks = all.filter(([, code]) => leftOut.every(([firstLine]) => !firstLine.test(code)));
  expect(blocks.length).toBeGreaterThanOrEqual(40);
  for (const [firstLine, reason] of leftOut)
    expect(
      all.some(([, code]) => firstLine.test(code)),
      reason,
    ).toBe(true);
  const errors = (await compilerOutput(new Map([...blocks, ...(await searchExtension())]), projectConfig))
    .split("\n")
    .filter((line) => line.includes("error TS"));
  // Our packages are taken from source, and type-checked by themselves.
  expect(errors.filter((line) => !/^(runtime|generated)\//.test(line))).toEqual([]);
});
