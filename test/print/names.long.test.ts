import { readDocument } from "@mcpgen/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capitalised, identifiersFor, nameDefinitions } from "../../generator/print/text.js";
import { revisions, schemaOf } from "../support/revisions.js";
import { shuffled, randomFrom } from "../../generator/sample/values.js";
import { compilerErrors } from "../support/typescript-compiler.js";
import { cases } from "../support/cases.mjs";
import { emitTypes } from "../../generator/targets/typescript/types/emit.js";
import { emitSharedChecks, emitValidators } from "../../generator/targets/typescript/validators/emit.js";
import { loadTemplates } from "../../generator/print/templates.js";

const words = [
  "break case catch class const continue debugger default delete do else enum export extends false finally for",
  "function if import in instanceof new null return super switch this throw true try typeof var void while with",
  "implements interface let package private protected public static yield await async of arguments eval",
  "any unknown never number bigint boolean string symbol object undefined void abstract as asserts declare get",
  "infer intrinsic is keyof module namespace out override readonly require satisfies set type unique using",
  "global globalThis constructor __proto__ prototype toString NaN Infinity Array Object String Function Record",
].flatMap((line) => line.split(" "));

const odd = [
  "",
  " ",
  "😀",
  "é",
  "1",
  "123abc",
  "a b",
  "a-b",
  "a.b/c",
  "$",
  "_",
  "Foo",
  "foo",
  "FOO",
  "foo2",
  "Foo2",
  "Definition",
  "*/",
  "\0",
  "\ud800",
  "__proto__",
];

const names = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom(...words, ...odd),
    fc.string({ unit: fc.constantFrom("f", "F", "2", " ", "é", "$") }),
  ),
  { maxLength: 30 },
);

describe("identifiers", () => {
  test("are valid, and differ even after capitalisation", () => {
    fc.assert(
      fc.property(names, (list) => {
        const identifiers = [...identifiersFor(list).values()];
        for (const identifier of identifiers)
          expect(identifier).toMatch(/^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u);
        expect(new Set(identifiers.map(capitalised)).size).toBe(list.length);
      }),
      { numRuns: cases(1000) },
    );
  });

  test("do not depend on the order of the names, and keep it", () => {
    fc.assert(
      fc.property(names, fc.string(), (list, seed) => {
        const identifiers = identifiersFor(list);
        expect([...identifiers.keys()]).toEqual(list);
        const others = identifiersFor(shuffled(list, randomFrom(seed)));
        for (const name of list) expect(others.get(name)).toBe(identifiers.get(name));
      }),
      { numRuns: cases(1000) },
    );
  });

  test("equal the names if these are identifiers", () => {
    const list = ["foo bar", "FooBar", "fooBar2", "fooBar", "123", "_123"];
    expect(Object.fromEntries(identifiersFor(list))).toEqual({
      FooBar: "FooBar",
      fooBar2: "fooBar2",
      // The same as FooBar in `isFooBar`.
      fooBar: "fooBar3",
      "foo bar": "fooBar4",
      _123: "_123",
      "123": "_1232",
    });
  });

  test("are found for thousands of equal names in linear time", () => {
    const list = Array.from({ length: 20_000 }, (_, index) =>
      index.toString(2).replaceAll("0", "☃").replaceAll("1", "😀"),
    );
    const identifiers = [...identifiersFor(list).values()];
    expect(new Set(identifiers).size).toBe(list.length);
    expect(identifiers).toContain("Definition20000");
  });

  test("declare types, for every reserved word and odd name", async () => {
    const list = [...new Set([...words, ...odd])];
    const identifiers = [...identifiersFor(list).values()];
    const code = identifiers.flatMap((identifier) => [
      `export interface ${identifier} { a: 1 }`,
      `export function is${capitalised(identifier)}(value: unknown): value is ${identifier} { return value === 1; }`,
    ]);
    expect(await compilerErrors(new Map([["names.ts", code.join("\n")]]))).toEqual([]);
  });
});

test("definitions with the names of functions for other definitions keep their names", async () => {
  const names = ["foo", "isFoo", "isFoo2", "acceptsIsFoo", "checkFoo", "explainFoo", "parseFoo", "FooSchema"];
  const schema = readDocument({
    $defs: {
      ...Object.fromEntries(
        names.map((name, index) => [
          name,
          {
            type: "object",
            properties: {
              a: { type: "string", minLength: 1 },
              b: { $ref: `#/$defs/${names[index - 1] ?? "天"}` },
            },
          },
        ]),
      ),
      天: { type: "object" },
    },
  });
  const identifiers = nameDefinitions(schema);
  for (const name of names) expect(identifiers.get(name)).toBe(name);
  const input = { schema, origin: "x", folder: "x", importExtension: "js", render: loadTemplates() } as const;
  const shared = emitSharedChecks({ ...input, models: [], folder: "" });
  const files = [...emitTypes(input), ...emitValidators(input), ...shared].map(
    ([path, { content }]) => [path, content] as const,
  );
  expect(await compilerErrors(new Map(files))).toEqual([]);
});

test.each(revisions)("%s: every definition keeps its name", (revision) => {
  for (const [name, identifier] of nameDefinitions(schemaOf(revision))) expect(identifier).toBe(name);
});
