import { expect, test } from "vitest";
import { initialized, newServer, scripted, serve } from "../support/live-server.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const contract = 'name: one\nversion: "1.0.0"\ntools:\n  - name: echo\n    inputSchema: { type: object }\n';

test("a contract without out is only compared with its server: no schema folder and no output is needed", async () => {
  const server = newServer("one");
  server.tool("echo", { inputSchema: { type: "object" } }, async () => "x");
  const source = await serve(server);
  const config = (entry: object): string => JSON.stringify({ contracts: [{ file: "c.yaml", ...entry }] });
  const folder = temporaryFolder({ "mcpgen.config.json": config({ server: source }) });
  expect((await mcpgen(folder, ["capture", source])).stdout).toContain("c.yaml: written");
  const checked = await mcpgen(folder, ["check"]);
  expect([checked.code, checked.stderr]).toEqual([0, ""]);
  expect(checked.stdout).toContain(`${source} is as`);
  server.tool("more", { inputSchema: { type: "object" } }, async () => "x");
  expect((await mcpgen(folder, ["check"])).stdout).toContain("tool-added");
  const offline = await mcpgen(folder, ["check", "--offline"]);
  expect([offline.code, offline.stdout]).toEqual([0, "1 contract, from which nothing is generated\n"]);
  const broken = temporaryFolder({ "c.yaml": "tools: 1\n", "mcpgen.config.json": config({}) });
  expect((await mcpgen(broken, ["check", "--offline"])).code).toBe(3);
  const half = temporaryFolder({ "c.yaml": contract, "mcpgen.config.json": config({ out: "src" }) });
  const refused = await mcpgen(half, ["check"]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/\/contracts\/0: error MG2103: expected the key "role", which is missing/),
  ]);
});

const valid = { name: "right", description: "d", inputSchema: { type: "object" } };
const invalid = {
  a: { name: "a", inputSchema: { type: "string" } },
  b: { name: "b", inputSchema: { type: "object" }, description: 5 },
  c: { name: "c" },
} as const;

test.each([1, 2, 3])(
  "%i invalid tools of a live server are one finding, and none is removed",
  async (count) => {
    const wrong = Object.values(invalid).slice(0, count);
    const source = scripted({
      initialize: initialized({ tools: {} }),
      "tools/list": { tools: [wrong[0], valid, ...wrong.slice(1)] },
    });
    const tools = [...Object.keys(invalid), "right", "gone"].map((name) => ({ ...valid, name }));
    const kept = tools.filter(({ name }) => !(name in invalid) || wrong.some((each) => each.name === name));
    const folder = temporaryFolder({
      "c.json": JSON.stringify({ name: "scripted", version: "1", tools: kept }),
    });
    const ran = await mcpgen(folder, ["check", "--server", source, "--contract", "c.json", "--json"]);
    const { findings } = JSON.parse(ran.stdout) as {
      findings: { code: string; message: string; detail: string }[];
    };
    expect(findings.map(({ code, message }) => `${code} ${message.split(" (")[0]!}`).sort()).toEqual([
      `MG6308 tool-invalid: ${wrong.map(({ name }) => `tools/${name}`).join(", ")}`,
      "MG6308 tool-removed: tools/gone",
    ]);
    const { detail } = findings.find(({ message }) => message.startsWith("tool-invalid"))!;
    for (const { name } of count === 1 ? [] : wrong) expect(detail).toContain(`tools/${name}: `);
    const text = await mcpgen(folder, ["diff", "c.json", source]);
    expect(text.stdout).not.toContain("MG6301");
    expect(text.stdout).toContain(`tool-invalid${count > 1 ? ` ×${count}` : ""}: `);
  },
);

test("if all tools of a server are invalid, the last line gives no command to update the contract", async () => {
  const source = scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools: [invalid.a] } });
  const tools = [{ ...valid, name: "a" }];
  const folder = temporaryFolder({ "c.json": JSON.stringify({ name: "scripted", version: "1", tools }) });
  const ran = await mcpgen(folder, ["check", "--server", source, "--contract", "c.json"]);
  expect([ran.code, ran.stdout]).toEqual([1, expect.not.stringContaining("Run: ")]);
});

test("an invalid tool that the contract does not have is named, too", async () => {
  const source = scripted({
    initialize: initialized({ tools: {} }),
    "tools/list": { tools: [valid, invalid.c] },
  });
  const folder = temporaryFolder({
    "c.json": JSON.stringify({ name: "scripted", version: "1", tools: [valid] }),
  });
  const ran = await mcpgen(folder, ["check", "--server", source, "--contract", "c.json"]);
  expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining("tool-invalid: tools/c")]);
});

test("for a change with one side, the report states that the other side is absent", async () => {
  const files = (hints: object, properties: object): string =>
    JSON.stringify({
      ...{ name: "s", version: "1" },
      tools: [{ ...valid, annotations: hints, inputSchema: { type: "object", properties } }],
    });
  const folder = temporaryFolder({
    "old.json": files({ readOnlyHint: true }, {}),
    "new.json": files({}, { x: { type: "boolean" } }),
  });
  for (const format of ["text", "markdown"]) {
    const { stdout } = await mcpgen(folder, [
      "diff",
      "old.json",
      "new.json",
      "--format",
      format,
      "--verbose",
    ]);
    expect(stdout.replaceAll("`", "")).toContain("true → (absent)");
    expect(stdout.replaceAll("`", "")).toContain("(absent) → boolean");
  }
});
