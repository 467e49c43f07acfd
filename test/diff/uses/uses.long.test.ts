import { expect, test } from "vitest";
import { mcpgen } from "../../support/in-process.js";
import { smallProject } from "../../support/small-protocol.js";
import { breaking, files } from "../small-files.js";
import { codeFolder, reportOf, usesOf } from "./code.js";

const pair = ["2025-11-25", "2026-07-28"];

const code = `import type { CallToolResult, ElicitRequestURLParams, ListToolsResult, Tool } from "@mcpgen/protocol/2025-11-25/types";
import { isCancelTaskRequest } from "@mcpgen/protocol/2025-11-25/validators";
import { setLevel } from "@mcpgen/protocol/2025-11-25/client";
import type { Caller } from "@mcpgen/protocol/model";
import type { Params, Result } from "@mcpgen/protocol/2025-11-25/methods";
import type * as all from "@mcpgen/protocol/2025-11-25/types";
import type { Tool as OldTool } from "@mcpgen/protocol/2025-03-26/types";

export function shape({ execution, ...tool }: Tool): unknown {
  return [tool.outputSchema?.type, execution];
}
export const text = (result: CallToolResult) => result.structuredContent;
export const page = (tools: Tool[]): ListToolsResult => ({ tools });
export const url: ElicitRequestURLParams = { mode: "url", message: "", url: "", elicitationId: "1" };
export async function quiet(caller: Caller): Promise<void> {
  await setLevel(caller, { level: "error" });
  await caller.request("ping");
  await caller.request("tools/call", { name: "x" } satisfies Params<"tools/call">);
}
export type Called = Result<"tools/call">;
export const known = (value: unknown) => isCancelTaskRequest(value);
export const own: { elicitationId: string; structuredContent: string; ping: string } = { elicitationId: "", structuredContent: "", ping: "ping" };
own.structuredContent = own.elicitationId;
export const schema = (tool: OldTool) => tool.inputSchema.type;
export type { ToolExecution as Execution } from "@mcpgen/protocol/2025-11-25/types";
export type Support = all.Tool["execution"];
export const named = (tool: all.Tool) => tool["execution"];
`;

test("members, types, methods, stubs and validators are found exactly where the compiler sees them", async () => {
  const folder = codeFolder({ "src/main.ts": code }, { installed: ["protocol"] });
  const report = await reportOf(".", [...pair, "--uses", folder]);
  expect(report.warnings).toEqual([]);
  const uses = (rule: string, subject: string): string[] => usesOf(report, rule, subject);
  expect(uses("property-removed", "Tool.execution")).toEqual(["9 execution", "26 execution", "27 execution"]);
  expect(uses("property-removed", "Tool.outputSchema.type")).toEqual(["10 type"]);
  expect(uses("type-widened", "CallToolResult.structuredContent")).toEqual(["12 structuredContent"]);
  expect(uses("property-removed", "ElicitRequestURLParams.elicitationId")).toEqual(["14 elicitationId"]);
  expect(uses("property-added-required", "ListToolsResult.ttlMs")).toEqual(["13 ListToolsResult"]);
  expect(uses("request-removed", "logging/setLevel")).toEqual(["16 setLevel"]);
  expect(uses("request-removed", "ping")).toEqual(["17 ping"]);
  expect(uses("result-alternative-added", "tools/call")).toEqual(["18 tools/call", "20 tools/call"]);
  expect(uses("definition-removed", "CancelTaskRequest.")).toEqual(["21 isCancelTaskRequest"]);
  expect(uses("property-removed", "Tool.inputSchema.required")).toEqual([]);
  expect(uses("property-added-required", "Result.resultType")).toEqual([]);
  expect(uses("definition-removed", "SetLevelRequest.")).toEqual([]);
  expect(uses("definition-removed", "ToolExecution.")).toEqual(["25 ToolExecution"]);
  expect(report.code).toMatchObject({ files: 1, onlyUsed: false });
  expect(report.code.unused).toBe(report.findings.filter((finding) => finding.uses.length === 0).length);
});

