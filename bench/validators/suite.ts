/**
 * Compares the speed of emitted validators with that of ajv's standalone code, on the schemas of the official
 * test suite. Usage: node scripts/run-ts.mjs bench/validators/suite.ts [--quick] [--verbose], after npm ci
 * --prefix bench.
 */
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { runInThisContext } from "node:vm";
import { type Dialect, type JsonValue, type Schema, readDocument } from "@mcpgen/engine";
import { transformSync } from "esbuild";
import { capitalised, nameDefinitions } from "../../generator/print/text.js";
import { loadTemplates } from "../../generator/print/templates.js";
import { emitValidators } from "../../generator/targets/typescript/validators/emit.js";
import { metaSchemas } from "../../engine/meta-schemas.js";
import { combined, nameIn } from "../../test/support/combined-schemas.js";
// @ts-expect-error a script without declarations
import { geometricMean, measure } from "./measure.mjs";

type Load = (module: { exports: unknown }, exports: unknown, require: NodeJS.Require) => void;
type Validate = (value: unknown) => boolean;

interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly { readonly data: JsonValue; readonly valid: boolean }[];
}

interface Peer {
  addSchema(schema: unknown, uri: string): void;
  compile(schema: unknown): unknown;
}

const require = createRequire(resolve("bench/package.json"));
const { default: standalone } = require("ajv/dist/standalone") as {
  default: (peer: Peer, validate: unknown) => string;
};
const folder = "test/fixtures/json-schema-test-suite";
const remotes = jsonFiles(join(folder, "remotes")).map(
  ([path, document]) => [`http://localhost:1234/${path}`, document] as const,
);
const quick = process.argv.includes("--quick");
const verbose = process.argv.includes("--verbose");
const effort = quick ? { rounds: 3, milliseconds: 1 } : { rounds: 7, milliseconds: 3 };

await report("2020-12", "draft2020-12", "ajv/dist/2020.js", "https://json-schema.org/draft/2020-12/schema");
await report("draft-07", "draft7", "ajv", "http://json-schema.org/draft-07/schema#");

async function report(dialect: Dialect, name: string, peer: string, metaSchema: string): Promise<void> {
  const groups = jsonFiles(join(folder, "tests", name))
    .filter(([path]) => !path.startsWith("optional"))
    .flatMap(([file, list]) => (list as unknown as Group[]).map((group) => ({ ...group, file })));
  const validators = await emitted(groups, dialect);
  const ratios: number[] = [];
  let left = 0;
  for (const [index, group] of groups.entries()) {
    const theirs = standaloneOf(group.schema, peer, metaSchema);
    if (!agrees(validators[index]!, group)) throw new Error(`${group.file}: ${group.description}: we fail`);
    // Schemas that ajv cannot compile, or for which its verdicts differ from the suite, are not measured.
    if (!theirs || !agrees(theirs, group)) {
      left++;
      continue;
    }
    const contenders = [
      ["ours", validators[index]!],
      ["ajv", theirs],
    ];
    const values = group.tests.map(({ data }) => data);
    const spent = measure(contenders, values, effort) as Map<string, number>;
    ratios.push(spent.get("ajv")! / spent.get("ours")!);
    if (verbose) {
      const [ours, ajv] = [spent.get("ours")!.toFixed(1), spent.get("ajv")!.toFixed(1)];
      console.log(
        `  ${ratios.at(-1)!.toFixed(2).padStart(7)}  ${ours} ns, ajv ${ajv}  ${group.file}: ${group.description}`,
      );
    }
  }
  const slower = ratios.filter((ratio) => ratio < 1).length;
  console.log(
    `suite ${dialect}: ajv takes ${geometricMean(ratios).toFixed(2)} times ours (geometric mean of ${ratios.length} schemas, ` +
      `least ${Math.min(...ratios).toFixed(2)}, below 1: ${slower}; ${left} that ajv fails left out)`,
  );
}

/** Returns the validators of all groups, from one module. */
async function emitted(groups: readonly Group[], dialect: Dialect): Promise<Validate[]> {
  const documents = new Map([...metaSchemas, ...remotes]);
  const schemas = new Map<number, Schema>(
    groups.map(({ schema }, index) => [index, readDocument(schema, { dialect, documents })]),
  );
  const schema = combined(schemas);
  const surroundings = {
    folder: "it",
    origin: "the suite",
    importExtension: "js",
    render: loadTemplates(),
  } as const;
  const files = emitValidators({ ...surroundings, schema });
  const url = (source: string): string => {
    const { code } = transformSync(source, { loader: "ts", format: "esm", target: "es2022" });
    return `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
  };
  const patterns = files.get("it/patterns.ts");
  const shared = readFileSync("engine/emitted/shared-checks.ts", "utf8");
  const text = files
    .get("it/validators.ts")!
    .content.replace("./patterns.js", patterns ? url(patterns.content) : "")
    .replace("../shared-checks.js", url(shared));
  const module = (await import(url(text))) as {
    [name: string]: Validate;
  };
  const names = nameDefinitions(schema);
  return groups.map((_, index) => module[`is${capitalised(names.get(nameIn(index, "#root"))!)}`]!);
}

function standaloneOf(schema: JsonValue, name: string, metaSchema: string): Validate | undefined {
  try {
    const { default: Ajv } = require(name) as { default: new (options: object) => Peer };
    const options = { strict: false, validateSchema: false, validateFormats: false, logger: false };
    const peer = new Ajv({ ...options, code: { source: true } });
    for (const [uri, document] of remotes) {
      const declared = (document as { $schema?: string }).$schema;
      if (declared === undefined || declared === metaSchema) peer.addSchema(document, uri);
    }
    const module = { exports: {} as unknown };
    const code = standalone(peer, peer.compile(schema));
    const load = runInThisContext(`(function (module, exports, require) { ${code} })`) as Load;
    load(module, module.exports, require);
    return module.exports as Validate;
  } catch {
    return undefined;
  }
}

function agrees(validate: Validate, { tests }: Group): boolean {
  try {
    return tests.every(({ data, valid }) => validate(data) === valid);
  } catch {
    return false;
  }
}

function jsonFiles(root: string): [string, JsonValue][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [relative(root, file), JSON.parse(readFileSync(file, "utf8")) as JsonValue]);
}
