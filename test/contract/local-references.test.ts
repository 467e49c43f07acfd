import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { readDocument } from "@mcpgen/engine";
import { validatorOf } from "@mcpgen/engine/interpreter";
import { withLocalReferences } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const city = { $defs: { City: { type: "string", minLength: 2 } } };

function folderWith(files: { readonly [path: string]: unknown }): string {
  const folder = temporaryFolder();
  for (const [path, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof value === "string" ? value : JSON.stringify(value));
  }
  return folder;
}

const contractOf = ($ref: string) => ({
  name: "n",
  version: "1",
  tools: [{ name: "t", inputSchema: { type: "object", properties: { city: { $ref } }, required: ["city"] } }],
});

async function resolved($ref: string, base: string) {
  const document = await readContract(JSON.stringify(contractOf($ref)), "c.json");
  return (await withLocalReferences(document, base)).contract.tools![0]!.inputSchema;
}

test("a file beside the contract and the files that it refers to become parts of the schema", async () => {
  const folder = folderWith({
    "schemas/place.json": { $defs: { Place: { $ref: "more/city.json#/$defs/City" } } },
    "schemas/more/city.json": { $defs: { City: { $ref: "../text.json" } } },
    "schemas/text.json": { type: "string", minLength: 2 },
  });
  const schema = await resolved("place.json#/$defs/Place", join(folder, "schemas"));
  expect(Object.keys(schema["$defs"] as object)).toEqual(["place.json", "more/city.json", "text.json"]);
  const ours = validatorOf(readDocument(schema));
  const theirs = new Ajv2020({ strict: false }).compile(schema);
  for (const [value, valid] of [
    [{ city: "Bern" }, true],
    [{ city: "B" }, false],
    [{ city: 1 }, false],
  ] as const) {
    expect(ours(value)).toBe(valid);
    expect(theirs(value)).toBe(valid);
  }
});

test("for a schema with an identity, files are found relative to that identity", async () => {
  const folder = folderWith({ "city.json": { $id: "https://example.com/schemas/city.json", ...city } });
  const { $ref } = { $ref: "city.json#/$defs/City" };
  const inputSchema = {
    $id: "https://example.com/schemas/t.json",
    type: "object",
    properties: { city: { $ref } },
  };
  const contract = { name: "n", version: "1", tools: [{ name: "t", inputSchema }] };
  const document = await readContract(JSON.stringify(contract), "c.json");
  const [tool] = (await withLocalReferences(document, folder)).contract.tools!;
  const isValid = validatorOf(readDocument(tool!.inputSchema));
  expect([isValid({ city: "Bern" }), isValid({ city: "B" })]).toEqual([true, false]);
});

test("a file may refer to itself, and two files to each other", async () => {
  const folder = folderWith({
    "a.json": { properties: { b: { $ref: "b.json" }, a: { $ref: "a.json" } } },
    "b.json": { type: "object", properties: { a: { $ref: "a.json#" } }, additionalProperties: false },
  });
  const isValid = validatorOf(readDocument(await resolved("./a.json", folder)));
  expect(isValid({ city: { b: { a: { b: {} } } } })).toBe(true);
  expect(isValid({ city: { a: { b: { x: 1 } } } })).toBe(false);
});

test.each([
  ["a folder above", "../secret.json"],
  ["a folder above, encoded", "%2e%2e/secret.json"],
  ["a folder above, with an encoded separator", "..%2fsecret.json"],
  ["an absolute path", "/etc/passwd"],
  ["a path of Windows", "..\\secret.json"],
  ["a link out", "link.json"],
  ["a folder that is a link out", "out/secret.json"],
  ["a file that is not there", "missing.json"],
  ["a path that is no URI", "%zz.json"],
  ["a folder", "sub"],
  ["a list", "list.json"],
])("%s is refused at the reference", async (_, reference) => {
  const folder = folderWith({ "secret.json": city, "base/sub/a.json": city, "base/list.json": [] });
  symlinkSync(join(folder, "secret.json"), join(folder, "base/link.json"));
  symlinkSync(folder, join(folder, "base/out"));
  await expect(resolved(reference, join(folder, "base"))).rejects.toMatchObject({
    code: "MG6010",
    exitCode: 3,
    place: { file: "c.json", pointer: "/tools/0/inputSchema/properties/city/$ref" },
  });
});

test("addresses stay unchanged, to be refused later like without a base", async () => {
  const schema = await resolved("https://example.com/a.json", temporaryFolder());
  expect(schema).toEqual(contractOf("https://example.com/a.json").tools[0]!.inputSchema);
});

test("generate --base follows them, and without it they are refused", async () => {
  const folder = folderWith({ "c.json": contractOf("city.json#/$defs/City"), "city.json": city });
  const words = ["generate", "--contract", "c.json", "--out", "out", "--role", "server"];
  const refused = await mcpgen(folder, words);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringMatching(/MG6005.*\n.*--base DIR/)]);
  expect(await mcpgen(folder, [...words, "--base", "."])).toMatchObject({ code: 0 });
});
