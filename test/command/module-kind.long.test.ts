import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";

const contract = { name: "w", version: "1", tools: [{ name: "one", inputSchema: { type: "object" } }] };

/** The output of `check` for a project whose generated output is up to date. */
async function said(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly text: string }> {
  const folder = temporaryFolder({
    "c.json": JSON.stringify(contract),
    "mcpgen.config.json": JSON.stringify({
      contracts: [{ file: "c.json", out: "src/generated", role: "client" }],
    }),
    ...files,
  });
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  const { code, stdout } = await mcpgen(folder, ["check"]);
  return { code, text: stdout };
}

const nodeNext = '{ // as written by hand\n  "compilerOptions": { "module": "NodeNext" }, }';

test.each<[string, Record<string, string>, RegExp]>([
  [
    "no type",
    { "package.json": "{}", "tsconfig.json": nodeNext },
    /package.json does not say "type": "module"/,
  ],
  [
    "commonjs",
    { "package.json": '{"type":"commonjs"}', "tsconfig.json": nodeNext },
    /→ Add "type": "module" to package.json/,
  ],
  [
    "a nearer package.json without a type",
    { "package.json": '{"type":"module"}', "src/package.json": "{}", "tsconfig.json": nodeNext },
    /src\/package.json does not say/,
  ],
  [
    "an option that is inherited",
    {
      "package.json": "{}",
      "tsconfig.json": '{ "extends": "./base" }',
      "base.json": '{ "compilerOptions": { "module": "node20" } }',
    },
    /with "module": "node20"/,
  ],
  [
    "CommonJS by name",
    {
      "package.json": '{"type":"module"}',
      "tsconfig.json": '{ "compilerOptions": { "module": "CommonJS" } }',
    },
    /tsconfig.json has "module": "commonjs"/,
  ],
])(
  "a warning with the next step is printed for a project that is compiled to CommonJS: %s",
  async (_, files, message) => {
    const { code, text } = await said(files);
    expect([code, text]).toEqual([0, expect.stringMatching(message)]);
    expect(text).toContain("warning MG6009");
  },
);

test.each<[string, Record<string, string>]>([
  ["ES modules", { "package.json": '{"type":"module"}', "tsconfig.json": nodeNext }],
  ["a bundler", { "package.json": "{}", "tsconfig.json": '{ "compilerOptions": { "module": "esnext" } }' }],
  ["no TypeScript", { "package.json": "{}" }],
  [
    "a package.json for the code",
    { "package.json": "{}", "src/package.json": '{"type":"module"}', "tsconfig.json": nodeNext },
  ],
])("other projects cause no warning: %s", async (_, files) => {
  const { code, text } = await said(files);
  expect([code, text]).toEqual([0, expect.not.stringContaining("MG6009")]);
});

test("the cached result depends on the current files", async () => {
  const folder = temporaryFolder({
    "c.json": JSON.stringify(contract),
    "mcpgen.config.json": JSON.stringify({ contracts: [{ file: "c.json", out: "src", role: "client" }] }),
    ...{ "package.json": "{}", "tsconfig.json": nodeNext },
  });
  await mcpgen(folder, ["generate"]);
  expect((await mcpgen(folder, ["check"])).stdout).toContain("MG6009");
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  expect((await mcpgen(folder, ["check"])).stdout).not.toContain("MG6009");
});
