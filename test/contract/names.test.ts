import { expect, test } from "vitest";
import { contractNames } from "../../generator/contract/emit/names.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";

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
])(
  "of a contract called %s, no name has a word twice in a row",
  (name, createServer, clientType, clientFunction) => {
    expect(named(name)).toMatchObject({ createServer, clientType, clientFunction });
  },
);

test("nor have names of its lists, prompts and templates", () => {
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
