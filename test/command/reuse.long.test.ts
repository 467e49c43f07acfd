import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type InputState, compareWithOutput } from "../../generator/command/comparison.js";
import { generateFiles } from "../../generator/pipeline/generate.js";
import { storedRevision } from "../../generator/revision/revision-source.js";
import { sha256 } from "../../generator/files/regular-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const revisions = ["2025-06-18", "2025-11-25"];

/** The state of a run after one that planned `files`. */
function stateAfter(
  files: ReadonlyMap<string, string>,
  fingerprints: ReadonlyMap<string, string>,
): InputState {
  const cached = {
    format: 2 as const,
    generator: "g",
    key: "k",
    setup: "s",
    inOrder: true,
    planned: Object.fromEntries([...files].map(([path, text]) => [path, sha256(text)])),
    revisions: Object.fromEntries(fingerprints),
    warnings: [],
  };
  return { generator: "g", key: "k", setup: "s", cacheFile: undefined, cached };
}

test("files of unchanged revisions are taken from the last run, and equal the files of a full run", async () => {
  const folder = temporaryFolder({});
  const schemaDir = join(folder, "schema");
  for (const revision of revisions)
    cpSync(`schema/${revision}`, join(schemaDir, revision), { recursive: true });
  const sources = revisions.map((revision) => storedRevision(schemaDir, revision, "released", true));
  const request = { sources, schemaDir, importExtension: "js" as const };
  const first = await generateFiles(request);
  const outDir = join(folder, "out");
  for (const [path, text] of first.files) {
    mkdirSync(join(outDir, path, ".."), { recursive: true });
    writeFileSync(join(outDir, path), text);
  }
  const state = stateAfter(first.files, first.fingerprints);

  const file = join(schemaDir, "2025-11-25/schema.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"lastModified"', '"lastChanged"'));
  const wanted = { request, options: {}, partial: false };
  const reused = await compareWithOutput(wanted, outDir, state);
  const whole = await generateFiles(request);
  expect(new Map([...reused.generated.files].sort())).toEqual(new Map([...whole.files].sort()));

  // A changed file that matches the state of the last run is used, which shows that the run does not emit it again.
  const marked = new Map([...first.files, ["2025-06-18/types.ts", "// as the last run planned it\n"]]);
  writeFileSync(join(outDir, "2025-06-18/types.ts"), "// as the last run planned it\n");
  const believed = await compareWithOutput(wanted, outDir, stateAfter(marked, first.fingerprints));
  expect(believed.generated.files.get("2025-06-18/types.ts")).toBe("// as the last run planned it\n");

  // A file that differs from the state is not reused.
  const again = await compareWithOutput(wanted, outDir, state);
  expect(again.generated.files.get("2025-06-18/types.ts")).toBe(whole.files.get("2025-06-18/types.ts"));
});
