import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPairs } from "../../../generator/command/call/pairs.js";
import { typedArguments } from "../../../generator/command/call/typed-arguments.js";
import { CodedError } from "../../../generator/diagnostics/coded-error.js";
import { cases, seed } from "../../support/cases.mjs";

const schema = {
  $defs: {
    Place: { type: "object", properties: { lat: { type: "number" }, "a.b": { type: "integer" } } },
    Loop: { $ref: "#/$defs/Loop" },
  },
  type: "object",
  properties: {
    text: { type: "string" },
    whole: { type: "integer" },
    number: { type: "number" },
    flag: { type: "boolean" },
    nothing: { type: ["integer", "null"] },
    either: { type: ["string", "number"] },
    unit: { enum: ["metric", "imperial", 3, null] },
    only: { const: 7 },
    tags: { type: "array", items: { type: "string" } },
    numbers: { type: "array", items: { type: "integer" } },
    names: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    place: { $ref: "#/$defs/Place" },
    "dotted.name": { type: "integer" },
    union: { anyOf: [{ type: "integer" }, { type: "object", properties: { deep: { type: "boolean" } } }] },
    any: {},
    unread: { type: "any" },
    loop: { $ref: "#/$defs/Loop" },
    open: { type: "object", additionalProperties: { type: "integer" } },
  },
};
const target = { schema, owner: 'the tool "t"', signature: "t(text)" };
const typed = (...words: string[]): unknown => typedArguments(readPairs(words), target);

test.each<[string[], object]>([
  [["text=5"], { text: "5" }],
  [["text="], { text: "" }],
  [["text=a=b:=c"], { text: "a=b:=c" }],
  [["whole=-5", "number=1.5e3"], { whole: -5, number: 1500 }],
  [["flag=true"], { flag: true }],
  [["nothing=null"], { nothing: null }],
  [["either=5"], { either: "5" }],
  [["either:=5"], { either: 5 }],
  [["unit=metric"], { unit: "metric" }],
  [["unit=3"], { unit: 3 }],
  [["only=7"], { only: 7 }],
  [["tags=a"], { tags: ["a"] }],
  [["tags=a", "tags=b,c"], { tags: ["a", "b,c"] }],
  [["tags=a", "tags:=[1]"], { tags: [1] }],
  [["tags=a", "tags:=5", "tags=b"], { tags: ["b"] }],
  [["numbers=1", "numbers=2"], { numbers: [1, 2] }],
  [["names=a"], { names: "a" }],
  [["names=a", "names=b"], { names: ["a", "b"] }],
  [['place={"lat":1}'], { place: { lat: 1 } }],
  [["place.lat=1.5", "place.a.b=2"], { place: { lat: 1.5, "a.b": 2 } }],
  [["dotted.name=3"], { "dotted.name": 3 }],
  [["union=3"], { union: 3 }],
  [["union.deep=false"], { union: { deep: false } }],
  [["any=3"], { any: "3" }],
  [["unread=x"], { unread: "x" }],
  [["loop=x"], { loop: "x" }],
  [["open.x=3"], { open: { x: 3 } }],
  [["open.__proto__=3"], { open: Object.fromEntries([["__proto__", 3]]) }],
])("%j is %j", (words, expected) => {
  expect(JSON.stringify(typed(...words))).toBe(JSON.stringify(expected));
});

function errorOf(words: readonly string[], of: object = target): CodedError {
  try {
    typedArguments(readPairs(words), of as typeof target);
  } catch (error) {
    if (error instanceof CodedError) return error;
  }
  throw new Error("nothing was refused");
}