test("the number of a removed error is found in code that compares it, and other numbers are not", async () => {
  const compares = `import { McpError } from "@mcpgen/runtime";
export const needsPage = (error: McpError): boolean => error.rpcCode === -32042;
export const codes = new Map([[-32042, "page"], [-32602, "params"], [32042, "port"], [-1, "none"]]);
export const text = "-32042";
`;
  const folder = codeFolder({ "src/main.ts": compares });
  const report = await reportOf(".", [...pair, "--uses", folder]);
  const gone = report.findings.filter(({ rule, uses }) => rule.startsWith("error-") && uses.length > 0);
  expect(gone.map(({ uses }) => uses.map(({ line, name }) => `${line} ${name}`))).toEqual([
    ["2 -32042", "3 -32042"],
  ]);
});

const contract = (tools: string): string => `name: weather
version: "1"
tools:
${tools}  - name: gone
    inputSchema: { type: object }
resources:
  - { name: config, uri: "config://app" }
`;
const tool = (inner: string): string => `  - name: get_weather
    inputSchema:
      type: object
      required: [city]
      properties: { ${inner} }
    outputSchema:
      type: object
      properties: { wind: { type: object, properties: { speed: { type: number } } } }
`;

const server = `import type { Handlers } from "./generated/server.js";

export const handlers: Handlers = {
  tools: {
    async get_weather({ city, unit: scale }) {
      return { structuredContent: { wind: { speed: city.length + (scale ?? "").length } } };
    },
    async gone() {
      return "gone";
    },
  },
  resources: { "config://app": async () => "{}" },
};

type Tools = Handlers["tools"];
export class Weather implements Tools {
  gone = () => "gone";
  get_weather = () => ({ structuredContent: {} });
}
`;
const client = `import { weatherClient } from "./generated/client.js";
import { Client } from "@mcpgen/runtime";

const weather = weatherClient(new Client());
const answer = await weather.tools.getWeather({ city: "Bern" });
if (!answer.isError) console.log(answer.structuredContent.wind?.speed);
await new Client().callTool("gone");
const unit = "gone";
console.log(unit);
`;
/** The exports of the runtime that the client uses. A handwritten declaration is read faster than the whole package. */
const runtime = `export declare class Client { callTool(name: string, args?: object): Promise<any>; }
export type CallToolResult = { content: string[]; _meta?: object };
export type RequestOptions = object;
export declare class McpError extends Error { constructor(code: string, message: string); }
`;

async function contractFolder(): Promise<string> {
  const folder = codeFolder(
    {
      "old.yaml": contract(tool("city: { type: string }, unit: { type: string }")),
      "new.yaml": contract(
        tool("city: { type: number }").replace("speed: { type: number }", "speed: { type: string }"),
      ).replace(/ {2}- name: gone.*\n.*\n/, ""),
      "src/server.ts": server,
      "src/client.ts": client,
      "node_modules/@mcpgen/runtime/package.json": '{"name":"@mcpgen/runtime","types":"index.d.ts"}',
      "node_modules/@mcpgen/runtime/index.d.ts": runtime,
    },
    { lib: "ES2015" },
  );
  const made = await mcpgen(folder, ["generate", "--contract", "old.yaml", "--out", "src/generated"]);
  expect(made.code, made.stderr).toBe(0);
  return folder;
}

test("between contracts handlers, client methods, arguments, results and names in calls are found", async () => {
  const report = await reportOf(await contractFolder(), ["old.yaml", "new.yaml", "--uses", "src"]);
  expect(usesOf(report, "type-changed", "tools/get_weather.arguments.city")).toEqual(["5 city"]);
  expect(usesOf(report, "property-removed", "tools/get_weather.arguments.unit")).toEqual(["5 unit"]);
  expect(usesOf(report, "type-changed", "tools/get_weather.result.wind.speed")).toEqual(["6 speed"]);
  expect(usesOf(report, "tool-removed", "tools/gone.")).toEqual(["7 gone", "8 gone", "17 gone"]);
  expect(report.code).toMatchObject({ path: "src", files: 2 });
});

const guessed = `import type { EchoParams as Params } from "@mcpgen/protocol/old/types";
export const params = { text: "" } as Params;
export const other = "lang";
export const broken = [params.text;
`;

