import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emitTypes } from "../../generator/targets/typescript/types/emit.js";
import { readStoredExtension, storedExtensions } from "../../generator/extension/extension-store.js";
import { extensionOver } from "../../generator/extension/load-extension.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { releasedModel } from "../support/models.js";
import { revisions } from "../support/revisions.js";
import { type Sources, unequalFlatTypes } from "./equal.js";
import { fingerprints, withExtends } from "./fingerprint.js";
import { importedBy } from "../../generator/targets/typescript/emitter.js";

const id = "io.modelcontextprotocol/tasks";
const base = "2026-07-28";
const surroundings = { origin: "schema", importExtension: "js", render: loadTemplates() } as const;

/**
 * The types of the tasks extension and of its base, without notes of the kind *carries*, which add to upstream's types.
 */
async function typesOf(withCarries: boolean): Promise<Sources> {
  const stored = storedExtensions("schema").find((one) => one.id === id)!;
  const source = await readStoredExtension(stored, revisions);
  const notes = source.notes.filter(({ kind }) => withCarries || kind !== "carries");
  const model = await releasedModel(base);
  const over = await extensionOver({ ...source, notes }, model);
  const folder = `extensions/${id}/${base}`;
  const own = emitTypes({ ...surroundings, schema: over.schema, imported: importedBy(over), folder });
  const files = [...emitTypes({ ...surroundings, schema: model.schema, folder: base }), ...own];
  return {
    path: `${folder}/types.ts`,
    files: Object.fromEntries(files.map(([path, { content }]) => [path, content])),
  };
}

function printsOf({ path, files }: Sources): Record<string, string> {
  return Object.fromEntries(fingerprints(files[path]!, { path, files }));
}

const { types: theirs, extended } = JSON.parse(
  readFileSync("test/fixtures/identity/tasks-extension.json", "utf8"),
) as { types: Record<string, string>; extended: Record<string, string> };

/**
 * Messages that upstream writes as intersections: their params keep the index signature `any` of the params of
 * `JSONRPCRequest` and `JSONRPCNotification`. The schema does not contain it, and in upstream's core, `extends`
 * replaces params.
 */
const intersected = ["CancelTaskRequest", "GetTaskRequest", "TaskStatusNotification", "UpdateTaskRequest"];

const unequalTo = (prints: Record<string, string>, ours: Record<string, string>): string[] =>
  Object.keys(prints).filter((name) => ours[name] !== prints[name]);

test("the 20 types of upstream's schema.ts of tasks exist, structurally identical", async () => {
  const ours = printsOf(await typesOf(false));
  expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs));
  expect(Object.keys(theirs)).toHaveLength(20);
  expect(unequalTo(theirs, ours)).toEqual(intersected);
  // The same text, but the messages extend their base.
  expect(unequalTo(extended, ours)).toEqual([]);
});

test("only the result of a completed task differs because of notes", async () => {
  expect(unequalTo(extended, printsOf(await typesOf(true)))).toEqual([
    "CompletedTask",
    "DetailedTask",
    "GetTaskResult",
    "TaskStatusNotification",
    "TaskStatusNotificationParams",
  ]);
});

const folder = process.env["MCP_EXT_TASKS_DIR"] ?? "";

test.skipIf(folder === "" || !existsSync(join(folder, "schema.ts")))(
  "the strict Equal test passes (needs MCP_EXT_TASKS_DIR/{schema,spec.types}.ts)",
  async () => {
    const files = Object.fromEntries(
      ["schema.ts", "spec.types.ts"].map((name) => [name, readFileSync(join(folder, name), "utf8")]),
    );
    const ours = await typesOf(false);
    const { compared, unequal } = unequalFlatTypes({ path: "schema.ts", files }, ours);
    expect([compared, unequal.sort()]).toEqual([20, intersected]);
    const other = { ...files, "schema.ts": withExtends(files["schema.ts"]!) };
    expect(unequalFlatTypes({ path: "schema.ts", files: other }, ours)).toEqual({
      compared: 20,
      unequal: [],
    });
  },
);

test("the strict Equal test without intersections still distinguishes modifiers, unknown and index signatures", () => {
  const sources = (text: string): Sources => ({ path: "a.ts", files: { "a.ts": text } });
  const one =
    "export type A = { a: 1 } & { b?: { c: 2 } & { d: unknown } }; export type B = { x: string } & { [k: string]: unknown };";
  const same =
    "export interface A { a: 1; b?: { c: 2; d: unknown } } export interface B { x: string; [k: string]: unknown }";
  const other = "export interface A { a: 1; b?: { c: 2; d?: unknown } } export interface B { x: string }";
  expect(unequalFlatTypes(sources(one), sources(same)).unequal).toEqual([]);
  expect(unequalFlatTypes(sources(one), sources(other)).unequal).toEqual(["A", "B"]);
});
