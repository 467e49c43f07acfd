import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Issue, JsonValue, Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { transformSync } from "esbuild";
import { emitExplain, emitExplainer } from "../../generator/emit/explain/emit.js";
import type { EmittedFile } from "../../generator/print/emitted-file.js";
import { capitalised, nameDefinitions } from "../../generator/print/text.js";
import { loadTemplates } from "../../generator/print/templates.js";

/** What explanations say of a schema's definitions. */
export interface Explanations {
  /** What is wrong with `value` as an instance of the definition `name`. */
  explain(name: string, value: unknown): Issue[];
  /** The same, found without asking for the verdict of that definition first. */
  search(name: string, value: unknown): Issue[];
  summary(issues: readonly Issue[]): string;
}

/** All files that explanations of `schema` need but its validators and what these import. */
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

/** What is doubted: no verdict is given of it. */
interface Doubt {
  readonly name: string;
  readonly value: unknown;
}

type Verdicts = { [name: string]: (value: unknown) => boolean };

/** Verdicts of the interpreter, so that what is tested does not rest on emitted validators. */
const verdicts: Verdicts[] = ((globalThis as { mcpgenVerdicts?: Verdicts[] }).mcpgenVerdicts ??= []);

/** Compiles and loads what is emitted for `schema`, with the interpreter in place of its validators. */
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
    // Where nothing is found, the definition is named.
    return explain(name, value).filter(({ expected, pointer }) => pointer !== "" || expected !== name);
  };
  return { explain, search, summary };
}

/** Writes TypeScript modules as JavaScript, by path below `folder`. */
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