/** Code whose imports cannot be resolved, and that has a syntax error. */
const guessedFolder = (): string =>
  codeFolder({ ...files, "src/guessed.ts": guessed, "src/none.ts": "export {};\n" });

test("unresolved imports are matched by name, and a file that does not parse is read in part: both are reported", async () => {
  const report = await reportOf(guessedFolder(), ["old.json", "breaking.json", "--uses", "src"]);
  expect(usesOf(report, "property-added-required", "EchoParams.lang")).toEqual(["2 Params"]);
  expect(report.exit).toBe(1);
  expect(report.warnings.map(({ code, place }) => [code, place.file, place.line])).toEqual([
    ["MG3210", "src/guessed.ts", 4],
    ["MG3211", "src/guessed.ts", undefined],
  ]);
});

test("every format names the places", async () => {
  const folder = guessedFolder();
  const printed = async (format: string): Promise<string> =>
    (await mcpgen(folder, ["diff", "old.json", "breaking.json", "--uses", "src", "--format", format])).stdout;
  expect(await printed("text")).toContain("\n         src/guessed.ts:2:39 Params\n");
  expect(await printed("text")).toMatch(
    /; 1 place in src to look at; 0 findings touch nothing in src; in 1 file names alone decide\n$/,
  );
  expect(await printed("markdown")).toContain(
    "### Where `src` meets it\n\n- `EchoParams.lang` (property-added-required): `src/guessed.ts:2:39`",
  );
  expect(await printed("github")).toMatch(
    /^::error file=src\/guessed\.ts,line=2,col=39,[^\n]*EchoParams\.lang/m,
  );
  expect(await printed("junit")).toContain("| used at src/guessed.ts:2:39</failure>");
  const [result] = (JSON.parse(await printed("sarif")) as { runs: [{ results: [object] }] }).runs[0].results;
  expect(result).toMatchObject({
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: "src/guessed.ts" },
          region: { startLine: 2, startColumn: 39, endColumn: 45 },
        },
      },
    ],
    relatedLocations: [
      { physicalLocation: { artifactLocation: { uri: "breaking.json" } }, message: { text: "the change" } },
    ],
  });
});

test("the guide of upgrade lists the uses of changed parts in code beside the generated folder", async () => {
  const folder = await smallProject({
    "src/echo.ts":
      'import type { EchoParams } from "../generated/2030-01-01/types.js";\nexport const echo = (given: EchoParams) => given.text;\n',
    "2031-01-01/schema.json": breaking,
  });
  expect((await mcpgen(folder, ["generate", "--only", "types"])).code).toBe(0);
  const { stdout } = await mcpgen(folder, [
    "upgrade",
    "2031-01-01/schema.json",
    "--dry-run",
    "--uses",
    "src",
    "--force",
  ]);
  expect(stdout).toContain("used at src/echo.ts:2:29: EchoParams");
  expect(stdout).toContain("1 place in src to look at; 0 findings touch nothing in src.");
});

test("--only-used leaves out findings without uses, which then do not fail the command", async () => {
  const folder = codeFolder({ ...files, "src/none.ts": "export {};\n" });
  const all = await reportOf(folder, ["old.json", "breaking.json", "--uses", "src"]);
  expect([all.exit, all.findings.length, all.code.unused]).toEqual([1, 1, 1]);
  const used = await reportOf(folder, [
    "old.json",
    "breaking.json",
    "--uses",
    "src/../tsconfig.json",
    "--only-used",
  ]);
  expect([used.exit, used.findings.length, used.code.unused]).toEqual([0, 0, 1]);
});

test.each([
  [["--only-used"], "MG2005"],
  [["--uses", "nowhere"], "MG3209"],
  [["--uses", "node_modules"], "MG3209"],
  [["--uses", "src/none.ts"], "MG3209"],
])("%j is refused with the next step", async (options, code) => {
  const { code: exit, stderr } = await mcpgen(codeFolder({ ...files, "src/none.ts": "" }), [
    "diff",
    "old.json",
    "safe.json",
    ...options,
  ]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(code)]);
});
