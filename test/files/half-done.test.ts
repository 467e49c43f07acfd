import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Manifest,
  compareOutput,
  planOutput,
  planSet,
  recordedFiles,
  manifestFile,
  readManifest,
} from "../../generator/files/plan.js";
import { WriteRoot } from "../../generator/files/held-folder.js";
import { writeFileSets } from "../../generator/files/writer.js";
import { cases, seed } from "../support/cases.mjs";
import { temporaryFolder } from "../support/temporary-folder.js";
import { contents } from "./contents.js";
import { killedAt, stepped } from "./file-system-steps.js";

type Files = Readonly<Record<string, string>>;

/** Generates `files` into the folder, as commands do. Throws if a file counts as edited by hand. */
function generate(folder: string, files: Files): boolean {
  const planned = new Map(Object.entries(files));
  const before = readManifest(folder);
  const plan = planOutput(
    compareOutput(folder, planned, before, () => false),
    { force: false },
  );
  expect(plan.filter(({ action }) => action === "CONFLICT")).toEqual([]);
  const manifest: Manifest = {
    ...{ generator: "1", options: {}, shared: {}, inputs: {} },
    files: recordedFiles(planned, before, () => false),
  };
  writeFileSets([planSet(WriteRoot.project(folder), plan, before, manifest)]);
  return before?.writing !== undefined;
}

const outputs = fc.dictionary(
  fc.constantFrom("a.txt", "b.txt", "x/c.txt", "x/d.json", "x/y/e.txt", "z/f.txt"),
  fc.constantFrom("1", "2", "3", "[4]"),
  { minKeys: 1 },
);

test("a run that dies at any step loses nothing, and the next run finishes its work", () => {
  let halfDone = 0;
  fc.assert(
    fc.property(outputs, outputs, outputs, fc.nat(), (first, second, third, at) => {
      const scratch = temporaryFolder();
      generate(scratch, first);
      const steps = stepped(
        () => void generate(scratch, second),
        () => undefined,
      );
      const folder = temporaryFolder();
      generate(folder, first);
      const old = contents(folder);
      killedAt(() => void generate(folder, second), (at % (steps + 1)) + 1);
      // Each file is complete: its old or its new content.
      const left = contents(folder);
      for (const [path, text] of Object.entries(left))
        if (path !== manifestFile && !path.includes(".mcpgen-write-"))
          expect([old[path], second[path]], path).toContain(text);
      for (const path of Object.keys(second))
        if (old[path] !== undefined) expect(left[path], path).toBeDefined();
      const isOld = JSON.stringify(left) === JSON.stringify(old);
      const wasHalfDone = generate(folder, third);
      if (wasHalfDone) halfDone++;
      if (isOld) expect(wasHalfDone).toBe(false);
      const { [manifestFile]: manifest, ...output } = contents(folder);
      // This process removes its own temporary files when it finishes writing. Only temporary files of dead processes
      // are removed here.
      const whole = Object.entries(output).filter(([path]) => !path.includes(".mcpgen-write-"));
      expect(Object.fromEntries(whole)).toEqual(third);
      expect(JSON.parse(manifest!)).not.toHaveProperty("writing");
      expect(generate(folder, third)).toBe(false);
    }),
    { seed, numRuns: cases(2_000, 40) },
  );
  expect(halfDone).toBeGreaterThan(0);
});

test("writing a file again does not change the manifest or its layout", () => {
  const folder = temporaryFolder();
  const files = { "a.txt": "1", "x/c.txt": "1" };
  generate(folder, files);
  const manifest = JSON.stringify(JSON.parse(readFileSync(join(folder, manifestFile), "utf8")));
  writeFileSync(join(folder, manifestFile), manifest);
  rmSync(join(folder, "a.txt"));
  generate(folder, files);
  expect(contents(folder)).toEqual({ ...files, [manifestFile]: manifest });
});

test("an error at any step leaves every file unchanged", () => {
  const first = { "a.txt": "1", "x/c.txt": "1", "x/y/e.txt": "1" };
  const second = { "a.txt": "2", "z/f.txt": "2", "x/c.txt": "1" };
  const fresh = (): string => {
    const folder = temporaryFolder();
    generate(folder, first);
    return folder;
  };
  const steps = stepped(
    () => void generate(fresh(), second),
    () => undefined,
  );
  let failed = 0;
  for (let step = 1; step <= steps; step++) {
    const folder = fresh();
    const old = contents(folder);
    try {
      stepped(
        () => void generate(folder, second),
        (now) => {
          if (now === step)
            throw Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" });
        },
      );
    } catch {
      failed++;
      expect(contents(folder), `step ${step}`).toEqual(old);
    }
  }
  expect(failed).toBeGreaterThan(10);
});

test("a folder that is swapped for a link at any step redirects nothing", () => {
  const first = { "x/c.txt": "1", "x/y/e.txt": "1" };
  const second = { "x/c.txt": "2", "x/y/e.txt": "2", "x/new.txt": "2" };
  const all = [first, second] as const;
  const count = (): number => {
    const folder = temporaryFolder();
    generate(folder, all[0]);
    return stepped(
      () => void generate(folder, all[1]),
      () => undefined,
    );
  };
  for (let step = 1, steps = count(); step <= steps; step++)
    for (const swapped of ["x", "x/y"]) {
      const theirs = { "c.txt": "1", "e.txt": "1", "y/e.txt": "1" };
      const elsewhere = temporaryFolder(theirs);
      const folder = temporaryFolder();
      generate(folder, first);
      try {
        stepped(
          () => void generate(folder, second),
          (now) => {
            if (now !== step) return;
            renameSync(join(folder, swapped), join(folder, "moved"));
            symlinkSync(elsewhere, join(folder, swapped));
          },
        );
      } catch {
        // The write may be refused, or go into the moved folder.
      }
      expect(contents(elsewhere), `step ${step}, ${swapped}`).toEqual(theirs);
    }
});
