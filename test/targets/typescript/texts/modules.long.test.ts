import { describe, expect, test } from "vitest";
import { type JsonValue, type Schema, formats, isAutomaton, readDocument } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { copyModule, copyWhole } from "../../../../generator/targets/typescript/copied-module.js";
import { scannerOf } from "../../../../generator/targets/typescript/texts/modules.js";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { suiteFiles } from "../../../support/json-schema-suite.js";
import { compile } from "../../../support/compiled-schema.js";
import { combined, nameIn } from "../../../support/combined-schemas.js";
import { schemaFrom } from "../../../support/revisions.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const render = loadTemplates();
const copied = (name: string): string =>
  copyModule(name, { folder: "", origin: "nothing", importExtension: "ts", render });

describe("a module that is copied", () => {
  test.each(["formats", "patterns", "model", "stepping", "extending/merging"])(
    "has no outside imports, and uses the requested extension: %s",
    (name) => {
      const specifiers = [...copied(name).matchAll(/ from "([^"]+)"/g)].map(([, specifier]) => specifier!);
      expect(specifiers.filter((specifier) => !/^\.\.?\/[\w/-]+\.ts$/.test(specifier))).toEqual([]);
    },
  );

  test("is one file without imports if it is copied whole, with the same exports", () => {
    const surroundings = { folder: "", origin: "nothing", importExtension: "ts", render } as const;
    const text = copyWhole("explain/written", surroundings);
    expect(text).not.toMatch(/^(?:import\b|export [^;]*?\bfrom ")/m);
    const exported = [...text.matchAll(/^export \w+ (\w+)/gm)].map(([, name]) => name);
    expect(exported.sort()).toEqual([
      "Explain",
      "Explanations",
      "Issue",
      "Texts",
      "Written",
      "explanationsOf",
      "readWritten",
      "summary",
    ]);
  });

  test("contains exactly the used declarations, each once", async () => {
    for (const name of ["patterns", "explain"]) {
      const surroundings = { folder: "", origin: "nothing", importExtension: "ts", render } as const;
      const text = name === "explain" ? copyWhole("explain/written", surroundings) : copied(name);
      expect(await compilerErrors(new Map([[`${name}.ts`, text]]))).toEqual([]);
    }
  });

  test("contains each module of the engine once, after its imports", () => {
    const text = copied("patterns");
    const names = ["setOfClass", "parsePattern", "programOf", "linearMatcher"];
    const places = names.map((name) => text.split(`function ${name}(`));
    expect(places.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
    const starts = places.map(([before]) => before!.length);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });
});

describe("patterns that an automaton matches", () => {
  const patterns = [
    "^(a+)+$",
    "^(?:a(?=.*b))*$",
    "^(?:(?!a*b)[ab])*$",
    "(?<=(a+)+b)a",
    "([\"']).*\\1",
    "(?<q>[ab])\\k<q>{1,}$",
  ];

  test("give the platform's verdicts in output", async () => {
    const definitions = Object.fromEntries(
      patterns.map((pattern, at) => [`P${at}`, { type: "string", pattern }]),
    );
    const schema = schemaFrom(definitions);
    expect(patterns.map((pattern) => isAutomaton(schema.patterns!.get(pattern)))).toEqual(
      patterns.map(() => true),
    );
    const functions = await compile(schema);
    for (const [at, pattern] of patterns.entries())
      for (const text of ["", "a", "b", "ab", "ba", "aab", "aba", "abab", "abba", "'a'", "'\"", '"b\'"'])
        expect(functions.get(`P${at}`)!.is(text), `${pattern} on ${text}`).toBe(
          new RegExp(pattern, "u").test(text),
        );
  });
});

test("every format of the engine has a function of its name", () => {
  for (const format of formats.keys())
    expect(copied("formats")).toContain(`export function ${scannerOf(format)}(text: string): boolean {`);
});

describe("formats", () => {
  const definitions = {
    A: { format: "date" },
    B: { type: "object", properties: { a: { type: "string", format: "email" } }, required: ["a"] },
    C: { const: "no date", format: "date" },
    D: { $ref: "#/$defs/A", format: "unknown format" },
    E: { enum: ["2026-11-21", "2026-21-11", 5], $ref: "#/$defs/A" },
  };

  test("are annotations, unless they must be asserted", async () => {
    const schema = schemaFrom(definitions);
    const [described, asserted] = [await compile(schema), await compile(schema, "assertion")];
    const values: JsonValue[] = ["2026-11-21", "2026-21-11", "no date", 5, { a: "a@b.c" }, { a: "a" }];
    for (const [name, { node }] of schema.definitions) {
      for (const value of values) {
        const verdict = isValid(schema, node, value);
        expect(described.get(name)!.is(value)).toBe(verdict);
        expect(described.get(name)!.explain(value).length === 0).toBe(verdict);
        const strict = isValid(schema, node, value, { formats: "assertion" });
        expect(asserted.get(name)!.is(value), `${name} ${JSON.stringify(value)}`).toBe(strict);
        expect(asserted.get(name)!.explain(value).length === 0).toBe(strict);
      }
    }
    expect(asserted.get("B")!.explain({ a: "a" })[0]?.message).toBe(
      'a: expected a string of the format "email", got "a" (string)',
    );
  });

  test.each(["2020-12", "draft-07"] as const)(
    "of the official tests of %s are asserted like in the engine",
    async (dialect) => {
      const files = suiteFiles(dialect).filter(({ format }) => format);
      const groups = files.flatMap((file) => file.groups.map((group) => ({ ...group, path: file.path })));
      const schemas = new Map<number, Schema>(
        groups.map(({ schema }, index) => [index, readDocument(schema, { dialect })]),
      );
      const functions = await compile(combined(schemas), "assertion");
      for (const [index, { path, tests }] of groups.entries()) {
        const { is, explain } = functions.get(nameIn(index, "#root"))!;
        for (const { description, data } of tests) {
          const expected = isValid(schemas.get(index)!, schemas.get(index)!.root!, data, {
            formats: "assertion",
          });
          const context = `${path}: ${description}`;
          expect(is(data), context).toBe(expected);
          expect(explain(data).length === 0, context).toBe(expected);
        }
      }
    },
  );

  test("texts of ten million characters are judged", async () => {
    const names = [...formats.keys()];
    const schema = schemaFrom(Object.fromEntries(names.map((format, index) => [`F${index}`, { format }])));
    const functions = await compile(schema, "assertion");
    const text = "a:".repeat(5_000_000);
    for (const [index, name] of names.entries())
      expect(functions.get(`F${index}`)!.is(text), name).toBe(formats.get(name)!(text));
  });
});

describe("patterns that may take long", () => {
  test("are matched in time linear to the text", async () => {
    const schema = schemaFrom({
      A: { pattern: "^(a+)+$" },
      B: {
        type: "object",
        patternProperties: { "^(a|a)*$": { type: "integer" } },
        additionalProperties: false,
      },
      C: { pattern: "[a-z]+@[a-z]+" },
    });
    const functions = await compile(schema);
    const [a, b, c] = [functions.get("A")!, functions.get("B")!, functions.get("C")!];
    const long = "a".repeat(100_000);
    expect([a.is(long), a.is(`${long}!`), a.is(1)]).toEqual([true, false, true]);
    expect([b.is({ [long]: 1 }), b.is({ [long]: "x" }), b.is({ [`${long}!`]: 1 })]).toEqual([
      true,
      false,
      false,
    ]);
    expect([c.is(long), c.is(`${long}@b`)]).toEqual([false, true]);
    expect(a.explain(`${long}!`)).toHaveLength(1);
    expect(b.explain({ [`${long}!`]: 1 })[0]?.expected).toBe("no such key");
  });
});
