import { array as listOf, assert, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { acceptedBy, isJson } from "../../../../runtime/core/http/server/access.js";
import { decodeHeaderValue, paramProblem } from "../../../../runtime/core/http/server/posts.js";
import {
  encodeHeaderValue,
  headerValue,
  paramHeadersOf,
} from "../../../../runtime/core/protocol/param-headers.js";
import { exchangeOf } from "./exchange-of.js";
import { valueAt } from "../../../../runtime/base/jsonrpc/message.js";

describe("values of headers", () => {
  test.each([
    ["us-west1", "us-west1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["", ""],
    ["a b", "a b"],
    ["a\tb", "=?base64?YQli?="],
    ["=?base64?open", "=?base64?open"],
    ["\u007f", "=?base64?fw==?="],
  ])("%j is sent as %s", (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(value);
  });

  test.each([
    "é",
    "a\u0000",
    "\u007f",
    "=?base64?YQ?=",
    "=?base64?Y Q==?=",
    "=?base64?_w==?=",
    "=?base64?/w==?=",
    "=?base64?YR==?=",
  ])("%j is malformed", (header) => expect(decodeHeaderValue(header)).toBeUndefined());

  test.each(["=?BASE64?YQ==?=", "=?base64?=", "x=?base64?YQ==?="])("%j is read unchanged", (header) => {
    expect(decodeHeaderValue(header)).toBe(header);
  });

  test("every value survives encoding, which uses characters of headers only", () => {
    assert(
      property(listOf(integer({ min: 0, max: 0xd7ff })), (codes) => {
        const value = String.fromCodePoint(...codes);
        const header = encodeHeaderValue(value);
        return (
          /^[\x20-\x7e]*$/.test(header) && header.trim() === header && decodeHeaderValue(header) === value
        );
      }),
    );
  });

  test.each([
    ["text", "text"],
    [true, "true"],
    [false, "false"],
    [-7, "-7"],
    [0, "0"],
    [-0, "0"],
    [2 ** 53 - 1, "9007199254740991"],
    [undefined, undefined],
    [{}, undefined],
  ])("%j is %s", (value, header) => expect(headerValue(value)).toBe(header));

  test.each([2 ** 53, 0.5, NaN, Infinity, 1e21])("%d has no header", (value) => {
    expect(() => headerValue(value)).toThrow(RangeError);
  });
});

test("the value at a path is the own member of the arguments", () => {
  const args = { a: { b: { c: "x" } }, n: null, list: ["y"] };
  expect(valueAt(args, ["a", "b", "c"])).toBe("x");
  for (const path of [
    ["a", "c"],
    ["n"],
    ["n", "x"],
    ["list", "0"],
    ["list", "length"],
    ["toString"],
    ["__proto__"],
    ["a", "b", "c", "length"],
  ])
    expect([path, valueAt(args, path)]).toEqual([path, undefined]);
});

test("declarations are found only along properties", () => {
  const declared = (name: unknown, type: unknown = "string"): object => ({ type, "x-mcp-header": name });
  const found = paramHeadersOf({
    type: "object",
    properties: {
      a: declared("A"),
      b: { properties: { c: declared("C-1", "integer") } },
      "x-mcp-header": { type: "string" },
    },
  });
  expect(found).toEqual({
    problem: undefined,
    headers: [
      { name: "Mcp-Param-A", header: "mcp-param-a", path: ["a"], type: "string" },
      { name: "Mcp-Param-C-1", header: "mcp-param-c-1", path: ["b", "c"], type: "integer" },
    ],
  });
  for (const schema of [true, undefined, null, [], {}, { properties: [] }])
    expect(paramHeadersOf(schema)).toEqual({ headers: [], problem: undefined });
});

describe("declarations without a known parameter", () => {
  const region = { type: "string", "x-mcp-header": "Region" };
  const list = (items: object) => ({ properties: { a: { type: "array", items } } });

  test.each([
    ["a property below items", list({ properties: { b: region } })],
    ["a property named default below items", list({ properties: { default: region } })],
    ["a pattern named examples", list({ patternProperties: { examples: region } })],
    ["a definition named const", { $defs: { const: region } }],
    ["an unknown keyword", list({ "x-ours": { any: [region] } })],
    ["a deep one", list({ allOf: [{ then: { dependentSchemas: { enum: { not: region } } } }] })],
  ])("%s", (_, schema) => expect(paramHeadersOf(schema).problem).toContain("x-mcp-header is below"));

  test.each([
    ["a property of that name below items", list({ properties: { "x-mcp-header": { type: "string" } } })],
    ["a definition of that name", { $defs: { "x-mcp-header": { type: "string" } } }],
    ["a default", list({ default: { "x-mcp-header": "no schema" } })],
    [
      "a default below a property named properties",
      list({ properties: { properties: { default: region } } }),
    ],
  ])("but not %s", (_, schema) => expect(paramHeadersOf(schema).problem).toBeUndefined());

  test("a schema that is too deep to be searched is refused", () => {
    const nested = (levels: number): object => {
      let schema: object = { type: "string" };
      for (let level = 1; level < levels; level++) schema = { items: schema };
      return schema;
    };
    expect(paramHeadersOf(nested(512)).problem).toBeUndefined();
    expect(paramHeadersOf(nested(513)).problem).toContain("deeper than 512 levels");
    expect(paramHeadersOf(nested(50_000)).problem).toContain("deeper than 512 levels");
  });
});

describe("media types", () => {
  test.each([
    [undefined, true, true],
    ["", true, true],
    ["application/json", true, false],
    ["text/event-stream;charset=utf-8", false, true],
    ["text/*;q=0.1", false, true],
    ["*/*;q=0", false, false],
    // The most specific entry counts, in any order.
    ["application/json;q=0.000, */*", false, true],
    ["*/*, application/json;q=0, text/event-stream;q=0", false, false],
    ["application/*;q=0, text/event-stream;q=0, */*", false, false],
    ["application/*;q=0, application/json, text/*", true, true],
    ["application/json;q = 0", false, false],
    ["application/json; Q=0 ;x=1, text/*", false, true],
    ["application/json;q=0, application/json", true, false],
    ["application/json; q=0.0001", true, false],
    ["text/event-stream-2", false, false],
    [",,", false, false],
  ])("Accept %s: JSON %s, events %s", (header, json, events) => {
    expect(acceptedBy(header)).toEqual({ json, events });
  });
});

describe("bodies that are JSON in UTF-8", () => {
  test.each([
    ["application/json", true],
    ["Application/JSON; charset=UTF-8", true],
    ['application/json;charset = "utf-8"', true],
    ["application/json;charset=utf8; x=y", true],
    ["application/json;", true],
    ["application/json; x-charset=utf-16", true],
    ["application/json; charset=utf-16", false],
    ['application/json;v=1;Charset="iso-8859-1"', false],
    ["application/json;charset=utf-88", false],
    ["application/json;charset=", false],
    ["application/json;charset=utf-8;charset=utf-16", false],
    ["text/plain;charset=utf-8", false],
    ["", false],
    [undefined, false],
  ])("%s: %s", (type, json) => expect(isJson(type)).toBe(json));
});

describe("numbers that headers mirror", () => {
  const headers = [{ header: "h", name: "H", path: ["n"], type: "integer" as const }];
  const problem = (value: string, body: string): string | undefined =>
    paramProblem(exchangeOf("POST", { h: value }), headers, JSON.parse(`{"n":${body}}`));

  test.each([
    ["42", "42"],
    ["42.0", "42"],
    ["42.000e-0", "42"],
    ["4.2e1", "42"],
    ["420e-1", "42"],
    ["042", "42"],
    ["-7.0", "-7"],
    ["-0", "0"],
    ["0e5", "0"],
    ["0.00", "-0"],
    ["1000", "1e3"],
    ["9007199254740991.0", "9007199254740991"],
    ["9007199254740992", "9007199254740992"],
    ["1000000000000000000000", "1e21"],
  ])("%s is %s", (value, body) => expect(problem(value, body)).toBeUndefined());

  test.each([
    ["43", "42"],
    ["-42", "42"],
    ["+42", "42"],
    ["42.00000000000000000001", "42"],
    ["9007199254740993", "9007199254740992"],
    ["9007199254740991.4", "9007199254740991"],
    ["1e400", "1e500"],
    ["Infinity", "42"],
    ["0x2a", "42"],
    ["4 2", "42"],
    ["42.", "42"],
    [".42e2", "42"],
    [`1e${"9".repeat(400)}`, "42"],
    ["", "0"],
  ])("%s is not %s", (value, body) => expect(problem(value, body)).toContain("H is"));

  test("a value of many zeros is handled quickly", () => {
    expect(problem(`${"0".repeat(100_000)}1${"0".repeat(100_000)}`, "10")).toContain("H is");
    expect(problem(`${"0".repeat(100_000)}1.${"0".repeat(100_000)}`, "1")).toBeUndefined();
  });
});
