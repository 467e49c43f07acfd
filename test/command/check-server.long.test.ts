import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Finding, subjectText } from "../../generator/diff/finding.js";
import { type LiveServer, initialized, newServer, scripted, serve } from "../support/live-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { type Ran, mcpgen } from "../support/in-process.js";

const definition = {
  description: "The weather.",
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: "object",
    properties: {
      city: { type: "string", description: "Where." },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      days: { type: "integer", maximum: 7 },
    },
    required: ["city"],
  },
  outputSchema: {
    type: "object",
    properties: { celsius: { type: "number" }, sky: { type: "string" } },
    required: ["celsius", "sky"],
  },
};

/** A running server, its tool, and a folder with the contract that was captured of it. */
async function running(): Promise<{
  readonly server: LiveServer;
  readonly change: (edit: (draft: any) => void) => void; // oxlint-disable-line typescript/no-explicit-any
  readonly check: (...more: string[]) => Promise<Ran>;
  readonly source: string;
  readonly folder: string;
}> {
  const server = newServer();
  const handler = (): object => ({ structuredContent: { celsius: 9, sky: "rain" } });
  const tool = server.tool("get_weather", structuredClone(definition) as never, handler as never);
  const source = await serve(server);
  const folder = temporaryFolder();
  expect((await mcpgen(folder, ["capture", source])).code).toBe(0);
  return {
    server,
    source,
    folder,
    change: (edit) => {
      const draft = structuredClone(definition) as never;
      edit(draft);
      tool.update(draft);
    },
    check: (...more) => mcpgen(folder, ["check", "--server", source, ...more]),
  };
}

/** One tool, changed in ten ways. */
// oxlint-disable-next-line typescript/no-explicit-any
function changed(tool: any): void {
  const { inputSchema, outputSchema } = tool;
  tool.description = "Call this first.";
  tool.annotations = { readOnlyHint: false };
  inputSchema.properties.city.description = "A town.";
  inputSchema.properties.city.minLength = 2;
  inputSchema.properties.unit.enum.pop();
  inputSchema.properties.days.maximum = 5;
  inputSchema.properties.token = { type: "string" };
  inputSchema.required = ["city", "token"];
  outputSchema.properties.celsius.type = "string";
  outputSchema.required = ["celsius"];
  delete tool.annotations.readOnlyHint;
  tool.title = "Weather";
}

/** The rule, the subject, and the levels for client and server of each finding. */
const tenWays = [
  "bound-tightened tools/get_weather.arguments.city breaking safe",
  "bound-tightened tools/get_weather.arguments.days breaking safe",
  "enum-value-removed tools/get_weather.arguments.unit breaking safe",
  "hint-weakened tools/get_weather.annotations.readOnlyHint dangerous safe",
  "property-added-required tools/get_weather.arguments.token breaking safe",
  "property-became-optional tools/get_weather.result.sky breaking safe",
  "text-changed tools/get_weather.arguments.city safe safe",
  "text-changed tools/get_weather.description safe safe",
  "text-changed tools/get_weather.title safe safe",
  "type-changed tools/get_weather.result.celsius breaking breaking",
];

function reported({ stdout }: Ran): string[] {
  const found = [...stdout.matchAll(/error MG6308: (\S+): (\S+?):? .*?\(client: (\w+), server: (\w+)/g)];
  return found.map(([, ...parts]) => parts.join(" ")).sort();
}

test("one tool of a running server, changed in ten ways: each is named with the level for each role", async () => {
  const { change, check, source } = await running();
  expect(await check()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("is as mcp.contract.yaml says"),
  });
  change(changed);
  const ran = await check();
  expect(reported(ran)).toEqual(tenWays);
  expect(ran.code).toBe(1);
  // Each has line and column; a new member has the place of its object.
  expect(ran.stdout.match(/^mcp\.contract\.yaml:\d+:\d+ \/tools\/0[^:]*: error MG6308/gm)).toHaveLength(10);
  expect(ran.stdout).toMatch(
    /:\d+:\d+ \/tools\/0\/inputSchema\/properties: error MG6308: property-added-required/,
  );
  expect(ran.stdout).toContain('the contract takes {"city":');
  expect(ran.stdout.trimEnd().split("\n").at(-1)).toBe(
    `Run: mcpgen capture --out mcp.contract.yaml --replace ${source}`,
  );
  expect(ran.stdout).toContain(
    `${source} differs from mcp.contract.yaml: 10 findings: 6 breaking, 1 dangerous, 3 safe\n`,
  );
  expect(ran.stdout).toMatch(/the contract takes \{.*\}, the server does not\n/);
  // What several findings have in common is said once.
  for (const line of [
    "Write values within the new limit.",
    "Read both texts: ",
    "A new reader rejects the value.",
  ])
    expect([line, ran.stdout.split(line).length]).toEqual([line, 2]);
});

