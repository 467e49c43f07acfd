// Writes test/fixtures/identity/<revision>.json from the schema.ts files of the MCP repository, which are not
// part of this one: node scripts/run-ts.mjs scripts/fingerprint.ts DIR [TASKS]. DIR contains
// <revision>/schema.ts. TASKS contains schema.ts and spec.types.ts of the tasks extension (ext-tasks,
// schema/draft), from which it writes tasks-extension.json.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deprecations, fingerprints, withExtends } from "../test/identity/fingerprint.js";

const [, , folder, tasks] = process.argv;
if (folder === undefined) {
  console.error(
    "usage: node scripts/run-ts.mjs scripts/fingerprint.ts DIR [TASKS]   (DIR/<revision>/schema.ts)",
  );
  process.exit(2);
}
const target = "test/fixtures/identity";
mkdirSync(target, { recursive: true });
for (const revision of readdirSync("schema").filter((name) =>
  existsSync(join("schema", name, "schema.json")),
)) {
  const file = join(folder, revision, "schema.ts");
  if (!existsSync(file)) {
    console.error(`${file}: not there; ${revision} is left as it is`);
    continue;
  }
  const text = readFileSync(file, "utf8");
  const types = Object.fromEntries([...fingerprints(text)].sort());
  const fixture = { deprecated: deprecations(text), types };
  writeFileSync(join(target, `${revision}.json`), JSON.stringify(fixture, null, 2) + "\n");
  console.error(`${revision}: ${Object.keys(types).length} exported types`);
}
if (tasks !== undefined) {
  const [text, core] = ["schema.ts", "spec.types.ts"].map((name) => readFileSync(join(tasks, name), "utf8"));
  const imports = { path: "schema.ts", files: { "spec.types.ts": core! } };
  const printsOf = (module: string): Record<string, string> =>
    Object.fromEntries([...fingerprints(module, imports)].sort());
  const types = printsOf(text!);
  const fixture = { types, extended: printsOf(withExtends(text!)) };
  writeFileSync(join(target, "tasks-extension.json"), JSON.stringify(fixture, null, 2) + "\n");
  console.error(`tasks: ${Object.keys(types).length} exported types`);
}
