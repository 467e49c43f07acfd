import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Issue, JsonValue, Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { transformSync } from "esbuild";
import { emitExplain, emitExplainer } from "../../generator/targets/typescript/explain/emit.js";
import type { EmittedFile } from "../../generator/print/emitted-file.js";
import { capitalised, nameDefinitions } from "../../generator/print/text.js";
import { loadTemplates } from "../../generator/print/templates.js";

/** The explanations of a schema's definitions. */
export interface Explanations {
  /** Returns the issues of `value` by the definition `name`. */
  explain(name: string, value: unknown): Issue[];
  /** As `explain`, but does not call the definition's validator first. */
  search(name: string, value: unknown): Issue[];
  summary(issues: readonly Issue[]): string;
}

/** Emits the files for explanations of `schema`, except its validators and their imports. */
export function emittedFiles(schema: Schema, formats?: "annotation" | "assertion"): Map<string, EmittedFile> {
  const common = { importExtension: "js", render: loadTemplates() } as const;
  return new Map([
    ...emitExplain({
      ...common,
      ...(formats && { formats }),
      schema,
      folder: "revision",
      origin: "schema/revision",
    }),
    ...emitExplainer({ ...common, models: [], folder: "", origin: "schema" }),
  ]);
}

/** The definition and value for which the interpreter gives no verdict. */
interface Doubt {
  readonly name: string;
  readonly value: unknown;
}

type Verdicts = { [name: string]: (value: unknown) => boolean };

/** Validators of the interpreter, so that the test does not depend on emitted validators. */
const verdicts: Verdicts[] = ((globalThis as { mcpgenVerdicts?: Verdicts[] }).mcpgenVerdicts ??= []);

/** Compiles and loads explanations for `schema`, with the interpreter instead of emitted validators. */
export async function loadExplanations(schema: Schema): Promise<Explanations> {
  const folder = mkdtempSync(join(tmpdir(), "mcpgen-explain-"));
  let doubt: Doubt | undefined;
  const identifiers = nameDefinitions(schema);
  const names = [...schema.definitions.keys()];
  const functions = names.map((name): [string, (value: unknown) => boolean] => [
    `is${capitalised(identifiers.get(name)!)}`,
    (value) => {
      if (doubt?.name === name && doubt.value === value) {
        doubt = undefined;
        return false;
      }
      return isValid(schema, schema.definitions.get(name)!.node, value as JsonValue);
    },
  ]);
  const index = verdicts.push(Object.fromEntries(functions)) - 1;
  const stub = functions.map(
    ([name]) => `export const ${name} = globalThis.mcpgenVerdicts[${index}].${name};`,
  );
  writeModules(
    folder,
    [...emittedFiles(schema)].map(([path, { content }]) => [path, content]),
  );
  writeModules(folder, [["revision/validators.ts", stub.join("\n")]]);
  const load = (path: string): Promise<unknown> =>
    import(/* @vite-ignore */ pathToFileURL(join(folder, path)).href);
  const module = (await load("revision/explain.js")) as { [name: string]: (value: unknown) => Issue[] };
  const { summary } = (await load("explain.js")) as Pick<Explanations, "summary">;
  rmSync(folder, { recursive: true });
  const explain = (name: string, value: unknown): Issue[] =>
    module[`explain${capitalised(identifiers.get(name)!)}`]!(value);
  const search = (name: string, value: unknown): Issue[] => {
    doubt = { name, value };
    // If the search finds no issue, the only issue names the definition.
    return explain(name, value).filter(({ expected, pointer }) => pointer !== "" || expected !== name);
  };
  return { explain, search, summary };
}

/** Writes TypeScript modules as JavaScript below `folder`. */
export function writeModules(
  folder: string,
  modules: Iterable<readonly [path: string, content: string]>,
): void {
  for (const [path, content] of [["package.json", '{"type":"module"}'] as const, ...modules]) {
    const typescript = path.endsWith(".ts");
    const file = join(folder, typescript ? path.replace(/\.ts$/, ".js") : path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      typescript ? transformSync(content, { loader: "ts", target: "es2022" }).code : content,
    );
  }
}
