import { join } from "node:path";
import { invariant } from "../diagnostics/invariant.js";
import { type Manifest, isSameManifest, manifestFile, manifestText } from "./manifest.js";
import type { PlannedFile } from "./plan.js";
import { layoutFreeSha256 } from "./layout-free.js";
import { readTextIfPresent } from "./regular-file.js";
import type { WriteRoot } from "./write-root.js";
import type { FileChange, FileSet } from "./writer.js";

/**
 * The files of a plan without conflicts, to be written as one set. Unchanged files are not touched. The manifest is put in
 * place first, with what is being written, and last, without.
 *
 * @param before the manifest of the last run
 */
export function planSet(
  root: WriteRoot,
  plan: readonly PlannedFile[],
  before: Manifest | undefined,
  manifest: Manifest,
): FileSet {
  const changes = planChanges(root.folder, plan, manifest);
  const others = changes.filter(({ path }) => path !== manifestFile);
  if (others.length === 0) return { root, changes };
  const writing = others.map(({ path, content }): [string, string | null] => [
    path,
    content === null ? null : layoutFreeSha256(path, content as string),
  ]);
  const unchanged = [...manifest.files].filter(([path]) => !others.some((other) => other.path === path));
  const files = before?.files ?? new Map(unchanged);
  const announced = { ...(before ?? manifest), files, writing: new Map(writing) };
  const announcement = { path: manifestFile, content: manifestText(announced) };
  const isListed = others.length < changes.length;
  // A manifest that says the same already is put back as it is, in the layout that a formatter may have given it.
  const present = isListed ? [] : [{ path: manifestFile, content: manifestOnDisk(root.folder)! }];
  return { root, changes: [...changes, ...present], announcement };
}

function planChanges(outDir: string, plan: readonly PlannedFile[], manifest: Manifest): FileChange[] {
  invariant(!plan.some(({ action }) => action === "CONFLICT"), "a plan with conflicts is never carried out");
  const changes: FileChange[] = plan
    .filter(({ action }) => action !== "UNCHANGED")
    .map(({ path, content }) => ({ path, content }));
  const text = manifestText(manifest);
  const present = manifestOnDisk(outDir);
  if (present === undefined || !isSameManifest(present, text))
    changes.push({ path: manifestFile, content: text });
  return changes;
}

function manifestOnDisk(outDir: string): string | undefined {
  return readTextIfPresent(join(outDir, manifestFile));
}

/**
 * The records of the manifest after a run.
 *
 * @param leftAlone selects files that were not written and whose records stay
 */
export function recordedFiles(
  files: ReadonlyMap<string, string>,
  before: Manifest | undefined,
  leftAlone: (path: string) => boolean,
): Map<string, string> {
  const written = [...files].map(([path, content]) => [path, layoutFreeSha256(path, content)] as const);
  const others = [...(before?.files ?? [])].filter(([path]) => leftAlone(path));
  return new Map([...others, ...written]);
}
