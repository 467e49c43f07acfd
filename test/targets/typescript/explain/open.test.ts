import { describe, expect, test } from "vitest";
import { compile } from "../../../support/compiled-schema.js";
import { schemaFrom } from "../../../support/revisions.js";

const object = (properties: object): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const arm = (kind: string, more: object = {}): object => object({ kind: { const: kind }, ...more });

const explanations = await compile(
  schemaFrom(
    {
      Block: {
        anyOf: [
          arm("text", { text: { type: "string" } }),
          arm("image", { level: { $ref: "#/$defs/Level" } }),
        ],
      },
      Level: { enum: ["low", "high"] },
      List: object({
        blocks: { type: "array", items: { $ref: "#/$defs/Block" } },
        level: { $ref: "#/$defs/Level" },
      }),
      Loose: { anyOf: [object({ v: { const: 2 }, a: true }), object({ v: { const: 2 }, b: true })] },
      Plain: object({ n: { type: "integer" } }),
      Single: arm("one", { n: { type: "integer" } }),
    },
    ["/$defs/Block", "/$defs/Level", "/$defs/Loose", "/$defs/Single"],
  ),
);

const said = (name: string, value: unknown, reading?: "open"): string[] =>
  explanations
    .get(name)!
    .explain(value, reading)
    .map(({ message }) => message);

describe("after an open validator has refused", () => {
  test("only the members that caused the refusal have issues", () => {
    const value = {
      blocks: [{ kind: "video" }, { kind: "image", level: "medium" }, { kind: "text", text: 1 }],
      level: 3,
    };
    expect(explanations.get("List")!.accepts(value)).toBe(false);
    expect(said("List", value, "open")).toEqual([
      "blocks[2].text: expected string, got 1 (number)",
      'level: expected one of "high", "low", got 3 (number)',
    ]);
    expect(said("List", value)).toHaveLength(4);
  });

  test.each([
    ["Block", { kind: "video" }, []],
    ["Block", { kind: 1 }, ['kind: expected one of "image", "text", got 1 (number)']],
    ["Level", "medium", []],
    ["Loose", { v: 2, c: 1 }, []],
    ["Loose", { v: 3, a: 1 }, ["v: expected 2, got 3 (number)"]],
    ["Single", { kind: "two", n: "x" }, []],
    ["Single", { kind: "one", n: "x" }, ['n: expected integer, got "x" (string)']],
    ["Plain", { n: "x" }, ['n: expected integer, got "x" (string)']],
  ])("%s of %j", (name, value, messages) => {
    expect(said(name, value, "open")).toEqual(messages);
    expect(explanations.get(name)!.accepts(value)).toBe(messages.length === 0);
  });
});

/** Extensions of the open reading, in combination with a keyword for unevaluated members. */
const openings = {
  "a set of objects": { enum: [{ type: "one" }, null] },
  "a union by a tag": { anyOf: [arm("text", { text: true }), arm("image", { level: true })] },
  "a union without a tag": {
    anyOf: [object({ v: { const: 2 }, a: true }), object({ v: { const: 2 }, b: true })],
  },
  "an exclusive union": { oneOf: [arm("text", { text: true }), arm("image", { level: true })] },
  "an object by its tag": arm("one", { n: { type: "integer" } }),
};
const ways = (target: object): object[] => [
  { $ref: "#/$defs/Open" },
  { allOf: [{ $ref: "#/$defs/Open" }] },
  { if: { required: ["a"] }, then: { $ref: "#/$defs/Open" }, else: target },
];
const tagged = [
  {},
  { type: "one" },
  { kind: "video" },
  { kind: "text", text: 1 },
  { kind: "one", n: 1 },
  { v: 2, c: 1 },
];
const tried = [...tagged, ...tagged.map((value) => ({ ...value, a: 1 }))];

test.each(Object.entries(openings))(
  "beside %s, members that nothing evaluates are refused and explained",
  async (_, target) => {
    for (const way of ways(target)) {
      for (const others of [false, { type: "string" }]) {
        const definitions = { Open: target, Whole: { ...way, unevaluatedProperties: others } };
        const whole = (await compile(schemaFrom(definitions, ["/$defs/Open"]))).get("Whole")!;
        for (const value of tried) {
          const issues = whole.explain(value, "open");
          const context = `${JSON.stringify(definitions)} on ${JSON.stringify(value)}: ${JSON.stringify(issues)}`;
          expect(issues.length === 0, context).toBe(whole.accepts(value));
          for (const { expected } of issues) expect(expected, context).not.toBe("Whole");
        }
      }
    }
  },
);