test("more than a handful of findings with one explanation are one, unless --verbose or a program asks", async () => {
  const { server, check } = await running();
  for (let number = 1; number <= 30; number++)
    server.tool(`t${number}`, { inputSchema: { type: "object" } }, () => "");
  const { stdout, code } = await check();
  expect([code, stdout.match(/MG6308/g)]).toEqual([1, ["MG6308"]]);
  expect(stdout).toMatch(
    /tool-added ×30: tools\/t1, tools\/t2, .* and 10 more \(client: safe, server: dangerous\)/,
  );
  expect(stdout).toContain("→ Calls of the contract still work; capture the server to use the change.\n");
  expect(stdout).toContain("\n    --verbose lists each of them, with its place.\n");
  expect(stdout).toContain(": 30 findings: 0 breaking, 30 dangerous, 0 safe\n");
  expect((await check("--verbose")).stdout.match(/MG6308/g)).toHaveLength(30);
  const { findings } = JSON.parse((await check("--json")).stdout) as { findings: { next?: string }[] };
  expect([findings.length, findings.every(({ next }) => next !== undefined)]).toEqual([30, true]);
});

test("a schema that cannot be read is the fault of the side that has it", async () => {
  const sound = { name: "t", inputSchema: { type: "object", properties: { city: { type: "string" } } } };
  const broken = JSON.parse(JSON.stringify(sound).replace('"string"', '"strng"')) as object;
  const listing = (tool: object): string =>
    scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools: [tool] } });
  const contract = (tool: object): string =>
    `name: scripted\nversion: "1"\ncapabilities: { tools: {} }\ntools:\n  - ${JSON.stringify(tool)}\n`;
  for (const [file, source, faulty] of [
    [contract(broken), listing(sound), "c.yaml:5"],
    [contract(sound), listing(broken), "stdio:"],
  ] as const) {
    const ran = await mcpgen(temporaryFolder({ "c.yaml": file }), [
      "check",
      "--server",
      source,
      "--contract",
      "c.yaml",
    ]);
    expect([ran.code, ran.stdout]).toEqual([
      1,
      expect.stringContaining("schema-not-compared: tools/t.arguments.city: " + faulty),
    ]);
    expect(ran.stdout).toContain('cannot be read: expected a JSON Schema type, got "strng"');
    expect(ran.stdout).toContain(`→ Correct the schema in ${faulty}`);
  }
});

test("the same findings come from a server that check starts", async () => {
  const serving = (tool: object): string =>
    scripted({
      initialize: initialized({ tools: {} }, { protocolVersion: "2025-11-25" }),
      "tools/list": { tools: [{ name: "get_weather", ...tool }] },
    });
  const folder = temporaryFolder();
  const check = (source: string): Promise<Ran> => mcpgen(folder, ["check", "--server", source]);
  const before = serving(definition);
  expect((await mcpgen(folder, ["capture", before])).code).toBe(0);
  expect((await check(before)).code).toBe(0);
  const after = structuredClone(definition);
  changed(after);
  const ran = await check(serving(after));
  expect(reported(ran)).toEqual(tenWays);
  expect(ran.code).toBe(1);
});

test("an approved finding does not fail until the approval expires", async () => {
  const { change, check, source, folder } = await running();
  change((tool) => {
    tool.description = "Other.";
    tool.inputSchema.properties.days.maximum = 5;
  });
  const diff = await mcpgen(folder, ["diff", "mcp.contract.yaml", source, "--format", "json"]);
  const entries = (JSON.parse(diff.stdout).findings as Finding[]).map(({ fingerprint, rule, subject }) => ({
    ...{ fingerprint, rule, subject: subjectText(subject) },
    ...{ reason: "It is so.", by: "Ada", until: "9999-01-01" },
  }));
  expect(entries).toHaveLength(2);
  const approve = (approvals: object[]): void =>
    writeFileSync(join(folder, "mcp-approvals.json"), JSON.stringify({ format: 1, approvals }));
  const other = { ...entries[0], fingerprint: "of another comparison" };

  approve([...entries, other]);
  const all = await check();
  expect(all.stdout).toContain(`${source} differs from mcp.contract.yaml: 2 approved differences`);
  expect(all.stdout).not.toContain("MG6308");
  expect(all.code).toBe(0);
  const named = await check("--approvals", "mcp-approvals.json");
  expect(named.stdout).toContain("MG3203");
  expect(named.code).toBe(0);
  approve(entries.slice(1));
  expect((await check()).code).toBe(1);
  approve(entries.map((entry, index) => (index === 0 ? entry : { ...entry, until: "2020-01-01" })));
  const expired = await check();
  expect(expired.stdout).toContain("MG3204");
  expect(expired.code).toBe(1);
});

