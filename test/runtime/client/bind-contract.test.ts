import { bindContract, type Client } from "@mcpgen/runtime";
import { expect, test } from "vitest";

/** A client that records its requests, and answers tools with `result`. */
function recording(result?: object): { readonly client: Client; readonly calls: unknown[][] } {
  const calls: unknown[][] = [];
  const record =
    (method: string, answer?: object) =>
    async (...args: unknown[]): Promise<unknown> => {
      calls.push([method, ...args]);
      return answer;
    };
  const client = {
    callTool: record("callTool", result),
    getPrompt: record("getPrompt"),
    readResource: record("readResource"),
    complete: record("complete", { completion: { values: ["Bern"] } }),
  } as unknown as Client;
  return { client, calls };
}

type Functions = { readonly [method: string]: (...args: unknown[]) => Promise<unknown> };

test.each<[template: string, variables: object, uri: string]>([
  ["x://{a}/b", { a: "é /!" }, "x://%C3%A9%20%2F%21/b"],
  ["x://{+a}", { a: "b/c?%20 d" }, "x://b/c?%20%20d"],
  ["x://y{?a,b}", { b: "1&2" }, "x://y?b=1%262"],
  ["x://y{?a,b}{#c}", { a: "1", b: "2", c: "d/e" }, "x://y?a=1&b=2#d/e"],
  ["x://y{/a,b}{.c}", { a: "1", b: undefined }, "x://y/1"],
  ["x://y{/a*}{;b}{?c:2}", { a: ["1", "2"], b: "", c: "345" }, "x://y/1/2;b?c=34"],
  ["x://{toString}", {}, "x://"],
])("the template %j is expanded with %j", async (template, variables, uri) => {
  const { client, calls } = recording();
  const bound = bindContract(client, { tools: [], resourceTemplates: [["read", template]] });
  await (bound as unknown as { resourceTemplates: Functions }).resourceTemplates["read"]!(variables);
  expect(calls).toEqual([["readResource", uri, undefined]]);
});

test("the client has a member for each list of the table, and a function for each row", async () => {
  const { client, calls } = recording();
  const bound = bindContract(client, {
    tools: [],
    prompts: [["plan", "plan_trip"]],
    resources: [["config", "config://app"]],
    complete: { prompts: [["plan", "plan_trip"]] },
  });
  expect(Object.keys(bound)).toEqual(["client", "tools", "prompts", "resources", "complete"]);
  const { prompts, resources, complete } = bound as unknown as {
    prompts: Functions;
    resources: Functions;
    complete: { prompts: Functions };
  };
  const options = { timeout: 5 };
  await prompts["plan"]!({ city: "Bern" }, options);
  await resources["config"]!(options);
  expect(await complete.prompts["plan"]!("city", "Be", { day: "monday" }, options)).toEqual({
    values: ["Bern"],
  });
  const ref = { type: "ref/prompt", name: "plan_trip" };
  const argument = { name: "city", value: "Be" };
  expect(calls).toEqual([
    ["getPrompt", "plan_trip", { city: "Bern" }, options],
    ["readResource", "config://app", options],
    ["complete", { ref, argument, context: { arguments: { day: "monday" } } }, options],
  ]);
});

test.each([
  [
    "checked content",
    { content: [], structuredContent: 1 },
    { isError: false, content: [], structuredContent: 1 },
  ],
  [
    "content that a text block repeats",
    { content: [{ type: "text", text: "1" }] },
    { isError: false, content: [{ type: "text", text: "1" }], structuredContent: 1 },
  ],
  ["a failure", { content: [], isError: true }, { isError: true, content: [] }],
])("a tool returns %s", async (_, result, outcome) => {
  const { client } = recording(result);
  const check = (value: unknown): string | undefined => (value === 1 ? undefined : "not 1");
  const { tools } = bindContract(client, { tools: [["one", "one", check]] }) as unknown as {
    tools: Functions;
  };
  expect(await tools["one"]!()).toEqual(outcome);
});

test.each([[{ content: [], structuredContent: 2 }], [{ content: [{ type: "text", text: "{" }] }]])(
  "a tool rejects %j, which breaks the contract",
  async (result) => {
    const { client } = recording(result);
    const check = (value: unknown): string | undefined => (value === 1 ? undefined : "not 1");
    const { tools } = bindContract(client, { tools: [["one", "one", check]] }) as unknown as {
      tools: Functions;
    };
    await expect(tools["one"]!()).rejects.toMatchObject({
      code: "invalid-result",
      message: "the structured content of the tool one breaks the contract: not 1",
    });
  },
);
