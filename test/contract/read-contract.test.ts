import { describe, expect, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const weather = `name: weather
version: "1.0"
tools:
  - name: get_weather
    inputSchema: &in
      type: object
      properties: { city: { type: string }, __proto__: { type: string } }
  - name: again
    inputSchema: *in
`;

const refusal = async (text: string, file = "c.yaml"): Promise<CodedError> => {
  const error: unknown = await readContract(text, file).then(
    () => "read",
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CodedError)) throw error;
  return error;
};
const tool = (rest: string): string => `name: n\nversion: v\ntools:\n  - ${rest}\n`;

test("YAML and JSON give the same contract, with keys in their original order", async () => {
  const yaml = await readContract(weather, "c.yaml");
  const json = await readContract(JSON.stringify(yaml.contract), "c.json");
  expect(json.contract).toEqual(yaml.contract);
  const { inputSchema } = yaml.contract.tools![0]!;
  expect(Object.keys(inputSchema["properties"] as object)).toEqual(["city", "__proto__"]);
});

test("places are found for values (also behind an alias), or else for the nearest value", async () => {
  const { place } = await readContract(weather, "c.yaml");
  expect(place("/tools/0/name")).toEqual({ file: "c.yaml", pointer: "/tools/0/name", line: 4, column: 11 });
  expect(place("/tools/1/inputSchema/type")).toMatchObject({ line: 6, column: 13 });
  expect(place("/tools/1/title")).toMatchObject({ line: 8, column: 5 });
  expect((await readContract('{"name":"n",\n "version":"v"}', "c")).place("/version")).toMatchObject({
    line: 2,
  });
});

test("$schema is for editors; members that the protocol does not have are kept", async () => {
  const { contract } = await readContract(
    `$schema: x\n${tool("name: a\n    execution: { taskSupport: optional }\n    meta: 1\n    inputSchema: { type: object }")}`,
    "c.yaml",
  );
  expect(contract).not.toHaveProperty("$schema");
  expect(contract.tools![0]).toMatchObject({ execution: { taskSupport: "optional" }, meta: 1 });
});

describe("a mistake is named with its place", () => {
  test.each<[string, string, string, RegExp, object]>([
    ["no YAML", "name: [", "MG6001", /expected YAML/, { line: 1 }],
    ["an empty file", "", "MG6001", /empty/, { line: 1 }],
    ["a comment only", "# nothing\n", "MG6001|MG6003", /empty|expected object/, {}],
    ["two documents", "name: a\n---\nname: b\n", "MG6001", /one document/, { line: 2 }],
    ["a key twice", "name: a\nversion: b\nname: c\n", "MG6001", /same key twice/, { line: 3, column: 1 }],
    ["a number of no JSON", "name: a\nversion: .nan\n", "MG6001", /^\.nan is/, { line: 2, column: 10 }],
    [
      "an alias of itself",
      "name: x\nversion: &a [*a]\n",
      "MG6001",
      /\*a refers to a value that contains it/,
      { line: 2, column: 14 },
    ],
    [
      "an alias of nothing",
      "name: x\nversion: *a\n",
      "MG6001",
      /\*a has no anchor before it/,
      { line: 2, column: 10 },
    ],
    ["no version", "name: a\n", "MG6003", /"version", which is missing/, { line: 1, column: 1 }],
    [
      "a version without quotes",
      "name: a\nversion: 1.0\n",
      "MG6003",
      /expected string, got 1/,
      { line: 2, column: 10 },
    ],
    ["an unknown key", "name: a\nversion: b\ntool: []\n", "MG6002", /no key "tool"/, { line: 3, column: 7 }],
    ["a slip in a tool", tool("name: a\n    input_schema: {}"), "MG6002", /"input_schema"/, { line: 5 }],
    [
      "a tool of no object",
      tool("name: a\n    inputSchema: { type: array }"),
      "MG6003",
      /"object"/,
      {
        pointer: "/tools/0/inputSchema/type",
        line: 5,
      },
    ],
    [
      "a list that is none",
      "name: a\nversion: b\ntools: {}\n",
      "MG6003",
      /expected array, got object/,
      { line: 3 },
    ],
    [
      "a priority beyond 1",
      `${tool("name: a\n    inputSchema: {type: object}")}resources:\n  - {name: a, uri: "x:y", annotations: {priority: 2}}\n`,
      "MG6003",
      /expected at most 1, got 2/,
      { line: 7 },
    ],
    [
      "a name twice",
      tool("{name: a, inputSchema: {type: object}}\n  - {name: a, inputSchema: {type: object}}"),
      "MG6004",
      /"a" is used twice, first in line 4/,
      { line: 5, column: 12 },
    ],
    [
      "an argument twice",
      "name: a\nversion: b\nprompts: [{name: p, arguments: [{name: x}, {name: x}]}]\n",
      "MG6004",
      /"x"/,
      { pointer: "/prompts/0/arguments/1/name" },
    ],
  ])("%s", async (_, text, code, message, place) => {
    const error = await refusal(text);
    expect(error.code).toMatch(new RegExp(`^(${code})$`));
    expect(error.message).toMatch(message);
    expect(error.place).toMatchObject({ file: "c.yaml", ...place });
    expect(error.exitCode).toBe(3);
    expect(error.next).toMatch(/\.|\?$/);
  });

  test("in JSON", async () => {
    expect((await refusal('{"name": }', "c.json")).code).toBe("MG1002");
    expect((await refusal('{"name":"a","name":"b"}', "c.json")).code).toBe("MG1009");
  });

  test("the intended key is suggested", async () => {
    expect((await refusal("name: a\nversion: b\ntols: []\n")).next).toBe('Did you mean "tools"?');
    expect((await refusal(tool("name: a\n    inputschema: {}"))).next).toBe('Did you mean "inputSchema"?');
  });
});