test("the command of the last line updates the contract", async () => {
  const { change, check, source, folder } = await running();
  change((tool) => (tool.description = "Other."));
  expect((await check()).code).toBe(1);
  await mcpgen(folder, ["capture", source, "--out", "mcp.contract.yaml", "--replace"]);
  expect((await check()).code).toBe(0);
  expect(readFileSync(join(folder, "mcp.contract.yaml"), "utf8")).toContain("Other.");
});

test("--fail-on turns harmless findings into warnings", async () => {
  const { change, check, server } = await running();
  change((tool) => (tool.description = "Other."));
  const ran = await check("--fail-on", "breaking");
  expect(ran.stdout).toContain("warning MG6308: text-changed: tools/get_weather.description");
  expect(ran.code).toBe(0);
  server.tool("more", { inputSchema: { type: "object" } }, () => "");
  expect((await check("--fail-on", "breaking")).code).toBe(0);
  expect((await check("--fail-on", "dangerous")).code).toBe(1);
});

test("--json has the whole report", async () => {
  const { change, check } = await running();
  change((tool) => {
    delete tool.outputSchema.properties.sky;
    tool.outputSchema.required.pop();
  });
  const { exit, diff, findings } = JSON.parse((await check("--json")).stdout);
  expect(exit).toBe(1);
  expect(findings).toHaveLength(1);
  expect(diff.findings).toMatchObject([
    {
      level: { client: "breaking", server: "dangerous" },
      counterexample: { valid: { old: false, new: true } },
    },
  ]);
});

test("an invalid entry of a list is the finding that it causes", async () => {
  const tools = [{ name: "get_weather", inputSchema: { type: "string" } }];
  const source = scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools } });
  const contract =
    "name: scripted\nversion: '1'\ncapabilities: { tools: {} }\ntools:\n  - name: get_weather\n";
  const folder = temporaryFolder({ "c.yaml": `${contract}    inputSchema: { type: object }\n` });
  const ran = await mcpgen(folder, ["check", "--server", source, "--contract", "c.yaml"]);
  expect(ran.stdout).not.toContain("MG6301");
  expect(ran.stdout).toMatch(/c\.yaml:5.*error MG6308: tool-invalid: tools\/get_weather \(client: breaking/);
  expect(ran.code).toBe(1);
});

test("an invalid entry is reported beside a valid one of the same name", async () => {
  const valid = { name: "get_weather", inputSchema: { type: "object" } };
  const tools = [valid, { ...valid, inputSchema: { type: "string" } }];
  const source = scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools } });
  const contract = { name: "scripted", version: "1", capabilities: { tools: {} }, tools: [valid] };
  const folder = temporaryFolder({ "c.json": JSON.stringify(contract) });
  const ran = await mcpgen(folder, ["check", "--server", source, "--contract", "c.json"]);
  expect(ran.stdout).toContain("error MG6308: tool-invalid: tools/get_weather (client: breaking");
  expect(ran.stdout.match(/MG63\d\d/g)).toEqual(["MG6308"]);
  expect(ran.code).toBe(1);
});

test.each([
  [["--contract", "c.yaml"], {}, "MG2005", /--server/],
  [["--env", "A=b"], {}, "MG2005", /--server/],
  [["--approvals", "a.json"], {}, "MG2005", /--server/],
  [["--server", "stdio:x", "--full"], {}, "MG2005", /two|Leave/],
  [["--server", "stdio:x"], {}, "MG2003", /capture/],
  [
    ["--server", "stdio:x"],
    {
      "mcpgen.config.json": JSON.stringify({
        contracts: [
          { file: "a.yaml", out: "a", role: "both" },
          { file: "b.yaml", out: "b", role: "both" },
        ],
      }),
    },
    "MG2003",
    /a\.yaml, b\.yaml/,
  ],
] as const)("check %j is refused with what to do", async (words, files, code, next) => {
  const ran = await mcpgen(temporaryFolder(files), ["check", ...words]);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(ran.stderr.split("→")[1]).toMatch(next);
  expect(ran.code).toBe(2);
});

