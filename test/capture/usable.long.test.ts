import { expect, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { initialized, scripted } from "../support/live-server.js";

test("a prompt with an argument twice is left out, so that the captured contract can be read", async () => {
  const prompts = [
    { name: "twice", arguments: [{ name: "a" }, { name: "a" }] },
    { name: "once", arguments: [{ name: "a" }] },
  ];
  const source = scripted({ initialize: initialized({ prompts: {} }), "prompts/list": { prompts } });
  const ran = await mcpgen(temporaryFolder(), ["capture", source, "--out", "-"]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('"twice" is left out: /arguments/1/name: the name "a" is used twice');
  const { contract } = await readContract(ran.stdout, "-");
  expect(contract.prompts).toEqual([prompts[1]]);
});

test("a schema that cannot judge a value is captured, with a warning that names tool and place", async () => {
  const tools = [
    { name: "fine", inputSchema: { type: "object" } },
    { name: "odd", inputSchema: { type: "object", properties: { a: { pattern: "([" } } } },
    {
      name: "old",
      inputSchema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { a: { minimum: 1, exclusiveMinimum: true } },
      },
    },
  ];
  const source = scripted({ initialize: initialized({ tools: {} }), "tools/list": { tools } });
  const ran = await mcpgen(temporaryFolder(), ["capture", source, "--out", "-"]);
  expect(ran.code).toBe(0);
  const { contract } = await readContract(ran.stdout, "-");
  expect(contract.tools).toEqual(tools);
  const warnings = [...ran.stderr.matchAll(/(\/tools\S*): warning MG6005: the tool ("\w+")/g)];
  expect(warnings.map(([, place, tool]) => [place, tool])).toEqual([
    ["/tools/1/inputSchema/properties/a/pattern", '"odd"'],
    ["/tools/2/inputSchema/properties/a/exclusiveMinimum", '"old"'],
  ]);
});
