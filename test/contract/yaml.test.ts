import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Contract } from "../../generator/contract/contract.js";
import { contractText, readContract } from "../../generator/contract/read-contract.js";
import { parseYaml } from "../../generator/contract/yaml.js";
import { cases } from "../support/cases.mjs";

const value = (text: string): unknown => parseYaml(text, "c.yaml").value;
const refusal = (text: string): unknown => {
  try {
    return value(text);
  } catch (error) {
    return error;
  }
};

describe("merge keys", () => {
  test("add members that the mapping lacks, wherever they are in it", () => {
    const base = "base: &b { a: 1, b: 2 }\n";
    expect(JSON.stringify(value(`${base}x: { <<: *b, b: 3, c: 4 }`))).toContain('"x":{"a":1,"b":3,"c":4}');
    expect(JSON.stringify(value(`${base}x: { b: 3, <<: *b }`))).toContain('"x":{"b":3,"a":1}');
    expect(value("x: { <<: { a: 1 } }")).toEqual({ x: { a: 1 } });
  });

  test("may name several mappings: the first one takes precedence", () => {
    const bases = "one: &one { a: 1 }\ntwo: &two { a: 2, b: 2, <<: { c: 2 } }\n";
    const merged = { a: 1, b: 2, c: 2 };
    expect(value(`${bases}x: { <<: [*one, *two] }`)).toMatchObject({ x: merged });
    expect(value(`${bases}x: { <<: *one, <<: *two }`)).toMatchObject({ x: merged });
    expect(value(`${bases}both: &both [*one, *two]\nx: { <<: *both }`)).toMatchObject({ x: merged });
  });

  test("are keys like any other in quotes", () => {
    expect(value('x: { "<<": { a: 1 } }')).toEqual({ x: { "<<": { a: 1 } } });
    expect(value("x: <<")).toEqual({ x: "<<" });
  });

  test("keep places and names, even `__proto__`", async () => {
    const { contract, place } = await readContract(
      `name: n
version: v
tools:
  - &t
    name: a
    inputSchema: &s { type: object, properties: &p { __proto__: { type: string } } }
  - <<: *t
    name: b
    inputSchema: { <<: *s, properties: { <<: *p, city: { type: string } } }
`,
      "c.yaml",
    );
    const [, merged] = contract.tools!;
    expect(JSON.stringify(merged)).toBe(
      '{"name":"b","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"city":{"type":"string"}}}}',
    );
    expect(place("/tools/1/inputSchema/properties/__proto__/type")).toMatchObject({ line: 6 });
    expect(place("/tools/1/name")).toMatchObject({ line: 8 });
  });

  test.each([
    ["a mapping that merges itself", "x: &a { b: 1, <<: *a }", /refers to a value that contains it/, 19],
    [
      "mappings that merge each other",
      "x: &a { b: &b { <<: *a } }\n",
      /refers to a value that contains it/,
      21,
    ],
    ["a text", "x: { <<: a }", /to name a mapping/, 10],
    ["nothing", "x: { <<: }", /to name a mapping/, 10],
    ["a list of lists", "x: { <<: [[{ a: 1 }]] }", /to name a mapping/, 11],
    ["an unknown alias", "x: { <<: *a }", /\*a has no anchor before it/, 10],
  ])("of %s are refused", (_, text, message, column) => {
    expect(refusal(text)).toMatchObject({
      code: "MG6001",
      message: expect.stringMatching(message) as string,
      place: { line: 1, column },
    });
  });

  test("that would expand to enormous values are refused early, with the place", () => {
    const levels = Array.from(
      { length: 40 },
      (_, index) => `a${index + 1}: &a${index + 1} { <<: [*a${index}, *a${index}], k${index}: *a${index} }`,
    );
    const refused = refusal(["a0: &a0 {}", ...levels].join("\n"));
    expect(refused).toMatchObject({ code: "MG6001", place: { line: expect.any(Number) as number } });
    expect((refused as Error).message).toBe("the aliases expand to more than 8 MB in all");
  });
});

test("merge keys and aliases mean the same as in the library, key by key", () => {
  const name = fc.constantFrom("a", "b", "c", "__proto__", "1", "'<<'");
  const reference = (of: number) => fc.nat(of).map((index) => `*m${index}`);
  const mapping = (before: number) => {
    const own = fc
      .uniqueArray(name, { maxLength: 4 })
      .chain((names) =>
        fc.tuple(
          ...names.map((key) =>
            fc.oneof(fc.constantFrom("1", "-0", "x", "~"), reference(before)).map((to) => `${key}: ${to}`),
          ),
        ),
      );
    const merged = fc.oneof(
      reference(before),
      fc.array(reference(before), { maxLength: 3 }).map((list) => `[${list.join(", ")}]`),
      name.map((key) => `{ ${key}: inline }`),
    );
    const merges = fc.array(
      merged.map((source) => `<<: ${source}`),
      { maxLength: 2 },
    );
    return fc
      .tuple(own, merges)
      .chain(([members, sources]) =>
        fc.shuffledSubarray([...members, ...sources], { minLength: members.length + sources.length }),
      )
      .map((members) => `{ ${members.join(", ")} }`);
  };
  const document = fc
    .tuple(...Array.from({ length: 5 }, (_, index) => mapping(index)))
    .map((all) =>
      ["m0: &m0 { z: 0 }", ...all.map((text, index) => `m${index + 1}: &m${index + 1} ${text}`)].join("\n"),
    );
  fc.assert(
    fc.property(document, (text) => {
      expect(JSON.stringify(value(text))).toBe(
        JSON.stringify(parse(text, { merge: true, maxAliasCount: -1 })),
      );
    }),
    { numRuns: cases(10_000) },
  );
});

test("the limit for aliases counts their content, not their number", () => {
  const tools = Array.from({ length: 500 }, () => "  - *s").join("\n");
  expect(value(`s: &s { type: object }\nall:\n${tools}`)).toMatchObject({ all: { length: 500 } });
  const long = `s: &s ${"x".repeat(100_000)}\nall:\n${tools}`;
  expect(refusal(long)).toMatchObject({ message: expect.stringContaining("8 MB") as string });
});

test.each([
  ["a key twice, once as a number", '1: a\n"1": b\n', /same key twice/, 2],
  ["a list for a key", "a: b\n? [c]\n: d\n", /a string as key/, 2],
  ["binary data", "a: b\nc: !!binary aGk=\n", /JSON does not have/, 2],
  ["infinity", "a: b\nc: [1, -.inf]\n", /^-\.inf is/, 2],
])("%s is refused with its place", (_, text, message, line) => {
  expect(refusal(text)).toMatchObject({
    code: "MG6001",
    message: expect.stringMatching(message) as string,
    place: { file: "c.yaml", line },
  });
});

test("a key called << is written in quotes, and read back", async () => {
  const inputSchema = { type: "object", properties: { "<<": { type: "string", enum: ["<<"] } } };
  const contract = { name: "n", version: "1", tools: [{ name: "t", inputSchema }] } as Contract;
  const text = await contractText(contract, "c.yaml");
  expect((await readContract(text, "c.yaml")).contract).toEqual(contract);
});
