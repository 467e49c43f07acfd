import { expect, test } from "vitest";
import { controlOf } from "../../../generator/page/browser/dev/form/fields.js";
import { jsonProblem } from "../../../generator/page/browser/dev/form/json-problem.js";
import { expanded, templateSchema } from "../../../generator/page/browser/dev/template.js";

/** The controls of an object's members, by name. */
function controls(properties: object, more: object = {}): Record<string, unknown> {
  const control = controlOf({ type: "object", properties, ...more } as never);
  if (control.kind !== "group") throw new Error(`expected a group, got ${control.kind}`);
  return Object.fromEntries(control.fields.map((field) => [field.name, field.control]));
}

test("standard controls", () => {
  expect(
    controls({
      text: { type: "string", minLength: 1, maxLength: 9 },
      method: { type: "string", examples: ["a", 1, "b"] },
      day: { type: "string", format: "date" },
      count: { type: "integer", minimum: 1 },
      ratio: { type: "number", maximum: 2 },
      sure: { type: "boolean" },
      color: { enum: ["red", 1, null], type: ["string", "number", "null"] },
      only: { const: "x" },
      titled: { oneOf: [{ const: "a", title: "A" }, { const: "b" }] },
      old: { type: "string", enum: ["a"], enumNames: ["Ah"] },
      tags: { type: "array", items: { type: "string" } },
      some: { type: "array", uniqueItems: true, items: { enum: ["a", "b"] } },
      place: { type: "object", properties: { city: { type: "string" } } },
    }),
  ).toEqual({
    text: { kind: "text", least: 1, most: 9 },
    method: { kind: "text", examples: ["a", "b"] },
    day: { kind: "text", format: "date" },
    count: { kind: "integer", least: 1 },
    ratio: { kind: "number", most: 2 },
    sure: { kind: "boolean" },
    color: {
      kind: "choice",
      choices: [
        { value: "red", label: "red" },
        { value: 1, label: "1" },
        { value: null, label: "null" },
      ],
    },
    only: { kind: "choice", choices: [{ value: "x", label: "x" }] },
    titled: {
      kind: "choice",
      choices: [
        { value: "a", label: "A" },
        { value: "b", label: "b" },
      ],
    },
    old: { kind: "choice", choices: [{ value: "a", label: "Ah" }] },
    tags: { kind: "list", item: { kind: "text" } },
    some: {
      kind: "choices",
      choices: [
        { value: "a", label: "a" },
        { value: "b", label: "b" },
      ],
    },
    place: {
      kind: "group",
      fields: [{ name: "city", title: "city", required: false, control: { kind: "text" } }],
    },
  });
});

test("a value for which the form has no control is entered as JSON", () => {
  const json = { kind: "json" };
  expect(
    controls(
      {
        any: {},
        yes: true,
        union: { type: ["string", "number"] },
        variant: { oneOf: [{ type: "object", properties: { a: {} } }, { type: "string" }] },
        map: { type: "object", additionalProperties: { type: "number" } },
        open: { type: "object" },
        tuple: { type: "array", prefixItems: [{ type: "string" }] },
        matrix: { type: "array", items: { type: "array", items: { type: "number" } } },
        dangling: { $ref: "#/$defs/none" },
        elsewhere: { $ref: "https://example.com/schema" },
        circle: { $ref: "#/$defs/circle" },
      },
      { $defs: { circle: { $ref: "#/$defs/circle" } } },
    ),
  ).toEqual(
    Object.fromEntries(
      [
        "any",
        "yes",
        "union",
        "variant",
        "map",
        "open",
        "tuple",
        "matrix",
        "dangling",
        "elsewhere",
        "circle",
      ].map((name) => [name, json]),
    ),
  );
  expect(controlOf(null)).toEqual(json);
  expect(controlOf({ type: "array" })).toEqual(json);
});

test("references, optional values of other tools, and one-armed unions lead to their schema", () => {
  const properties = {
    city: { $ref: "#/$defs/City~1Name", description: "Where" },
    age: { anyOf: [{ type: "integer" }, { type: "null" }], default: null },
    unit: { allOf: [{ $ref: "#/$defs/Unit" }], default: "C" },
    node: { $ref: "#/$defs/Node" },
  };
  const $defs = {
    "City/Name": { type: "string", title: "City" },
    Unit: { enum: ["C", "F"] },
    Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } },
  };
  const control = controlOf({ type: "object", properties, required: ["city"], $defs });
  if (control.kind !== "group") throw new Error("expected a group");
  expect(control.fields.slice(0, 3)).toEqual([
    { name: "city", title: "City", description: "Where", required: true, control: { kind: "text" } },
    { name: "age", title: "age", required: false, initial: null, control: { kind: "integer" } },
    {
      ...{ name: "unit", title: "unit", required: false, initial: "C" },
      control: {
        kind: "choice",
        choices: [
          { value: "C", label: "C" },
          { value: "F", label: "F" },
        ],
      },
    },
  ]);
  // A schema that contains itself ends as JSON.
  expect(JSON.stringify(control.fields[3])).toContain('"kind":"json"');
});

test("a schema with many members or choices is JSON", () => {
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`m${index}`, { type: "string" }]),
  );
  expect(controlOf({ type: "object", properties: many })).toEqual({ kind: "json" });
  const values = Array.from({ length: 2_000 }, (_, index) => index);
  expect(controls({ one: { enum: values } })).toEqual({ one: { kind: "json" } });
});

test("names such as __proto__ are normal members", () => {
  const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"boolean"}}') as object;
  const control = controlOf({ type: "object", properties: properties as never, required: ["__proto__"] });
  expect(control).toMatchObject({
    fields: [
      { name: "__proto__", required: true, control: { kind: "text" } },
      { name: "constructor", control: { kind: "boolean" } },
    ],
  });
});

test("the JSON editor shows the position of an error", () => {
  expect(jsonProblem('{"a":1}')).toBeUndefined();
  expect(jsonProblem("[]")).toEqual({ message: "expected an object, got an array" });
  expect(jsonProblem('{\n  "a": }')!.message).toMatch(/line 2/);
});

test("URI templates: their variables, and the URI of values", () => {
  expect(templateSchema("file:///{+path}{?q,limit:3}")).toMatchObject({
    properties: { path: { type: "string" }, q: { type: "string" }, limit: { type: "string" } },
  });
  expect(expanded("db://{table}/{id}", { table: "a b", id: "1/2" })).toBe("db://a%20b/1%2F2");
  expect(expanded("file:///{+path}{?q,limit}", { path: "a/b", q: "x&y" })).toBe("file:///a/b?q=x%26y");
  expect(expanded("x:{a}{/b}", {})).toBe("x:");
});
