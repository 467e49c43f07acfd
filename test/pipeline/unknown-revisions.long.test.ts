import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { generate, writtenSource } from "../support/generated-output.js";
import { compilerErrors } from "../support/typescript-compiler.js";

const folder = new URL("./fixtures/", import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(".json", ""));

const sources = () =>
  names.map((name) => writtenSource(name, readFileSync(new URL(`${name}.json`, folder), "utf8")));

test("unknown schemas generate without notes, and all output compiles", async () => {
  const { files, models } = await generate(sources());
  expect(models.map(({ revision }) => revision)).toEqual(names);
  for (const name of names) expect(files.get(`${name}/types.ts`)!.length).toBeGreaterThan(100);
  expect(await compilerErrors(files)).toEqual([]);
});

test("methods are found at any place", async () => {
  const { models } = await generate(sources(), { only: ["types"] });
  const methods = Object.fromEntries(
    models.map(({ revision, methods: found }) => [revision, found.map(({ name }) => name).sort()]),
  );
  expect(methods).toEqual({
    "no-unions": ["greetings/greet", "notifications/greetings/greeted"],
    "single-members": ["notifications/done", "ping"],
    envelope: ["items/add", "items/remove", "notifications/items/changed"],
    "no-bases": ["sample", "sum"],
    "one-method": ["echo"],
    "no-methods": [],
    inlined: ["books/list", "books/open", "notifications/books/changed", "notifications/books/closed"],
    "odd-results": ["read", "write"],
  });
});

test("inline messages of a union have types, validators and rows like all others", async () => {
  const { files, assumptions } = await generate(sources());
  const named = [
    "BooksListRequest",
    "BooksOpenRequest",
    "BooksChangedNotification",
    "BooksClosedNotification",
  ];
  for (const name of named) {
    expect(files.get("inlined/types.ts")).toContain(`export interface ${name} {`);
    expect(files.get("inlined/validators.ts")).toContain(`export function is${name}(`);
    expect(files.get("inlined/methods.ts")).toContain(`name: "${name}"`);
    expect(assumptions).toContainEqual(
      expect.objectContaining({
        revision: "inlined",
        kind: "message",
        text: expect.stringContaining(name) as string,
      }),
    );
  }
  expect(files.get("inlined/types.ts")).toMatch(
    /export type ClientRequest =\s*BooksListRequest \| BooksOpenRequest;/,
  );
});

test("assumptions are reported for each revision", async () => {
  const { assumptions } = await generate(sources(), { only: ["types"] });
  const said = (revision: string): string[] =>
    assumptions.filter((assumption) => assumption.revision === revision).map(({ kind }) => kind);
  expect(said("no-unions")).toContain("extends");
  expect(said("no-unions")).toContain("open");
  expect(said("no-unions")).toContain("sender");
  expect(said("one-method")).toContain("sender");
  expect(said("inlined")).toContain("open");
  for (const { text, subject, kind } of assumptions) {
    expect(text.length, kind).toBeGreaterThan(20);
    expect(subject).not.toBe("");
  }
});

test("a definition that cannot extend its base is still open", async () => {
  const { files } = await generate(sources(), { only: ["types"] });
  const types = files.get("odd-results/types.ts")!.replace(/ *\/\*\*[\s\S]*?\*\/\n/g, "");
  expect(types).toMatch(/interface WriteResult extends Result \{/);
  expect(types).toMatch(/interface WrittenMeta extends Meta \{/);
  expect(types).toMatch(/interface BrokenResult \{\n {2}_meta\?: string;\n {2}\[key: string\]: unknown;/);
});
