import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { builtCli } from "../support/built-program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const cli = builtCli();
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const text = { type: "string" };

/** A protocol of so many methods, each of which leads to so many definitions that all of them share. */
function shared(count: number, value: JsonValue): JsonObject {
  const definitions: JsonObject = { EmptyResult: { type: "object" } };
  for (let index = 0; index < count; index++) {
    const below = [2 * index + 1, 2 * index + 2].filter((child) => child < count);
    const children = below.map((child, at) => [`child${at}`, ref(`Shared${child}`)]);
    const properties = { value: index % 100 === 0 ? value : text, ...Object.fromEntries(children) };
    definitions[`Shared${index}`] = { type: "object", properties };
    definitions[`Do${index}Params`] = { type: "object", properties: { shared: ref("Shared0") } };
    definitions[`Do${index}Request`] = {
      type: "object",
      properties: { method: { const: `test/do${index}` }, params: ref(`Do${index}Params`) },
      required: ["method", "params"],
    };
  }
  const requests = Array.from({ length: count }, (_, index) => ref(`Do${index}Request`));
  definitions["ClientRequest"] = { anyOf: requests };
  return { $schema: "https://json-schema.org/draft/2020-12/schema", $defs: definitions };
}

test("many methods that share many definitions are compared in little memory", () => {
  const folder = temporaryFolder({});
  for (const [name, value] of [
    ["old.json", text],
    ["new.json", { type: "number" }],
  ] as const)
    writeFileSync(join(folder, name), JSON.stringify(shared(1500, value)));
  // 4,500 definitions, and 1,500 ways to each of the shared ones.
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--max-old-space-size=200", cli, "diff", "old.json", "new.json", "--json", "--fail-on", "never"],
    { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  expect(status, stderr.slice(-500)).toBe(0);
  const { findings } = JSON.parse(stdout) as { findings: { rule: string; methods: string[] }[] };
  expect(findings).toHaveLength(15);
  expect(findings.every(({ methods }) => methods.length === 1500)).toBe(true);
});
