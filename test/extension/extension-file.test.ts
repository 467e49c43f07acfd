import { expect, test } from "vitest";
import { extensionId, readExtensionFile } from "../../generator/extension/extension-store.js";
import { parseJson } from "../../generator/files/json-file.js";
import { failureOf } from "../support/failure-of.js";

const minimal = {
  format: 1,
  id: "com.example/search",
  version: "1.0.0",
  status: "draft",
  bases: ["2025-11-25"],
  declared: { server: "/extensions/com.example~1search" },
};

const read = async (change: object): ReturnType<typeof readExtensionFile> =>
  readExtensionFile(await parseJson(JSON.stringify({ ...minimal, ...change }, null, 2), "extension.json"));

test("keys that a file omits have their defaults", async () => {
  expect(await read({})).toEqual({
    id: "com.example/search",
    version: "1.0.0",
    status: "draft",
    bases: ["2025-11-25"],
    declared: { server: "/extensions/com.example~1search" },
    settings: {},
    needs: { capabilities: [], extensions: [] },
  });
});

test("a fault is reported with its line, and with the correction", async () => {
  const error = await failureOf(read({ bases: [] }));
  expect(error).toMatchObject({
    code: "MG1302",
    place: { file: "extension.json", pointer: "/bases", line: 6, column: 12 },
    message: "expected at least 1 item, got 0",
  });
  expect(await failureOf(read({ basis: [] }))).toMatchObject({
    code: "MG1302",
    next: 'Did you mean "bases"?',
  });
  expect(await failureOf(read({ declared: {} }))).toMatchObject({
    message: 'expected the key "client" or "server", got none of them',
  });
});

test.each([
  ["search", "it has no prefix, which ends with a slash"],
  ["a/b/c", "it has more than one slash"],
  ["1com.example/search", "to begin with a letter"],
  ["com.example-/search", "to end with a letter or digit"],
  ["com..example/search", 'the label ""'],
  ["com.example/-search", "to begin and end with a letter or digit"],
  ["com.example/", "to begin and end with a letter or digit"],
  ["com.mcp.tools/search", "prefixes whose second label is mcp are reserved"],
  ["dev.modelcontextprotocol/search", "second label is modelcontextprotocol"],
  ["com.example/con", "no folder can be called con on Windows"],
])("the id %s is refused", (id, fault) => {
  const refused = (): unknown => extensionId(id);
  expect(refused).toThrow(fault);
});

test.each(["io.modelcontextprotocol/skills", "com.example.mcp/search", "acme/a_b.c-1", "com.mcpexample/x"])(
  "the id %s is allowed",
  (id) => expect(extensionId(id)).toEqual({ prefix: id.split("/")[0], name: id.split("/")[1] }),
);
