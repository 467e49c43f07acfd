import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Issue, Schema } from "@mcpgen/engine";
import { capitalised, nameDefinitions } from "../../generator/print/text.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { emitSharedChecks, emitValidators } from "../../generator/targets/typescript/validators/emit.js";
import { emittedFiles, writeModules } from "./emitted-explanations.js";

/** The compiled validators and checks of one definition. */
export interface Compiled {
  is(value: unknown): boolean;
  accepts(value: unknown): boolean;
  explain(value: unknown, reading?: "open"): Issue[];
}

/** Emits, compiles and loads validators and checks for `schema`. Returns them by definition name. */
export async function compile(
  schema: Schema,
  formats?: "annotation" | "assertion",
): Promise<ReadonlyMap<string, Compiled>> {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-properties-"));
  const surroundings = { importExtension: "js", render: loadTemplates(), origin: "schema/revision" } as const;
  const validators = emitValidators({
    ...surroundings,
    schema,
    folder: "revision",
    ...(formats && { formats }),
  });
  const shared = emitSharedChecks({ ...surroundings, models: [], folder: "" });
  const files = [...validators, ...shared, ...emittedFiles(schema, formats)];
  writeModules(
    folder,
    files.map(([path, { content }]) => [path, content]),
  );
  const functions = {
    ...(await load(join(folder, "revision/validators.js"))),
    ...(await load(join(folder, "revision/explain.js"))),
  };
  rmSync(folder, { recursive: true });
  const named = [...nameDefinitions(schema)].map(([name, identifier]): [string, Compiled] => {
    const find = (prefix: string): unknown => functions[prefix + capitalised(identifier)];
    return [name, { is: find("is"), accepts: find("accepts"), explain: find("explain") } as Compiled];
  });
  return new Map(named);
}

async function load(file: string): Promise<{ [name: string]: unknown }> {
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { [name: string]: unknown };
}
