import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, isJsonObject, jsonEqual, pointer } from "@mcpgen/engine";
import { contractText, readContract } from "../../generator/contract/read-contract.js";
import type { Contract } from "../../generator/contract/contract.js";
import { editContract } from "../../generator/contract/edit/edit-contract.js";
import { type Edit, edited } from "../../generator/contract/edit/edit.js";
import { cases } from "../support/cases.mjs";
import { value } from "../support/arbitrary-schema.js";

/** The text with the edits; `undefined` if the text has no place for one of them. */
async function edit(text: string, file: string, edits: readonly Edit[]): Promise<string | undefined> {
  const { document, made } = await editContract(await readContract(text, file), [edits]);
  return made.length === 0 ? undefined : document.text;
}

const schema = "/tools/0/inputSchema";
const json = (lines: string): string =>
  `{ "name": "n", "version": "1", "tools": [{ "name": "t", "inputSchema": ${lines} }] }\n`;
const yaml = (lines: string): string =>
  `# The contract.\nname: n\nversion: "1"\ntools:\n  - name: t # a tool\n    inputSchema:\n${lines}`;

describe("in JSON", () => {
  const pretty = '{\n  "$schema": "x",\n  "type": "object",\n  "title": "T"\n}';
  test.each<[string, string, Edit[], string]>([
    [
      "the first member goes",
      pretty,
      [{ remove: `${schema}/$schema` }],
      '{\n  "type": "object",\n  "title": "T"\n}',
    ],
    [
      "the last member goes",
      pretty,
      [{ remove: `${schema}/title` }],
      '{\n  "$schema": "x",\n  "type": "object"\n}',
    ],
    [
      "two neighbours go",
      '{"a":1,"b":2,"type":"object"}',
      [{ remove: `${schema}/a` }, { remove: `${schema}/b` }],
      '{"type":"object"}',
    ],
    [
      "the only member goes",
      '{ "type": "object", "$defs": { "a": {} } }',
      [{ remove: `${schema}/$defs/a` }],
      '{ "type": "object", "$defs": {} }',
    ],
    [
      "a member comes, in a line like those beside it",
      '{\n\t"type" : "object",\n\t"title" : "T"\n}',
      [{ after: `${schema}/type`, key: "properties", value: {} }],
      '{\n\t"type" : "object",\n\t"properties" : {},\n\t"title" : "T"\n}',
    ],
    [
      "a member comes, in a text without space",
      '{"type":"object"}',
      [{ after: `${schema}/type`, key: "properties", value: {} }],
      '{"type":"object","properties":{}}',
    ],
    [
      "a key and its value change",
      '{ "type": "object", "const" : "a" }',
      [
        { rename: `${schema}/const`, key: "enum" },
        { replace: `${schema}/const`, value: ["a"] },
      ],
      '{ "type": "object", "enum" : ["a"] }',
    ],
    [
      "an item goes",
      '{ "type": "object", "required": ["a", "b", "a"] }',
      [{ remove: `${schema}/required/2` }],
      '{ "type": "object", "required": ["a", "b"] }',
    ],
    [
      "keys with slashes and quotes are found",
      '{ "type": "object", "a\\"/~": { "b": 1, "c": 2 } }',
      [{ remove: `${schema}/a"~1~0/b` }],
      '{ "type": "object", "a\\"/~": { "c": 2 } }',
    ],
  ])("%s", async (_, before, edits, after) => {
    expect(await edit(json(before), "c.json", edits)).toBe(json(after));
  });
});

