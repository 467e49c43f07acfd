import fc from "fast-check";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { cases, isThorough } from "../support/cases.mjs";

/** Each takes a hundred milliseconds and more. */
const runs = cases(200, 6);

const generated = async (contract: object): Promise<ReadonlyMap<string, string>> => {
  const document = await readContract(JSON.stringify(contract), "c.json");
  return (await generateContract({ document, role: "both", importExtension: "js" })).files;
};
const contractOf = (inputSchema: object): object => ({
  name: "n",
  version: "1",
  tools: [{ name: "t", inputSchema }],
});

/** Texts that end strings, comments and templates, hide or reorder text, or have a meaning in JavaScript. */
const pieces = [
  "*/",
  "/*",
  '"',
  "'",
  "`",
  "${x}",
  "\\",
  "\n",
  "\r",
  "\u2028",
  "\u202e",
  "\u200b",
  "\0",
  "\ud800",
];
const words = [
  "__proto__",
  "constructor",
  "then",
  "[k: string]",
  "mcpgenKey0",
  "delete",
  "a",
  "A",
  "é",
  "天",
  " ",
];
const text = fc
  .array(fc.constantFrom(...pieces, ...words), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(""));
const property = fc.record(
  {
    type: fc.constant("string"),
    title: text,
    description: text,
    default: text,
    enum: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const schema = fc
  .uniqueArray(fc.tuple(text, property), { maxLength: 4, selector: ([key]) => key })
  .map((properties) => ({
    type: "object",
    properties: Object.fromEntries(properties),
    required: properties.slice(0, 1).map(([key]) => key),
    $defs: Object.fromEntries(properties),
  }));
const tool = fc.record({ name: text, description: text, inputSchema: schema, outputSchema: schema });
const prompt = fc.record({ name: text, description: text, arguments: fc.constant([{ name: "x\n*/" }]) });
const resource = fc.record({ name: text, uri: text, description: text });
const template = fc
  .record({ name: text, uriTemplate: text, description: text })
  .map((each) => ({ ...each, uriTemplate: `${each.uriTemplate.replace(/[{}]/g, "")}{a}` }));
const contract = fc.record({
  ...{ name: text, version: text, instructions: text, capabilities: fc.constant({ completions: {} }) },
  tools: fc.uniqueArray(tool, { maxLength: 3, selector: ({ name }) => name }),
  resources: fc.uniqueArray(resource, { maxLength: 2, selector: ({ uri }) => uri }),
  resourceTemplates: fc.uniqueArray(template, { maxLength: 2, selector: ({ uriTemplate }) => uriTemplate }),
  prompts: fc.uniqueArray(prompt, { maxLength: 2, selector: ({ name }) => name }),
});

test("any texts in a contract become valid code that preserves and shows them", async () => {
  await fc.assert(
    fc.asyncProperty(contract, async (hostile) => {
      const files = await generated(hostile);
      for (const [path, content] of files) {
        expect(content.replaceAll("\n", ""), path).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029\p{Surrogate}]/u);
        transformSync(content, { loader: "ts", logLevel: "silent" });
      }
      const { code } = transformSync(files.get("contract.ts")!, { loader: "ts" });
      const module = (await import(
        /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`
      )) as {
        contract: object;
      };
      expect(JSON.stringify(module.contract)).toBe(JSON.stringify(hostile));
    }),
    { numRuns: runs },
  );
});

test("a schema nested deeper than the engine allows is refused with its place", async () => {
  const deep = (levels: number): object =>
    levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } };
  await expect(generated(contractOf(deep(200)))).rejects.toMatchObject({
    code: "MG6005",
    place: { file: "c.json" },
  });
  const files = await generated(contractOf(deep(60)));
  expect(files.get("types.ts")).toMatch(/(a\?: \{\s+){59}/);
});

test("a contract nested 100,000 levels deep is refused before it is traversed", async () => {
  const levels = 100_000;
  const deep = `${'{"items":'.repeat(levels)}{}${"}".repeat(levels)}`;
  for (const [text, file] of [
    [
      `{"name":"n","version":"1","tools":[{"name":"t","inputSchema":{"type":"object","not":${deep}}}]}`,
      "c.json",
    ],
    [`{"name":"n","version":"1","capabilities":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`, "c.json"],
  ] as const)
    await expect(readContract(text, file)).rejects.toMatchObject({
      code: "MG6003",
      message: expect.stringContaining("1000 nested levels"),
      place: { file, line: 1 },
    });
});

test("a megabyte of values is reported by its type, and checked value by value", async () => {
  const values = Array.from({ length: 50_000 }, (_, index) => `value number ${index}`);
  const files = await generated(contractOf({ type: "object", properties: { a: { enum: values } } }));
  expect(files.get("types.ts")).toMatch(/a\?: string;/);
  expect(files.get("checks/schemas/validators.ts")).toContain('"value number 49999"');
});

test("each of hundreds (in long runs thousands) of tools has its method", async () => {
  const count = isThorough ? 5000 : 500;
  const tool = {
    inputSchema: { type: "object", required: ["a"], properties: { a: { type: "string" } } },
    outputSchema: { type: "object", properties: { b: { type: "integer" } } },
  };
  // The names of both halves differ only in a character that identifiers cannot have.
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool${index % 2 === 0 ? "_" : "-"}${index >> 1}`,
    ...tool,
  }));
  const files = await generated({ name: "n", version: "1", tools });
  for (const content of files.values()) transformSync(content, { loader: "ts", logLevel: "silent" });
  const methods = [...files.get("client.ts")!.matchAll(/^ {2}readonly (\w+): \(\s*args\??: types\./gm)];
  expect(new Set(methods.map(([, method]) => method)).size).toBe(count);
});

test.each([
  ["a reference to another document", { type: "object", $ref: "https://example.com/x.json" }, "/$ref"],
  ["a reference to nothing", { type: "object", properties: { a: { $ref: "#/$defs/A" } } }, "/properties/a"],
  ["no schema", { type: "object", properties: { a: { minLength: "x" } } }, "/properties/a"],
])("%s is refused with its place", async (_, inputSchema, pointer) => {
  const error: unknown = await generated(contractOf(inputSchema)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "MG6005", exitCode: 3 });
  expect((error as { place: { pointer: string } }).place.pointer).toContain(`/tools/0/inputSchema${pointer}`);
});

test.each([
  ["no header name", { "x-mcp-header": "a b", type: "string" }],
  ["an object", { "x-mcp-header": "A", type: "object" }],
])("a header is refused: %s", async (_, property) => {
  const contract = contractOf({ type: "object", properties: { a: property } });
  await expect(generated(contract)).rejects.toMatchObject({
    code: "MG6006",
    place: { pointer: "/tools/0/inputSchema/properties/a/x-mcp-header" },
  });
});

test("a header is refused if no arguments are known", async () => {
  const items = { type: "string", "x-mcp-header": "A" };
  const contract = contractOf({ type: "object", properties: { a: { type: "array", items } } });
  await expect(generated(contract)).rejects.toMatchObject({
    code: "MG6006",
    place: { pointer: "/tools/0/inputSchema/properties/a/items" },
  });
});

test.each(["a{", "a}", "{a:3}", "{a}{b}", "{+a*}", "{a}-{a}", "{!a}"])(
  "the URI template %s is refused",
  async (uriTemplate) => {
    const contract = { name: "n", version: "1", resourceTemplates: [{ name: "r", uriTemplate }] };
    await expect(generated(contract)).rejects.toMatchObject({ code: "MG6007" });
  },
);
