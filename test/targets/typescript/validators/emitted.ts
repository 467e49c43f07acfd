import { resolve } from "node:path";
import { build } from "esbuild";
import type { Schema } from "@mcpgen/engine";
import type { EmittedFile } from "../../../../generator/print/emitted-file.js";
import { emitTypes } from "../../../../generator/targets/typescript/types/emit.js";
import { emitValidators } from "../../../../generator/targets/typescript/validators/emit.js";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { schemaFrom } from "../../../support/revisions.js";

export type Validator = (value: unknown) => boolean;
export type Validators = Readonly<Record<string, Validator>>;

const render = loadTemplates();

/** The text of `validators.ts` for a schema. */
export function validatorsOf(schema: Schema): string {
  return emittedFrom(schema).content;
}

/** `validators.ts` for a schema, and whether the emitter declares that it needs no formatting. */
export function emittedFrom(schema: Schema): EmittedFile {
  return emitValidators({ ...surroundings, schema }).get("it/validators.ts")!;
}

/** The text of the `types.ts` that it imports from. */
export function typesOf(schema: Schema): string {
  return emitTypes({ ...surroundings, schema }).get("it/types.ts")!.content;
}

const surroundings = { folder: "it", origin: "a test", importExtension: "js", render } as const;

/** The module that `source`, a text of `validators.ts`, compiles to with the checks that it imports, loaded. */
export async function load(source: string): Promise<Validators> {
  const shared = JSON.stringify(resolve("engine/emitted/shared-checks.ts"));
  const { outputFiles } = await build({
    stdin: { contents: source.replace('"../shared-checks.js"', shared), loader: "ts", resolveDir: "." },
    ...{ bundle: true, write: false, format: "esm", target: "es2022" },
  });
  const code = Buffer.from(outputFiles[0]!.contents).toString("base64");
  return (await import(`data:text/javascript;base64,${code}`)) as Validators;
}

/** The validators of definitions written as plain JSON. */
export async function compiled(definitions: object, open: readonly string[] = []): Promise<Validators> {
  return load(validatorsOf(schemaFrom(definitions, open)));
}
