// Measures how the time for compiling grows with the schema: it compiles 1, 10 and 100 copies of the newest
// revision, with every output. node scripts/run-ts.mjs bench/compiler/scale.ts [copies …]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JsonObject, type JsonValue, canonicalise, isJsonObject, readSchema } from "@mcpgen/engine";
import { emitterNames, generateFiles } from "../../generator/pipeline/generate.js";
import { assumeNotes } from "../../generator/model/assume.js";

const source = "schema/2026-07-28/schema.json";
const document = JSON.parse(readFileSync(source, "utf8")) as JsonObject;
const copies = process.argv.slice(2).map(Number);

/**
 * Returns a schema with `count` copies of the original, each with separate names and methods; unions list the
 * members of all copies.
 */
function grown(count: number): JsonObject {
  const definitions: JsonObject = {};
  for (let copy = 0; copy < count; copy++) {
    const names = copy === 0 ? "" : `C${copy}`;
    for (const [name, node] of Object.entries(document["$defs"] as JsonObject)) {
      definitions[names + name] = renamed(node, names);
    }
  }
  return { ...document, $defs: definitions };
}

function renamed(node: JsonValue, prefix: string): JsonValue {
  if (Array.isArray(node)) return node.map((item) => renamed(item, prefix));
  if (!isJsonObject(node)) return node;
  const entries = Object.entries(node).map(([key, value]): [string, JsonValue] => {
    if (key === "$ref") return [key, (value as string).replace("#/$defs/", `#/$defs/${prefix}`)];
    const isMethod = key === "method" && isJsonObject(value) && typeof value["const"] === "string";
    if (isMethod && prefix !== "") return [key, { ...value, const: `${value["const"] as string}/${prefix}` }];
    return [key, renamed(value, prefix)];
  });
  return Object.fromEntries(entries);
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds of each step for a schema with `count` copies. */
async function measured(count: number, folder: string): Promise<Map<string, number>> {
  const schema = grown(count);
  const schemaFile = join(folder, `${count}.json`);
  writeFileSync(schemaFile, JSON.stringify(schema));
  const canonical = canonicalise(schema);
  const request = {
    schemaDir: folder,
    sources: [{ revision: "r", status: "draft", schemaFile }],
    importExtension: "js",
  } as const;
  const times = new Map([
    ["canonicalise", await timed(() => canonicalise(schema))],
    ["read", await timed(() => readSchema(canonical))],
    ["assume", await timed(() => assumeNotes(canonical))],
  ]);
  for (const name of emitterNames) {
    const { timings } = await generateFiles({ ...request, only: [name] });
    times.set("load", Math.min(times.get("load") ?? Infinity, timings.read));
    times.set(`emit ${name}`, timings.emit);
    times.set(`format ${name}`, timings.format);
  }
  return times;
}

const folder = mkdtempSync(join(tmpdir(), "mcpgen-scale-"));
try {
  const sizes = copies.length > 0 ? copies : [1, 10, 100];
  await measured(1, folder); // warms up
  const results: Map<string, number>[] = [];
  for (const size of sizes) results.push(await measured(size, folder));
  const count = Object.keys(document["$defs"] as JsonObject).length;
  const cells = (values: readonly string[]): string => values.map((value) => value.padStart(12)).join("");
  console.log("ms".padEnd(22) + cells([...sizes.map((size) => String(size * count)), "per step"]));
  for (const step of results[0]!.keys()) {
    const times = results.map((result) => result.get(step)!);
    if (Math.max(...times) < 5) continue;
    const ratios = times.slice(1).map((time, index) => (time / times[index]!).toFixed(1));
    console.log(step.padEnd(22) + cells([...times.map((time) => time.toFixed(1)), ratios.join(" × ")]));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
