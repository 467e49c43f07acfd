import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { levelFor } from "../../generator/diff/finding.js";
import { documentOf } from "../support/revisions.js";
import { between, line, modelFrom, protocolOf, released } from "./models.js";

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

const tree = (leaf: JsonValue): JsonObject =>
  protocolOf(
    { type: "object", properties: { tree: ref("Tree") }, required: ["tree"] },
    { type: "object" },
    {
      Tree: {
        type: "object",
        properties: {
          leaf,
          left: ref("Tree"),
          right: ref("Tree"),
          all: { type: "array", items: ref("Forest") },
        },
        required: ["leaf"],
      },
      Forest: { anyOf: [ref("Tree"), { type: "array", items: ref("Forest") }] },
    },
  );

test("recursive definitions are compared once", () => {
  const [old, next] = [modelFrom(tree({ type: "string" })), modelFrom(tree({ type: "number" }))];
  expect(diffModels(old, old)).toEqual([]);
  expect(diffModels(old, next).map(line)).toEqual(["type-changed Tree.leaf client:breaking server:breaking"]);
});

test("a union of all JSON types equals an unrestricted value", () => {
  const spelled: JsonObject = {
    Any: {
      anyOf: [
        { type: ["string", "number", "boolean", "null"] },
        { type: "array", items: ref("Any") },
        ref("AnyObject"),
      ],
    },
    AnyObject: { type: "object", additionalProperties: ref("Any") },
  };
  const params = (value: JsonValue): JsonValue => ({ type: "object", properties: { value } });
  const old = modelFrom(protocolOf(params({}), {}, spelled));
  const next = modelFrom(protocolOf(params(ref("Any")), {}, spelled));
  expect(diffModels(old, next)).toEqual([]);
  expect(diffModels(next, old)).toEqual([]);
});

test("a schema without the unions of messages by sender is compared by its definitions", () => {
  const document = documentOf("2025-11-25");
  const definitions = Object.entries(document["$defs"] as JsonObject).filter(
    ([name]) => !/^(Client|Server)(Request|Notification|Result)$|^JSONRPCMessage$/.test(name),
  );
  const bare = modelFrom({ ...document, $defs: Object.fromEntries(definitions) });
  expect(diffModels(bare, bare)).toEqual([]);
  expect(diffModels(modelFrom(document), bare).length).toBeGreaterThan(0);
  expect(diffModels(bare, modelFrom(document)).length).toBeGreaterThan(0);
});

test("dialects are read keyword by keyword: a tuple of draft-07 equals a tuple of 2020-12", () => {
  const definitions = (items: JsonObject): JsonObject => {
    const document = protocolOf({ type: "object", properties: { pair: { type: "array", ...items } } });
    return document["$defs"] as JsonObject;
  };
  const tuple: JsonValue[] = [{ type: "string" }, { type: "number" }];
  const draft07: JsonObject = {
    $schema: "http://json-schema.org/draft-07/schema#",
    definitions: JSON.parse(
      JSON.stringify(definitions({ items: tuple, additionalItems: false })).replaceAll(
        "#/$defs/",
        "#/definitions/",
      ),
    ) as JsonObject,
  };
  const current: JsonObject = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: definitions({ prefixItems: tuple, items: false }),
  };
  expect(diffModels(modelFrom(draft07), modelFrom(current))).toEqual([]);
  expect(
    diffModels(modelFrom(draft07), modelFrom(current), undefined, { old: "draft-07", new: "2020-12" }).map(
      line,
    ),
  ).toEqual(["dialect-changed $schema client:safe server:safe"]);
});

test("two schemas without common parts give removed and added methods", async () => {
  const other = modelFrom(tree({ type: "string" }));
  const findings = diffModels(await released("2025-11-25"), other);
  const harmful = findings.filter((finding) => levelFor(finding, "both") !== "safe");
  expect(new Set(harmful.map(({ rule }) => rule))).toEqual(
    new Set(["error-removed", "notification-removed", "request-added", "request-removed"]),
  );
});

test("unions that multiply are compared as text beyond a limit", () => {
  const choice = (key: string): JsonObject => ({
    anyOf: Array.from({ length: 6 }, (_, index) => ({
      type: "object",
      properties: { [`${key}${index}`]: { type: "string" } },
      required: [`${key}${index}`],
    })),
  });
  const product: JsonValue = { allOf: Array.from({ length: 12 }, (_, index) => choice(`k${index}`)) };
  expect(between(product, product)).toEqual([]);
  const fewer: JsonValue = { allOf: (product["allOf"] as JsonValue[]).slice(1) };
  expect(between(product, fewer).length).toBeGreaterThan(0);
});

test("a union of many arms is aligned in reasonable time", () => {
  const arms = (count: number): JsonObject => ({
    anyOf: Array.from({ length: count }, (_, index) => ({
      type: "object",
      properties: { type: { type: "string", const: `t${index}` }, value: { type: "string" } },
      required: ["type"],
    })),
  });
  expect(between(arms(300), arms(301)).map(({ rule }) => rule)).toEqual(["union-member-added"]);
});

