import { describe, expect, test } from "vitest";
import { readPairs } from "../../../generator/command/call/pairs.js";
import { typedArguments } from "../../../generator/command/call/typed-arguments.js";
import { CodedError } from "../../../generator/diagnostics/coded-error.js";

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
    place: { $ref: "#/$defs/Place" },
    "dotted.name": { type: "integer" },
    union: { anyOf: [{ type: "integer" }, { type: "object", properties: { deep: { type: "boolean" } } }] },
    any: {},
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
  [["numbers=1", "numbers=2"], { numbers: [1, 2] }],
  [['place={"lat":1}'], { place: { lat: 1 } }],
  [["place.lat=1.5", "place.a.b=2"], { place: { lat: 1.5, "a.b": 2 } }],
  [["dotted.name=3"], { "dotted.name": 3 }],
  [["union=3"], { union: 3 }],
  [["union.deep=false"], { union: { deep: false } }],
  [["any=3"], { any: "3" }],
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
    ["novalue", "MG2004", /expected key=value or key:=JSON, got "novalue"/, /in quotes/],
    ["=x", "MG2004", /key=value/, /in quotes/],
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
  "a schema that names nothing takes any key as text: %j",
  (open) => {
    expect(typedArguments(readPairs(["a=1", "b:=2"]), { ...target, schema: open })).toEqual({ a: "1", b: 2 });
  },
);
