import fc from "fast-check";
import { expect, test } from "vitest";
import { contractNames } from "../../generator/contract/emit/names.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { diffContracts } from "../../generator/diff/contract/diff-contracts.js";
import { cases } from "../support/cases.mjs";

const named = (name: string) => contractNames({ name, version: "1" });

test.each([
  ["weather", "createWeatherServer", "WeatherClient", "weatherClient"],
  ["my-server", "createMyServer", "MyServerClient", "myServerClient"],
  ["MyServer", "createMyServer", "MyServerClient", "myServerClient"],
  ["my_mcp_server", "createMyMcpServer", "MyMcpServerClient", "myMcpServerClient"],
  ["my-client", "createMyClientServer", "MyClient", "myClient"],
  ["observer", "createObserverServer", "ObserverClient", "observerClient"],
  // `createServer` and `Client` are the runtime's.
  ["server", "createMcpServer", "McpServerClient", "mcpServerClient"],
  ["Client", "createMcpClientServer", "McpClient", "mcpClient"],
])("names of a contract called %s do not repeat a word", (name, createServer, clientType, clientFunction) => {
  expect(named(name)).toMatchObject({ createServer, clientType, clientFunction });
});

test("names of its lists, prompts and templates do not repeat a word", () => {
  expect(named("file-tools").listType("tools")).toBe("FileTools");
  expect(named("file-tools").listType("resourceTemplates")).toBe("FileToolsResourceTemplates");
  const { tools, prompts, templates } = contractNames({
    ...{ name: "x", version: "1" },
    tools: [{ name: "review_prompt", inputSchema: { type: "object" } }],
    prompts: [{ name: "review_prompt" }, { name: "plan" }, { name: "prompt" }],
    resourceTemplates: [{ name: "file template", uriTemplate: "file:///{name}" }],
  });
  expect(tools.get("review_prompt")!.namespace).toBe("ReviewPrompt");
  expect([...prompts.values()].map(({ namespace }) => namespace)).toEqual([
    "ReviewPrompt2",
    "PlanPrompt",
    "Prompt",
  ]);
  expect(templates.get("file:///{name}")!.namespace).toBe("FileTemplate");
});

const alike = fc.uniqueArray(
  fc.constantFrom(
    "get-user",
    "get_user",
    "getUser",
    "Get User",
    "getUser2",
    "get.user.2",
    "天气",
    "天_气",
    "list",
    "é",
    "e\u0301",
  ),
);

test("names in code depend on the set of names, not on its order", () => {
  const of = (names: readonly string[]) => {
    const entries = names.map((name) => ({
      name,
      inputSchema: { type: "object" },
      uri: name,
      uriTemplate: name,
    }));
    const lists = { tools: entries, prompts: entries, resources: entries, resourceTemplates: entries };
    const { tools, prompts, resources, templates } = contractNames({ name: "n", version: "1", ...lists });
    return { tools, prompts, resources, templates };
  };
  fc.assert(
    fc.property(alike, fc.nat(), (names, turn) => {
      const at = turn % (names.length + 1);
      const named = of(names);
      expect(of([...names.slice(at), ...names.slice(0, at)].reverse())).toEqual(named);
      const methods = [...named.tools.values()].map(({ method }) => method);
      expect(new Set(methods).size).toBe(names.length);
    }),
    { numRuns: cases(200) },
  );
});

/** The tool that each method of a printed client calls. */
async function called(contract: object): Promise<Map<string, string>> {
  const document = await readContract(JSON.stringify(contract), "c.json");
  const { files } = await generateContract({ document, role: "client", importExtension: "js" });
  const rows = files.get("client.ts")!.matchAll(/\[("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")/g);
  return new Map(
    [...rows].map(([, method, tool]) => [JSON.parse(method!), JSON.parse(tool!)] as [string, string]),
  );
}

test("diff reports each method whose calls go to another tool, and no other", async () => {
  const of = (names: readonly string[]) => ({
    ...{ name: "n", version: "1" },
    tools: names.map((name) => ({ name, inputSchema: { type: "object" } })),
  });
  await fc.assert(
    fc.asyncProperty(alike, alike, async (before, after) => {
      const [old, next] = [await called(of(before)), await called(of(after))];
      expect([old.size, next.size]).toEqual([before.length, after.length]);
      const moved = [...old].filter(([method, tool]) => next.has(method) && next.get(method) !== tool);
      const reported = diffContracts(of(before), of(after)).filter(({ rule }) => rule === "method-moved");
      expect(reported.map(({ subject }) => ("path" in subject ? subject.path : "")).sort()).toEqual(
        moved.map(([method]) => `tools.${method}`).sort(),
      );
    }),
    { numRuns: cases(500, 30) },
  );
});

test("checks of tools called in other scripts have validators", async () => {
  const tools = ["天気", "気温", "café"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const document = await readContract(JSON.stringify({ name: "n", version: "1", tools }), "c.json");
  const { files } = await generateContract({ document, role: "both", importExtension: "js" });
  const wanted = [...files.get("checks.ts")!.matchAll(/validators\.(is\w+)/g)].map(([, name]) => name!);
  expect(new Set(wanted).size).toBe(3);
  for (const name of wanted)
    expect(files.get("checks/schemas/validators.ts")).toContain(`export function ${name}(`);
});

test.each([
  ["天気_予報", "天気予報", "天気予報"],
  ["получить_погоду", "получитьПогоду", "ПолучитьПогоду"],
  ["café-list", "caféList", "CaféList"],
  ["2d-map", "_2dMap", "_2dMap"],
  ["🎉", "tool", "Tool"],
])("the letters of %s are kept in names", (name, method, namespace) => {
  const { tools } = contractNames({
    name: "x",
    version: "1",
    tools: [{ name, inputSchema: { type: "object" } }],
  });
  expect(tools.get(name)).toEqual({ method, namespace });
});

test.each(["client", "server", "my-tools", "tools"])(
  "the output of a contract called %s declares no name twice",
  async (name) => {
    const contract = {
      ...{ name, version: "1", capabilities: { completions: {} } },
      tools: [{ name: "a", inputSchema: { type: "object" } }],
      prompts: [{ name: "p", arguments: [{ name: "x" }] }],
      resources: [{ name: "r", uri: "r:" }],
      resourceTemplates: [{ name: "t", uriTemplate: "t:{x}" }],
    };
    const document = await readContract(JSON.stringify(contract), "c.json");
    const { files } = await generateContract({ document, role: "both", importExtension: "js" });
    for (const file of ["client.ts", "server.ts"]) {
      const text = files.get(file)!;
      const imported = [...text.matchAll(/^import (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
        list!.split(",").map((each) => each.replace("type ", "").trim()),
      );
      const declared = [...text.matchAll(/^(?:export )?(?:interface|function|type|const) (\w+)/gm)].map(
        ([, one]) => one!,
      );
      const all = [...imported, ...declared].filter((each) => each !== "");
      expect(all.filter((each, index) => all.indexOf(each) !== index)).toEqual([]);
    }
  },
);
