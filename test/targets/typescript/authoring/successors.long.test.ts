import { type JsonObject, canonicalise } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { emitAuthoring } from "../../../../generator/targets/typescript/authoring/emit.js";
import { emitOpen } from "../../../../generator/targets/typescript/authoring/emit-open.js";
import type { Surroundings } from "../../../../generator/targets/typescript/emitter.js";
import { emitTypes } from "../../../../generator/targets/typescript/types/emit.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { undocumented } from "../../../../generator/revision/schema-source.js";
import { resolveRevision } from "../../../../generator/revision/revision-source.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { cases, seed } from "../../../support/cases.mjs";
import { releasedModel } from "../../../support/models.js";
import { documentOf, revisions } from "../../../support/revisions.js";
import { mutate } from "../../../support/schema-changes/operators.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const [previous, newest] = revisions.slice(-2) as [string, string];
const models = [await releasedModel(previous), await releasedModel(newest)];
const document = documentOf(newest);
const render = loadTemplates();
const common = { importExtension: "js", render } as const;

const count = cases(200, 20);

/** A revision with the changed document, without notes. */
async function successor(changed: JsonObject): Promise<ProtocolModel> {
  const place = { file: "schema.json", text: "" };
  const about = { revision: "2027-01-01", status: "released" } as const;
  return (await resolveRevision(place, canonicalise(changed), [], { ...about, docs: undocumented })).model;
}

type Emit = (
  input: Surroundings & { readonly models: readonly ProtocolModel[]; readonly vocabulary: string },
) => ReadonlyMap<string, { readonly content: string }>;

function shared(all: readonly ProtocolModel[]): Map<string, string> {
  const input = { ...common, folder: "", origin: "schema", models: all, vocabulary: newest };
  const emitted = ([emitAuthoring, emitOpen] as readonly Emit[]).flatMap((emit) => [...emit(input)]);
  return new Map(emitted.map(([path, { content }]) => [path, content]));
}

function typesOf({ revision, schema }: ProtocolModel): string {
  const files = emitTypes({ ...common, folder: revision, origin: revision, schema });
  return files.get(`${revision}/types.ts`)!.content;
}

test(`${count} random successors of ${newest} do not change the vocabulary, and their additions compile`, async () => {
  // A successor may add a method of older revisions again in another form. Methods of the pinned revision keep their
  // types.
  const before = shared(models.slice(1));
  const files = new Map<string, string>();
  let lending = 0;
  for (let index = 0; index < count; index++) {
    const random = randomFrom(`vocabulary ${seed} ${index}`);
    const { document: changed, changes } = mutate(document, 1 + random.below(5), random);
    const next = await successor(changed);
    const after = shared([...models, next]);
    for (const [path, text] of before) {
      const lines = new Set(after.get(path)!.split("\n"));
      const lost = text.split("\n").filter((line) => !lines.has(line));
      expect([index, changes, path, lost]).toEqual([index, changes, path, []]);
    }
    expect(after.get("listed.ts")).toBe(before.get("listed.ts"));
    if (!after.get("authoring.ts")!.includes(`./${next.revision}/types`)) continue;
    lending++;
    for (const [path, text] of after) files.set(`${index}/${path}`, text);
    for (const model of [...models, next]) files.set(`${index}/${model.revision}/types.ts`, typesOf(model));
  }
  expect(lending).toBeGreaterThan(0);
  expect(await compilerErrors(files)).toEqual([]);
});