describe("in YAML", () => {
  test.each<[string, string, Edit[], string | undefined]>([
    [
      "a line goes with its comment, comments above and below stay",
      "      # one\n      $schema: x # two\n      # three\n      type: object # four\n",
      [{ remove: `${schema}/$schema` }],
      "      # one\n      # three\n      type: object # four\n",
    ],
    [
      "a value of several lines goes",
      "      type: object\n      $defs:\n        A:\n          type: string\n          description: |\n            Long.\n\n            Longer.\n        B: { type: string }\n\n      title: T\n",
      [{ remove: `${schema}/$defs/A` }],
      "      type: object\n      $defs:\n        B: { type: string }\n\n      title: T\n",
    ],
    [
      "a mapping of lines becomes empty",
      "      type: object\n      $defs:\n        A:\n          type: string\n      title: T\n",
      [{ remove: `${schema}/$defs/A` }],
      "      type: object\n      $defs: {}\n      title: T\n",
    ],
    [
      "a member comes below another one, in its column",
      "      type: object # all\n      title: T\n",
      [{ after: `${schema}/type`, key: "properties", value: {} }],
      "      type: object # all\n      properties: {}\n      title: T\n",
    ],
    [
      "a member comes at the end of a text without a line break",
      "      type: object",
      [{ after: `${schema}/type`, key: "properties", value: {} }],
      "      type: object\n      properties: {}",
    ],
    [
      "lines end as in the text",
      "      type: object\r\n      title: T\r\n",
      [{ after: `${schema}/type`, key: "properties", value: {} }],
      "      type: object\r\n      properties: {}\r\n      title: T\r\n",
    ],
    [
      "a list of lines becomes one value",
      "      type: object\n      properties:\n        a:\n          type:\n            - string\n          title: A\n",
      [{ replace: `${schema}/properties/a/type`, value: "string" }],
      "      type: object\n      properties:\n        a:\n          type: string\n          title: A\n",
    ],
    [
      "an item of a list of lines goes",
      "      type: object\n      required:\n        - a\n        - b # both\n        - a # again\n",
      [{ remove: `${schema}/required/2` }],
      "      type: object\n      required:\n        - a\n        - b # both\n",
    ],
    [
      "the first member of an item gives its place to the next",
      "      type: object\n      allOf:\n        - title: T\n          type: object\n",
      [{ remove: `${schema}/allOf/0/title` }],
      "      type: object\n      allOf:\n        - type: object\n",
    ],
    [
      "a quoted key stays quoted",
      "      type: object\n      'const': a\n",
      [{ rename: `${schema}/const`, key: "enum" }],
      "      type: object\n      'enum': a\n",
    ],
    [
      "between brackets as in JSON",
      "      { $schema: x, type: object, title: T }\n",
      [{ remove: `${schema}/$schema` }, { after: `${schema}/type`, key: "properties", value: {} }],
      "      { type: object, properties: {}, title: T }\n",
    ],
    [
      "comments between brackets stay",
      "      {\n        type: object, # first\n        title: T, # second\n        properties: {}, # third\n      }\n",
      [{ remove: `${schema}/title` }],
      "      {\n        type: object, # first\n         # second\n        properties: {}, # third\n      }\n",
    ],
    [
      "a text that YAML would take for something else is quoted",
      "      type: object\n      title: T\n",
      [{ replace: `${schema}/title`, value: "no" }],
      '      type: object\n      title: "no"\n',
    ],
    [
      "a value that two places share does not change for one of them",
      "      type: object\n      properties:\n        a: &shared { type: string, title: T }\n        b: *shared\n",
      [{ remove: `${schema}/properties/a/title` }],
      undefined,
    ],
    [
      "a value that two places share changes for both",
      "      type: object\n      properties:\n        a: &shared { type: string, title: T }\n        b: *shared\n",
      [{ remove: `${schema}/properties/a/title` }, { remove: `${schema}/properties/b/title` }],
      "      type: object\n      properties:\n        a: &shared { type: string }\n        b: *shared\n",
    ],
    [
      "a value that is used elsewhere does not go",
      "      type: object\n      title: &name T\n      description: *name\n",
      [{ remove: `${schema}/title` }],
      undefined,
    ],
    [
      "a member that another mapping brings does not go for one of them",
      "      type: object\n      $defs:\n        A: &a\n          type: string\n          title: T\n        B:\n          <<: *a\n",
      [{ remove: `${schema}/$defs/B/title` }],
      undefined,
    ],
  ])("%s", async (_, before, edits, after) => {
    expect(await edit(yaml(before), "c.yaml", edits)).toBe(after === undefined ? undefined : yaml(after));
  });

  test("applies each group of edits that can be applied", async () => {
    const text = yaml(
      "      type: object\n      title: &name T\n      description: *name\n      $comment: c\n",
    );
    const groups = [[{ remove: `${schema}/title` }], [{ remove: `${schema}/$comment` }]];
    const { document, made } = await editContract(await readContract(text, "c.yaml"), groups);
    expect([made, document.text]).toEqual([
      [1],
      yaml("      type: object\n      title: &name T\n      description: *name\n"),
    ]);
  });
});

/** All places of members and items below a value. */
function placesBelow(of: JsonValue, at: string): string[] {
  const entries = Array.isArray(of) ? of.entries() : isJsonObject(of) ? Object.entries(of) : [];
  return [...entries].flatMap(([key, inner]) => {
    const place = pointer(at, key);
    return [place, ...placesBelow(inner as JsonValue, place)];
  });
}

const layouts = ["c.yaml", "block", "two", "tab", "none"] as const;

async function written(contract: Contract, layout: (typeof layouts)[number]): Promise<[string, string]> {
  if (layout === "c.yaml") return ["c.yaml", await contractText(contract, "c.yaml")];
  // JSON inside of YAML: a file whose name does not end in .json, and that does not begin with a brace.
  if (layout === "block") return ["c.yaml", `---\n${JSON.stringify(contract, null, 2)}\n`];
  return ["c.json", JSON.stringify(contract, null, { two: 2, tab: "\t", none: 0 }[layout])];
}

test("property: edits change only their places, whatever they remove, add or change", async () => {
  const picks = fc.array(fc.tuple(fc.nat(), fc.constantFrom("remove", "replace", "after", "rename")), {
    minLength: 1,
    maxLength: 5,
  });
  let made = 0;
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...layouts),
      picks,
      async (content, layout, chosen) => {
        const examples = JSON.parse(JSON.stringify(content)) as JsonValue[];
        const inputSchema = { type: "object", examples };
        const contract = { name: "n", version: "1", tools: [{ name: "t", inputSchema }] } as Contract;
        const places = placesBelow(examples, `${schema}/examples`);
        if (places.length === 0) return;
        const edits = chosen.map(([index, kind]): Edit => {
          const place = places[index % places.length]!;
          const isItem = /\/\d+$/.test(place);
          if (kind === "replace" || (isItem && kind !== "remove")) return { replace: place, value: ["x"] };
          if (kind === "remove") return { remove: place };
          return kind === "after"
            ? { after: place, key: "added key", value: {} }
            : { rename: place, key: "renamed key" };
        });
        const [file, text] = await written(contract, layout);
        const document = await readContract(text, file);
        const groups = edits.map((one) => [one]);
        const result = await editContract(document, groups);
        asked += edits.length;
        made += result.made.length;
        if (result.made.length === 0) {
          expect(result.document.text).toBe(text);
          return;
        }
        const again = await readContract(result.document.text, file);
        expect(jsonEqual(again.contract as unknown as JsonObject, result.document.contract as never)).toBe(
          true,
        );
        // A single edit of the text has the same result as the edit of the value.
        if (edits.length === 1)
          expect(again.contract).toEqual(edited(contract as unknown as JsonObject, edits) as never);
      },
    ),
    { numRuns: cases(2000) },
  );
  // Only few edits are impossible: values of several lines, two edits of one place.
  expect(made / asked).toBeGreaterThan(0.7);
});