describe("wrong arguments are refused, with a next step", () => {
  test.each<[string, string, RegExp, RegExp]>([
    ["txt=a", "MG6309", /has no argument "txt"/, /Did you mean text\?/],
    ["zzzzzzz=a", "MG6309", /no argument/, /It takes t\(text\)/],
    ["whole=1.5", "MG6309", /"whole" to be integer, got "whole=1.5"/, /whole:=JSON/],
    ["whole=0x10", "MG6309", /integer/, /JSON/],
    ["number=", "MG6309", /number/, /JSON/],
    ["number=1e999", "MG6309", /number/, /JSON/],
    ["flag=yes", "MG6309", /boolean/, /JSON/],
    ["unit=other", "MG6309", /"metric" \| "imperial" \| 3 \| null/, /JSON/],
    ["place=x", "MG6309", /to be \{ lat\?: number/, /place\.NAME=VALUE/],
    ["place.lot=1", "MG6309", /no argument "lot"/, /Did you mean lat\?/],
    ["text.inner=1", "MG6309", /no argument "inner"/, /no members there/],
    ["novalue", "MG2004", /expected key=value or key:=JSON, got "novalue"/, /as in NAME=novalue,/],
    ["=x", "MG2004", /key=value/, /as in NAME=x,/],
    ["whole:=x", "MG2004", /expected JSON after :=/, /single quotes/],
  ])("%s", (word, code, message, next) => {
    const error = errorOf([word]);
    expect([error.code, error.exitCode]).toEqual([code, 2]);
    expect(error.message).toMatch(message);
    expect(error.next).toMatch(next);
  });

  test("a text that is given twice", () => {
    const error = errorOf(["text=a", "text=b"]);
    expect([error.code, error.message]).toEqual([
      "MG6309",
      'the tool "t": "text" is given twice, but is not an array',
    ]);
  });

  test("required arguments that neither the pairs nor --args contain", () => {
    const strict = { ...target, schema: { ...schema, required: ["text", "whole"] } };
    expect(errorOf(["flag=true"], strict).message).toBe('the tool "t" lacks "text", "whole"');
    expect(typedArguments(readPairs(["whole=1"]), strict, { text: "x" })).toEqual({ text: "x", whole: 1 });
  });
});

test.each([true, {}, { type: "object" }, { type: "object", additionalProperties: true }])(
  "a schema without properties accepts any key as text: %j",
  (open) => {
    expect(typedArguments(readPairs(["a=1", "b:=2"]), { ...target, schema: open })).toEqual({ a: "1", b: 2 });
  },
);

const arm = (kind: unknown, properties: object, more: object = {}): object => ({
  type: "object",
  properties: { kind: { const: kind }, ...properties },
  required: ["kind"],
  ...more,
});
const number = { type: "number" };
const string = { type: "string" };

describe("only the arms of a union whose constants fit the given members count, or else all arms", () => {
  test.each<[string, object, string[], object, object?]>([
    [
      "a constant names the arm",
      { s: { oneOf: [arm("circle", { size: number }), arm("text", { words: string })] } },
      ["s.kind=text", "s.words=hello"],
      { s: { kind: "text", words: "hello" } },
    ],
    [
      "members of one name have the type of the arm",
      { s: { oneOf: [arm("circle", { size: number }), arm("text", { size: string })] } },
      ["s.kind=circle", "s.size=5"],
      { s: { kind: "circle", size: 5 } },
    ],
    [
      "the order of the keys does not matter",
      { s: { anyOf: [arm("text", { size: string }), arm("circle", { size: number })] } },
      ["s.size=5", "s.kind=circle"],
      { s: { size: 5, kind: "circle" } },
    ],
    [
      "without a constant, members of all arms count",
      { s: { oneOf: [arm("circle", { size: number }), arm("text", { size: { type: "boolean" } })] } },
      ["s.size=true"],
      { s: { size: true } },
    ],
    [
      "an arm with a place for every key comes before others",
      { s: { oneOf: [{ properties: { a: string } }, { properties: { a: number, b: number } }] } },
      ["s.a=1", "s.b=2"],
      { s: { a: 1, b: 2 } },
    ],
    [
      "a constant deeper down",
      {
        s: {
          oneOf: [
            { properties: { meta: arm(1, {}), v: number } },
            { properties: { meta: arm(2, {}), v: string } },
          ],
        },
      },
      ["s.meta.kind=1", "s.v=5"],
      { s: { meta: { kind: 1 }, v: 5 } },
    ],
    [
      "a union in an arm",
      {
        s: {
          oneOf: [
            { anyOf: [arm("a", { v: string }), arm("b", { v: { type: "integer" } })] },
            arm("c", { v: { type: "boolean" } }),
          ],
        },
      },
      ["s.kind=b", "s.v=3"],
      { s: { kind: "b", v: 3 } },
    ],
    [
      "a constant of JSON, and one of --args",
      { s: { oneOf: [arm(true, { v: string }), arm(false, { v: number })] } },
      ["s.v=5"],
      { s: { kind: false, v: 5 } },
      { s: { kind: false } },
    ],
    [
      "a key replaces what --args says",
      { s: { oneOf: [arm("a", { v: string }), arm("b", { v: number })] } },
      ["s.kind=b", "s.v=5"],
      { s: { kind: "b", v: 5 } },
      { s: { kind: "a" } },
    ],
    [
      "items of all lists",
      {
        s: {
          anyOf: [
            { type: "array", items: number },
            { type: "array", items: { type: "boolean" } },
          ],
        },
      },
      ["s=1", "s=true"],
      { s: [1, true] },
    ],
    [
      "a name with a dot in the second arm",
      { s: { oneOf: [arm("a", {}), arm("b", { "x.y": number })] } },
      ["s.kind=b", "s.x.y=1"],
      { s: { kind: "b", "x.y": 1 } },
    ],
    [
      "the branch of a condition that a constant decides on",
      {
        s: {
          properties: { kind: { enum: ["a", "b"] } },
          if: { properties: { kind: { const: "a" } }, required: ["kind"] },
          then: { properties: { v: string } },
          else: { properties: { v: number } },
        },
      },
      ["s.v=5", "s.kind=b"],
      { s: { v: 5, kind: "b" } },
    ],
    [
      "the other branch",
      {
        s: {
          properties: { kind: { enum: ["a", "b"] } },
          if: { properties: { kind: { const: "a" } } },
          then: { properties: { v: number } },
          else: { properties: { v: string } },
        },
      },
      ["s.kind=a", "s.v=5"],
      { s: { kind: "a", v: 5 } },
    ],
    [
      "members under a condition",
      { s: { type: "object", properties: { k: string }, then: { properties: { v: number } } } },
      ["s.k=a", "s.v=1"],
      { s: { k: "a", v: 1 } },
    ],
  ])("%s", (_, properties, words, expected, given = {}) => {
    const schema = { type: "object", properties };
    expect(typedArguments(readPairs(words), { ...target, schema } as never, given as never)).toEqual(
      expected,
    );
  });

  test("the arguments themselves may be a union", () => {
    const schema = { type: "object", oneOf: [arm("a", { v: string }), arm("b", { v: number })] };
    expect(typedArguments(readPairs(["kind=b", "v=5"]), { ...target, schema } as never)).toEqual({
      kind: "b",
      v: 5,
    });
  });

  test("if no constant fits, the message names all", () => {
    const properties = { s: { oneOf: [arm("a", {}), arm("b", {})] } };
    const error = errorOf(["s.kind=c"], { ...target, schema: { type: "object", properties } });
    expect(error.message).toContain('expected "s.kind" to be "a" | "b"');
  });

  test("recursive schemas and schemas of many arms do not cause an endless search", () => {
    const loop = { anyOf: [{ $ref: "#/$defs/loop" }, { $ref: "#/$defs/more" }] };
    const more = { oneOf: [{ $ref: "#/$defs/loop" }, arm("a", { v: { $ref: "#/$defs/loop" } })] };
    const schema = { $defs: { loop, more }, type: "object", properties: { s: { $ref: "#/$defs/loop" } } };
    const words = Array.from({ length: 20 }, (_, index) => `s.v.v.v.v.v.m${index}=1`);
    expect(() => typedArguments(readPairs(words), { ...target, schema } as never)).not.toThrow(RangeError);
  });

  test("every value of a random union of arms with constants is written as key=value and read back", () => {
    fc.assert(
      fc.property(unionAndValue, ({ schema, value, words }) => {
        expect(typedArguments(readPairs(words), { ...target, schema } as never)).toEqual(value);
      }),
      { seed, numRuns: cases(2_000) },
    );
  });
});

const kinds = {
  string: [string, fc.constantFrom("x", "5", "true", "null", "", "a=b")],
  number: [number, fc.constantFrom(0, 5, -1.5)],
  integer: [{ type: "integer" }, fc.constantFrom(0, 7)],
  boolean: [{ type: "boolean" }, fc.boolean()],
  null: [{ type: ["integer", "null"] }, fc.constantFrom(null, 3)],
} as const;
const members = fc.dictionary(
  fc.constantFrom("a", "b", "c", "d.e"),
  fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
  { maxKeys: 3 },
);

/**
 * Arms of a union that differ in a constant, a value of one of them, and the words on the command line for this value.
 */
const unionAndValue = fc
  .record({
    arms: fc.uniqueArray(fc.record({ kind: fc.constantFrom("x", "y", "z", 1, 2, true, false), members }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ kind }) => kind,
    }),
    chosen: fc.nat(),
    form: fc.constantFrom("anyOf", "oneOf"),
    style: fc.constantFrom(
      "plain",
      "referred",
      "composed",
      "nested",
      "enumerated",
      "nullable",
      "based",
      "conditions",
    ),
    order: fc.nat(),
  })
  .chain(({ arms, chosen, form, style, order }) => {
    const { kind, members: own } = arms[chosen % arms.length]!;
    const defs = Object.fromEntries(
      arms.map((each, index) => [
        `arm${index}`,
        {
          type: "object",
          properties: {
            kind: style === "enumerated" ? { enum: [each.kind] } : { const: each.kind },
            ...Object.fromEntries(Object.entries(each.members).map(([name, type]) => [name, kinds[type][0]])),
          },
        },
      ]),
    );
    const refs = Object.keys(defs).map((name) => ({ $ref: `#/$defs/${name}` }));
    const listed = {
      ...{ plain: Object.values(defs), enumerated: Object.values(defs), referred: refs },
      ...{
        composed: refs.map((ref) => ({ allOf: [ref] })),
        nested: [{ anyOf: refs.slice(0, 1) }, ...refs.slice(1)],
        nullable: [{ type: "null" }, ...refs],
        based: refs,
        conditions: refs,
      },
    }[style];
    const tag = { type: "object", properties: { kind: { enum: arms.map((each) => each.kind) } } };
    const cases = arms.map((each, index) => ({
      if: { properties: { kind: { const: each.kind } }, required: ["kind"] },
      then: refs[index],
    }));
    const union = {
      ...(style === "conditions" ? { allOf: cases } : { [form]: listed }),
      ...((style === "based" || style === "conditions") && tag),
    };
    const schema = { $defs: defs, type: "object", properties: { s: union } };
    return fc
      .record(Object.fromEntries(Object.entries(own).map(([name, type]) => [name, kinds[type][1]])))
      .map((values) => {
        const s: Record<string, unknown> = { ...values, kind };
        const words = Object.entries(s).map(([name, value]) => `s.${name}=${String(value)}`);
        const at = order % words.length;
        return { schema, value: { s }, words: [...words.slice(at), ...words.slice(0, at)] };
      });
  });
