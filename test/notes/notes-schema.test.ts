import { existsSync, readFileSync, readdirSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { operators } from "../../generator/notes/expression.js";
import { kindsOfNotes, parseNotes } from "../../generator/notes/parse.js";
import { notesSchema } from "../../scripts/notes-schema.js";
import { cases } from "../support/cases.mjs";

/** Documents that are drawn. */
const runs = cases(2000);

const validate = new Ajv2020({
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
}).compile(notesSchema);
/** The schema does not see extension.json: all bases that the values name are bases of the extension. */
const bases = ["r1", "r2", "a"];

test("docs/notes.schema.json is the schema of notes", () => {
  expect(JSON.parse(readFileSync("docs/notes.schema.json", "utf8"))).toEqual(notesSchema);
});

function isRead(value: JsonValue, options?: { readonly bases: readonly string[] }): boolean {
  try {
    parseNotes({ file: "notes.json", value }, options);
    return true;
  } catch {
    return false;
  }
}

/** Whether the reader accepts the file as that of a revision or of an extension. */
const read = (value: JsonValue): boolean => isRead(value) || isRead(value, { bases });

const files = readdirSync("schema", { recursive: true, encoding: "utf8" })
  .map((file) => `schema/${file.replaceAll("\\", "/")}`)
  .filter((file) => file.endsWith("/notes.json"));

test.each(files)("%s fits", (file) => {
  validate(JSON.parse(readFileSync(file, "utf8")));
  expect(validate.errors).toBeNull();
});

test("the notes of all revisions and extensions are among these files", () => {
  const folders = readdirSync("schema", { recursive: true, encoding: "utf8" })
    .map((file) => `schema/${file}`.replace(/\/schema\.json$/, ""))
    .filter((folder) => existsSync(`${folder}/schema.json`));
  expect(folders.length).toBeGreaterThan(5);
  expect(folders.filter((folder) => !files.includes(`${folder}/notes.json`))).toEqual([]);
});

/** Right and wrong values of fields. */
const values: readonly JsonValue[] = [
  ...["", "a", "/a", "a-b", "A B", "client", "server", "both", "open", "Mcp-Name", "toString"],
  ...["drop", "text", "refuse", "fill", "keep", null, true, 1, 400, 4.5, [], {}],
  ...[["a"], ["a", 1], ["r1"], { a: "b" }, { a: 1 }, { a: "b", c: "d" }],
  ...[[{ definition: "a" }], [{ definition: "a", mark: { a: "b" }, capability: "/a" }], ["a", { mark: 1 }]],
  ...[[{ of: false, value: 1 }], [{ of: [], value: 1 }], [{ of: 1 }], [{ of: 1, value: 1, x: 1 }]],
];
const fit: Readonly<Record<string, JsonValue>> = {
  ...{ becomes: {}, of: "client", capability: "/a", header: "A", from: "/a", filter: "/a", member: "/a" },
  ...{ how: "refuse", code: "a", sender: "client", target: "/a", bases: ["r1"], carried: true },
  ...{ lift: { a: { $: "/b" } } },
  methods: ["a"],
};
const least = (kind: string): JsonObject => {
  const { fields } = kindsOfNotes[kind as keyof typeof kindsOfNotes];
  const names = Object.keys(fields).filter((name) => fields[name]!.optional === undefined);
  if (kind === "errata") names.push("becomes");
  if (names.includes("how")) names.push("code");
  if (kind === "reshaped") names.push("lift");
  const needs = Object.fromEntries(names.map((name) => [name, fit[name] ?? "a"]));
  return { kind, target: "/a", reason: "Because.", link: "https://example.com", ...needs };
};
const kinds = Object.keys(kindsOfNotes);
const changed = fc.constantFrom(...kinds).chain((kind) => {
  const { fields } = kindsOfNotes[kind as keyof typeof kindsOfNotes];
  const common = ["kind", "target", "reason", "link", "carried", "bases", "x", "__proto__"];
  const change = fc.tuple(fc.constantFrom(...common, ...Object.keys(fields)), fc.constantFrom(...values));
  return fc
    .tuple(fc.array(change, { maxLength: 2 }), fc.option(fc.constantFrom(...Object.keys(least(kind)))))
    .map(([changes, without]): JsonObject => {
      const entries = Object.entries(least(kind)).filter(([name]) => name !== without || changes.length > 0);
      return Object.fromEntries([...entries, ...changes]) as JsonObject;
    });
});

test("schema and reader accept and refuse the same", () => {
  const verdicts = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(changed, { minLength: 1, maxLength: 2 }), (notes) => {
      const file = { format: 1, notes };
      const isAccepted = read(file);
      verdicts[isAccepted ? "accepted" : "refused"] += 1;
      expect([file, validate(file)]).toEqual([file, isAccepted]);
    }),
    { numRuns: runs },
  );
  // Both verdicts were met often.
  expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(runs / 40);
});

test("each kind is accepted with its required fields", () => {
  for (const kind of kinds) {
    const file = { format: 1, notes: [least(kind)] };
    expect([kind, validate(file), read(file)]).toEqual([kind, true, true]);
  }
});

/** Right and wrong values of the fields of expressions. */
const operands = fc.oneof(
  fc.constantFrom<JsonValue>("/a", "/a~1b/0", "", "a", "/a~2", 1, null, true, false, [], {}, { a: "b" }),
  fc.constantFrom<JsonValue>({ a: { in: ["b"] } }, { a: { in: 1, b: 2 } }, [1, { $: "/a" }], { $: "/a" }),
);
const { expression } = fc.letrec<{ expression: JsonValue; operation: JsonValue }>((tie) => ({
  operation: fc
    .tuple(
      fc.constantFrom(...Object.keys(operators)),
      fc.dictionary(fc.constantFrom("make", "where", "flat", "then", "else", "$or", "b"), tie("expression"), {
        maxKeys: 2,
      }),
      fc.oneof(operands, tie("expression")),
    )
    .chain(([name, more, operand]) => {
      const { needs } = operators[name]!;
      const all = { [name]: operand, ...Object.fromEntries(needs.map((need) => [need, "a"])), ...more };
      return fc.constantFrom<JsonValue>(all as JsonObject, { [name]: operand, ...more } as JsonObject);
    }),
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    operands,
    tie("operation"),
    fc.array(tie("expression"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "$a", "$$a", "$$", "$", ""), tie("expression"), { maxKeys: 2 }),
  ) as fc.Arbitrary<JsonValue>,
}));

test("schema and reader accept and refuse the same expressions", () => {
  const verdicts = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(expression, (made) => {
      const file = { format: 1, notes: [{ ...least("reshaped"), lift: { a: made } }] };
      const isAccepted = read(file);
      verdicts[isAccepted ? "accepted" : "refused"] += 1;
      expect([file, validate(file)]).toEqual([file, isAccepted]);
    }),
    { numRuns: runs },
  );
  expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(runs / 40);
});

test.each<{ readonly file: JsonValue }>([
  ...[null, [], {}, { format: 2, notes: [] }, { format: 1 }, { format: 1, notes: {} }].map((file) => ({
    file,
  })),
  { file: { format: 1, notes: ["open"] } },
  { file: { format: 1, notes: [least("transport"), least("carries")] } },
  { file: { format: 1, notes: [least("transport"), { ...least("open"), bases }] } },
  { file: { format: 1, notes: [least("transport"), least("requires")] } },
])("both refuse $file", ({ file }) => {
  expect([validate(file), read(file)]).toEqual([false, false]);
});
