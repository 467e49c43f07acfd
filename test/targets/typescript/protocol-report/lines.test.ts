import type { JsonValue } from "@mcpgen/engine";
import { canonicalise, readSchema } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { definitionLines } from "../../../../generator/targets/typescript/protocol-report/lines.js";
import { codeSpan } from "../../../../generator/print/markdown.js";

function linesOf(definition: JsonValue): string[] {
  const { definitions } = readSchema(canonicalise({ $defs: { X: definition, Y: { type: "string" } } }));
  return definitionLines(definitions.get("X")!);
}

const y = { $ref: "#/$defs/Y" };

describe("the lines of a definition", () => {
  it.each<[JsonValue, string[]]>([
    [{ type: "string", minLength: 1, format: "uri" }, ['`string`, minLength `1`, format `"uri"`']],
    [{ enum: ["b", "a"] }, ['`"a" | "b"`']],
    [{ anyOf: [y, { type: "null" }] }, ["`Y | null`"]],
    [{ allOf: [y, { anyOf: [y, { type: "integer" }] }] }, ["`Y & (Y | integer)`"]],
    [{ type: ["string", "integer"] }, ["`integer | string`"]],
    [
      { type: "array", items: { anyOf: [y, { type: "null" }] }, maxItems: 3 },
      ["`(Y | null)[]`, maxItems `3`"],
    ],
    [{ type: "array", items: { type: "string", pattern: "^a" } }, ['`string[]`, items pattern `"^a"`']],
    [{}, ["`unknown`"]],
    [false, ["`never`"]],
    [{ type: "object" }, ["`object`"]],
    [{ type: "object", additionalProperties: y }, ["`[key]: Y`"]],
    [{ type: "object", properties: { a: y }, additionalProperties: false }, ["`a?: Y`", "`no others`"]],
  ])("%j", (definition, lines) => {
    expect(linesOf(definition)).toEqual(lines);
  });

  it("give members of inline objects separate lines, with their path", () => {
    const inner = {
      type: "object",
      properties: { "odd name": { type: "number", minimum: 0, default: 1 } },
      required: ["odd name"],
    };
    expect(
      linesOf({ type: "object", properties: { list: { type: "array", items: inner }, one: inner } }),
    ).toEqual([
      "`list?: object[]`",
      '`list[]."odd name": number`, minimum `0`, default `1`',
      "`one?: object`",
      '`one."odd name": number`, minimum `0`, default `1`',
    ]);
  });

  it("cannot be ended by quoted text", () => {
    expect(codeSpan("a`b``c")).toBe("``` a`b``c ```");
    expect(codeSpan("one\ntwo\u202e")).toBe("`one two`");
    expect(linesOf({ const: "`\n# title" })).toEqual(['`` "`\\n# title" ``']);
  });
});