test("diff takes contracts and servers, on either side, in every format", async () => {
  const { change, source, folder } = await running();
  change((tool) => tool.inputSchema.required.push("unit"));
  const ran = await mcpgen(folder, ["diff", "mcp.contract.yaml", source]);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain(
    "A client of mcp.contract.yaml meets 1 breaking change when its server moves to",
  );
  expect(ran.stdout).toMatch(/client property-became-required: tools\/get_weather\.arguments\.unit/);
  await mcpgen(folder, ["capture", source, "--out", "new.json"]);
  const files = await mcpgen(folder, ["diff", "mcp.contract.yaml", "new.json", "--format", "sarif"]);
  const [result] = JSON.parse(files.stdout).runs[0].results;
  expect(result).toMatchObject({ ruleId: "property-became-required", level: "error" });
  expect(result.locations[0].physicalLocation.artifactLocation.uri).toBe("new.json");
  const back = await mcpgen(folder, ["diff", source, "mcp.contract.yaml", "--role", "client"]);
  expect(back.code).toBe(0);
  const none = await mcpgen(folder, ["diff", source, "new.json"]);
  expect(none.stdout).toContain("no differences");
  const mixed = await mcpgen(process.cwd(), ["diff", "2025-11-25", join(folder, "new.json")]);
  expect(mixed.stderr).toContain("error MG6307");
  expect(mixed.code).toBe(2);
});

test.each([
  ["--timeout", "1"],
  ["--header", "a: b"],
  ["--env", "A=b"],
])("diff without a server refuses %s", async (...option) => {
  const ran = await mcpgen(process.cwd(), ["diff", "2025-06-18", "2025-11-25", ...option]);
  expect(ran.stderr).toContain(`error MG2005: ${option[0]} needs a server`);
  expect(ran.code).toBe(2);
  const file = temporaryFolder({ "a.json": '{ "name": "a", "version": "1" }' });
  expect((await mcpgen(file, ["diff", "a.json", "a.json", ...option])).code).toBe(2);
});

test.each([
  ["capture", "stdio:node a.js", "--header", "a: b"],
  ["call", "stdio:node a.js", "tool", "--header", "a: b"],
  ["capture", "http://127.0.0.1:9/mcp", "--env", "A=b"],
  ["check", "--server", "http://127.0.0.1:9/mcp", "--contract", "c.yaml", "--env", "A=b"],
  ["diff", "c.yaml", "http://127.0.0.1:9/mcp", "--env", "A=b"],
])("%s %s refuses an option of another transport", async (...words) => {
  const folder = temporaryFolder({ "c.yaml": "name: n\nversion: '1'\n" });
  const ran = await mcpgen(folder, words);
  expect(ran.stderr).toMatch(/error MG2005: --(?:header|env) needs a server/);
  expect(ran.code).toBe(2);
});

test.each([
  [
    "an argument may have more values",
    (tool: typeof definition) => tool.inputSchema.properties.unit.enum.push("kelvin"),
    {
      client: "Calls of the contract still work; capture the server to use the change.",
      server: "Map unknown values to the nearest known one, or ignore them.",
      both: "Calls of the contract still work; capture the server to use the change.",
    },
  ],
  [
    "an argument became required",
    (tool: typeof definition) => tool.inputSchema.required.push("unit"),
    {
      client: "Always write the property.",
      server: "Let the server keep the contract, or tell its clients: Always write the property.",
      both: "In clients: Always write the property.",
    },
  ],
  [
    "a part of the result became optional",
    (tool: typeof definition) => tool.outputSchema.required.pop(),
    {
      client: "Treat the property as optional when you read it.",
      server:
        "Let the server keep the contract, or tell its clients: Treat the property as optional when you read it.",
      both: "In clients: Treat the property as optional when you read it.",
    },
  ],
] as const)(
  "the advice is for the side of the contract that the project has: %s",
  async (_, edit, advice) => {
    const { change, check, folder } = await running();
    change(edit);
    for (const [role, next] of Object.entries(advice)) {
      const contracts = [{ file: "mcp.contract.yaml", out: "src/generated", role }];
      writeFileSync(join(folder, "mcpgen.config.json"), JSON.stringify({ contracts }));
      const { stdout } = await check("--json");
      expect(JSON.parse(stdout), role).toMatchObject({ findings: [{ code: "MG6308", next }] });
    }
  },
);
