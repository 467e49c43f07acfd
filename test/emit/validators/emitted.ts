import { transformSync } from "esbuild";
import { type JsonValue, type Schema, canonicalise, readSchema } from "@mcpgen/engine";
import type { EmittedFile } from "../../../generator/print/emitted-file.js";
import { emitTypes } from "../../../generator/emit/types/emit.js";
import { emitValidators } from "../../../generator/emit/validators/emit.js";
import { loadTemplates } from "../../../generator/print/templates.js";
import { loadRevision, storedRevision } from "../../../generator/revision/revision-source.js";
import { loadDocumentation } from "../../../generator/revision/documentation.js";

export type Validator = (value: unknown) => boolean;
export type Validators = Readonly<Record<string, Validator>>;

export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

const render = loadTemplates();

/** The text of `validators.ts` for a schema. */
export function validatorsOf(schema: Schema): string {
  return emittedFrom(schema).content;
}

/** `validators.ts` for a schema, and whether it says to be laid out already. */
export function emittedFrom(schema: Schema): EmittedFile {
  return emitValidators({ ...surroundings, schema }).get("it/validators.ts")!;
}

/** The text of the `types.ts` that it imports from. */
export function typesOf(schema: Schema): string {
  return emitTypes({ ...surroundings, schema }).get("it/types.ts")!.content;
}

const surroundings = { folder: "it", origin: "a test", importExtension: "js", render } as const;

/** The IR of definitions written as plain JSON; places in `open` (JSON Pointers) are declared open. */
export function schemaOf(definitions: object, open: readonly string[] = []): Schema {
  const document = canonicalise({ $defs: definitions } as JsonValue);
  const places = new Set(open);
  return readSchema(document, { nodeRemarks: (at) => (places.has(at) ? { open: true } : undefined) });
}

/** The module that `source` compiles to, loaded. */
export async function load(source: string): Promise<Validators> {
  const { code } = transformSync(source, { loader: "ts", format: "esm", target: "es2022" });
  return (await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`)) as Validators;
}

/** The validators of definitions written as plain JSON. */
export async function compiled(definitions: object, open: readonly string[] = []): Promise<Validators> {
  return load(validatorsOf(schemaOf(definitions, open)));
}

/** The IR of a revision of the protocol, as `generate` reads it. */
export async function revisionSchema(revision: string, notes = true): Promise<Schema> {
  const source = storedRevision("schema", revision, "released", notes);
  const { model } = await loadRevision(source, await loadDocumentation("schema"));
  return model.schema;
}
