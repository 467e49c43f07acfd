import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** Twelve choices between two arms. The remaining members depend on all of them: 4096 combinations. */
function endless(): object {
  const ways = (level: number): object => ({
    anyOf: ["a", "b"].map((name) => ({
      properties: { [name + level]: {} },
      $ref: `#/$defs/L${level + 1}`,
    })),
  });
  const levels = Array.from({ length: 12 }, (_, level) => [`L${level}`, ways(level)]);
  const $defs = { ...(Object.fromEntries(levels) as object), L12: { properties: { z: {} } } };
  return { type: "object", $defs, $ref: "#/$defs/L0", unevaluatedProperties: false };
}

const bad = {
  draft3: { $schema: "http://json-schema.org/draft-03/schema#", type: "object" },
  tuple: { type: "object", properties: { a: { type: "array", items: [{ type: "string" }] } } },
  pattern: { type: "object", properties: { a: { type: "string", pattern: "([" } } },
  remote: { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } },
  endless: endless(),
};
const good = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
const tools = [
  ...Object.entries(bad).map(([name, inputSchema]) => ({ name, inputSchema, outputSchema: good })),
  { name: "result", inputSchema: good, outputSchema: bad.draft3 },
  { name: "fine", inputSchema: good, outputSchema: good },
];
const contract = JSON.stringify({ name: "n", version: "1", tools });
const words = (role: string): string[] => ["--contract", "c.json", "--out", "out", "--role", role];

test("a client is generated without the smallest unreadable part, with a warning for each", async () => {
  const folder = temporaryFolder({ "c.json": contract });
  const ran = await mcpgen(folder, ["generate", ...words("client"), "--json"]);
  const { exit, findings } = JSON.parse(ran.stdout) as { exit: number; findings: unknown[] };
  expect(exit).toBe(0);
  expect(findings).toEqual(
    [...Object.keys(bad), "result"].map((name, index) =>
      expect.objectContaining({
        code: "MG6005",
        severity: "warning",
        message: expect.stringContaining(`the tool "${name}": `) as string,
        place: expect.objectContaining({
          file: "c.json",
          line: 1,
          pointer: expect.stringContaining(
            `/tools/${index}/${name === "result" ? "out" : "in"}putSchema`,
          ) as string,
        }) as object,
      }),
    ),
  );
  const types = readFileSync(join(folder, "out/types.ts"), "utf8");
  expect(types.match(/export interface Arguments {\n {4}\[k: string\]: unknown;/g)).toHaveLength(2);
  expect(types).toContain("Not typed: its outputSchema cannot be read");
  expect(types).toContain("Not typed: its inputSchema/properties/a cannot be read");
  expect(types).toMatch(/namespace Pattern {\n {2}export interface Arguments {\n {4}a\?: string;/);
  const client = readFileSync(join(folder, "out/client.ts"), "utf8");
  expect(client).toMatch(
    /remote: \(\s*args\?: types\.Remote\.Arguments,[^)]*\) => Promise<StructuredOutcome</,
  );
  expect(client).toMatch(/result: \(\s*args: types\.Result\.Arguments,[^)]*\) => Promise<Outcome>/);
  const check = await mcpgen(folder, ["generate", ...words("client"), "--check", "--json"]);
  expect(JSON.parse(check.stdout)).toMatchObject({ exit: 0, findings });
});

test("the client checks results with readable schemas, and passes others on unchecked", async () => {
  const document = await readContract(contract, "c.json");
  const { files } = await generateContract({ document, role: "client", importExtension: "js" });
  const { code } = transformSync(files.get("client.ts")!, { loader: "ts" });
  const rows = [...code.matchAll(/\["(\w+)", "\w+"(, checks\.check(\w+))?\]/g)];
  expect(rows.map(([, name, , check]) => [name, check])).toEqual([
    ...Object.keys(bad).map((name) => [name, expect.stringMatching(/Result$/)]),
    ["result", undefined],
    ["fine", "FineResult"],
  ]);
});

test.each(["server", "both"])("a %s is refused, with all parts that need a correction", async (role) => {
  const folder = temporaryFolder({ "c.json": contract });
  const ran = await mcpgen(folder, ["generate", ...words(role)]);
  expect(ran).toMatchObject({ code: 3, stdout: "" });
  expect(ran.stderr.match(/error MG6005/g)).toHaveLength(6);
});

test("a URI template that cannot be expanded costs a client only its method", async () => {
  const resourceTemplates = ["x://{a!}", "x://{a}", "x://{b:3}{c*}", "x://{"].map((uriTemplate) => ({
    name: "t",
    uriTemplate,
  }));
  const text = JSON.stringify({
    name: "n",
    version: "1",
    capabilities: { completions: {} },
    resourceTemplates,
  });
  const document = await readContract(text, "c.json");
  const request = { document, importExtension: "js" } as const;
  const { files, warnings } = await generateContract({ ...request, role: "client" });
  expect(warnings.map(({ code, severity, place }) => [code, severity, place!.pointer])).toEqual([
    ["MG6007", "warning", "/resourceTemplates/0/uriTemplate"],
    ["MG6007", "warning", "/resourceTemplates/3/uriTemplate"],
  ]);
  expect(files.get("types.ts")!.match(/namespace/g)).toHaveLength(3);
  await expect(generateContract({ ...request, role: "server" })).rejects.toMatchObject({ code: "MG6007" });
});
