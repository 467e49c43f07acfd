import { type JsonObject, type Schema, canonicalise, readSchema } from "@mcpgen/engine";
import type { SchemaInput } from "../../../../generator/targets/typescript/emitter.js";
import { openFile } from "../../../../generator/targets/typescript/open/open-file.js";
import { nameDefinitions } from "../../../../generator/print/text.js";
import type { EmittedFile } from "../../../../generator/print/emitted-file.js";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { emitTypes } from "../../../../generator/targets/typescript/types/emit.js";
import { annotateSchema, undocumented } from "../../../../generator/revision/schema-source.js";
import { documentOf } from "../../../support/revisions.js";
import { notes, notesOf } from "../../../support/notes.js";

const render = loadTemplates();

function input(schema: Schema, folder: string): SchemaInput {
  return { schema, folder, origin: "schema/test", importExtension: "js", render };
}

/** The schema of some definitions, notes applied. */
export async function noted(definitions: JsonObject, ...entries: JsonObject[]): Promise<Schema> {
  const document = canonicalise({ $defs: definitions });
  const { schema, corrected } = await annotateSchema({ file: "f" }, document, notes(...entries), {
    docs: undocumented,
    revision: "r",
  });
  if (corrected.problems.length > 0) throw new Error(corrected.problems[0]!.message);
  return schema;
}

/** A released revision, its notes applied. */
export async function released(revision: string): Promise<Schema> {
  const document = documentOf(revision);
  return (await annotateSchema({ file: "f" }, document, notesOf(revision), { docs: undocumented, revision }))
    .schema;
}

/** The open reading of a schema, beside its types.ts. */
export function open(schema: Schema): EmittedFile {
  const names = nameDefinitions(schema);
  return openFile({ schema, names, results: [], exactModule: "./types.js", origin: "schema/test", render });
}

/** types.ts and open.ts of a schema, by path. */
export function printed(schema: Schema, folder = "r"): Map<string, string> {
  const files = [...emitTypes(input(schema, folder)), [`${folder}/open.ts`, open(schema)] as const];
  return new Map(files.map(([path, { content }]) => [path, content]));
}

/** types.ts of a schema. */
export function types(schema: Schema): string {
  return printed(schema).get("r/types.ts")!;
}

/** The printed declaration of a single definition, `X`, among others. */
export function declarationOf(definition: JsonObject | boolean, others: JsonObject = {}): string {
  const text = types(readSchema(canonicalise({ $defs: { ...others, X: definition } })));
  return /(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export (?:type|interface) X\b[\s\S]*?(?=\n\n|\n$)/.exec(
    text,
  )![0];
}