test("all mistakes are reported together, up to twenty", async () => {
  const text = `name: a\ntools:\n  - name: x\n    input_schema: {}\n  - { name: x, inputSchema: { type: array } }\n`;
  const error = await refusal(text);
  expect([error, ...error.more].map(({ code, place }) => [code, place!.line, place!.pointer])).toEqual([
    ["MG6003", 1, ""],
    ["MG6002", 4, "/tools/0/input_schema"],
    ["MG6004", 5, "/tools/1/name"],
    ["MG6003", 5, "/tools/1/inputSchema/type"],
  ]);
  const many = await refusal(tool(Array(30).fill("{}").join("\n  - ")));
  expect(many.more).toHaveLength(19);
  expect(many.more.at(-1)!.detail).toContain("first 20");
});

test("commands print all of them, for people and for programs", async () => {
  const folder = temporaryFolder({ "c.yaml": "name: 1\nversion: 2.0\n" });
  const words = ["generate", "--contract", "c.yaml", "--out", "out"];
  const { code, stderr } = await mcpgen(folder, words);
  expect(stderr.match(/^c\.yaml:\d:\d+ \/\w+: error MG6003/gm)).toHaveLength(2);
  const document = JSON.parse((await mcpgen(folder, [...words, "--json"])).stdout) as object;
  expect(document).toMatchObject({
    exit: code,
    error: { place: { line: 1 } },
    more: [{ code: "MG6003", place: { line: 2 }, next: 'Put it in quotes: "2.0".' }],
  });
});

test("a text that looks like a number: the error asks for quotes around it", async () => {
  expect((await refusal("name: a\nversion: 1.0\n")).next).toBe('Put it in quotes: "1.0".');
  expect((await refusal("name: true\nversion: b\n")).next).toBe('Put it in quotes: "true".');
  expect((await refusal("name: []\nversion: b\n")).next).not.toContain("quotes");
});

test("alias bombs and deep nesting are refused early", async () => {
  const bomb = [
    "a: &a0 [1,1,1,1,1,1,1,1,1,1]",
    ...Array.from({ length: 9 }, (_, i) => `a${i}: &a${i + 1} [${Array(10).fill(`*a${i}`).join()}]`),
  ];
  expect((await refusal(bomb.join("\n"))).code).toBe("MG6001");
  expect((await refusal(`name: ${"[".repeat(50_000)}`)).code).toBe("MG6001");
});
