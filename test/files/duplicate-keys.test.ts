import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { duplicateKey } from "../../generator/files/json-file.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject, smallSchemaText } from "../support/small-protocol.js";

const found = (text: string): string | undefined => duplicateKey(text, JSON.parse(text) as JsonValue)?.key;

test("the output of JSON.stringify has none", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
      expect(found(JSON.stringify(value, null, indent))).toBeUndefined();
    }),
  );
});

test.each<[string, string]>([
  ['{"a":1,"a":1}', "a"],
  ['[{"b":{"a":1,"b":2,\n"a" :3}}]', "a"],
  ['{"a":1,"\\u0061":2}', "a"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"a\\"":{"x":":"},"a\\"":"{\\"a\\":1}"}', 'a"'],
])("%s: %s", (text, key) => {
  expect(found(text)).toBe(key);
});

test("equal keys of different objects are not duplicates, at any depth", () => {
  expect(found('{"a":{"a":[{"a":1},{"a":1}]}}')).toBeUndefined();
  const deep = 100_000;
  expect(found(`${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`)).toBeUndefined();
  expect(found(`${'{"a":'.repeat(deep)}{"b":1,"b":2}${"}".repeat(deep)}`)).toBe("b");
});

describe("a duplicate key is an error with line and column in every file of the user", () => {
  const twice = '{\n  "format": 1,\n  "notes": [],\n  "notes": []\n}\n';
  test.each<[string, string, string[]]>([
    [
      "schema.json",
      smallSchemaText.replace('"$defs":', '"$defs":{},\n"$defs":'),
      ["upgrade", "schema.json", "--name", "x"],
    ],
    ["schema/2030-01-01/notes.json", twice, ["generate"]],
    ["mcpgen.config.json", '{\n  "out": "a",\n  "out": "b"\n}', ["generate"]],
  ])("%s", async (file, content, args) => {
    const folder = await smallProject();
    writeFileSync(`${folder}/${file}`, content);
    const { code, stderr } = await mcpgen(folder, args);
    expect(stderr).toMatch(new RegExp(`${file.replaceAll(".", "\\.")}:\\d+:\\d+: error MG(1009|2101)`));
    expect(stderr).toMatch(/the key "\S+" is used twice in one object, first in line \d/);
    expect([2, 3]).toContain(code);
  });
});