test("names of inherited members are normal keys", () => {
  const object = (properties: JsonObject, required: string[] = []): JsonValue => ({
    type: "object",
    properties,
    required,
  });
  const own = JSON.parse(
    '{ "__proto__": { "type": "string" }, "constructor": { "type": "string" } }',
  ) as JsonObject;
  expect(
    between(object({}), object(own, ["__proto__"]))
      .map(({ rule }) => rule)
      .sort(),
  ).toEqual(["property-added-optional", "property-added-required"]);
});

test("thousands of definitions that refer to one another are each compared once", () => {
  const count = 3000;
  const chain = (leaf: string): JsonObject => {
    const definitions = Array.from({ length: count }, (_, index): [string, JsonValue] => [
      `D${index}`,
      {
        type: "object",
        properties: {
          next: ref(`D${(index + 1) % count}`),
          far: { type: "array", items: ref(`D${(index * 7 + 1) % count}`) },
          leaf: { type: index === 500 ? leaf : "string" },
        },
      },
    ]);
    return protocolOf(ref("D0"), { type: "object" }, Object.fromEntries(definitions) as JsonObject);
  };
  const findings = diffModels(modelFrom(chain("string")), modelFrom(chain("number")));
  expect(findings.map(line)).toEqual(["type-changed D500.leaf client:breaking server:breaking"]);
});

test("a schema without any method is compared by name", () => {
  const shapes = (leaf: string): JsonObject => ({
    $defs: {
      Point: { type: "object", properties: { x: { type: leaf } } },
      Line: { type: "array", items: ref("Point") },
    },
  });
  const [old, next] = [modelFrom(shapes("string")), modelFrom(shapes("number"))];
  expect(diffModels(old, old)).toEqual([]);
  expect(diffModels(old, next).map(line)).toEqual([
    "unreachable-changed Line client:safe server:safe",
    "unreachable-changed Point client:safe server:safe",
  ]);
});

test("500 methods are compared with 500 others", () => {
  const methods = (prefix: string): JsonObject => {
    const names = Array.from({ length: 500 }, (_, index) => `${prefix}${index}`);
    const definitions = names.flatMap((name): [string, JsonValue][] => [
      [
        `${name}Request`,
        { type: "object", properties: { method: { type: "string", const: name } }, required: ["method"] },
      ],
      [`${name}Result`, { type: "object" }],
    ]);
    const listed: JsonValue = { anyOf: names.map((name) => ref(`${name}Request`)) };
    return { $defs: { ...Object.fromEntries(definitions), ClientRequest: listed } };
  };
  const rules = diffModels(modelFrom(methods("a")), modelFrom(methods("b"))).map(({ rule }) => rule);
  const count = (wanted: string): number => rules.filter((rule) => rule === wanted).length;
  expect([count("request-removed"), count("request-added")]).toEqual([500, 500]);
});

test("a long chain of dependent definitions is compared, with an equally deep proof", () => {
  const chain = (leaf: string): JsonObject => {
    const definitions = Array.from({ length: 500 }, (_, index): [string, JsonValue] => [
      `D${index}`,
      index === 499
        ? { type: leaf }
        : { type: "object", properties: { next: ref(`D${index + 1}`) }, required: ["next"] },
    ]);
    return protocolOf(ref("D0"), { type: "object" }, Object.fromEntries(definitions) as JsonObject);
  };
  expect(diffModels(modelFrom(chain("string")), modelFrom(chain("number"))).map(line)).toEqual([
    "type-changed D499 client:breaking server:breaking",
  ]);
});

test.each([
  ["an array", { type: "array", items: { type: "string" }, minItems: 1e9 }, { type: "array" }],
  ["an object", { type: "object", minProperties: 1e9 }, { type: "object" }],
  ["a string", { type: "string", minLength: 1e9 }, { type: "string" }],
] as const)("no instance has %s of a billion: no witness proves that it may be smaller", (_, old, next) => {
  const looser = between(old, next).map(line);
  expect(looser.join("\n")).toMatch(/bound-loosened .*dangerous/);
  expect(between(next, old).map(line).join("\n")).toMatch(/bound-tightened .*breaking/);
});

test("conjunctions that repeat themselves at every level are read once", () => {
  const doubled = (minLength: number): JsonObject => {
    const levels = Array.from({ length: 30 }, (_, index): [string, JsonValue] => [
      `X${index}`,
      { allOf: [ref(`X${index + 1}`), ref(`X${index + 1}`)] },
    ]);
    const leaf: JsonValue = { type: "string", minLength };
    return protocolOf({ type: "object", properties: { x: ref("X0") } }, { type: "object" }, {
      ...Object.fromEntries(levels),
      X30: leaf,
    } as JsonObject);
  };
  const findings = diffModels(modelFrom(doubled(1)), modelFrom(doubled(3)));
  expect(findings.map(line)).toContain("bound-tightened X30 client:breaking server:safe");
});

test("the report shows the shapes if one name stands for both", () => {
  const thing = (definition: JsonObject): JsonObject =>
    protocolOf({ type: "object", properties: { thing: ref("Thing") } }, {}, { Thing: definition });
  const [finding] = diffModels(
    modelFrom(thing({ type: ["object", "string"] })),
    modelFrom(thing({ type: "object" })),
  );
  expect([finding?.old, finding?.new]).toEqual(["object | string", "object"]);
});
