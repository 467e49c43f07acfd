import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { invariant } from "../diagnostics/invariant.js";
import { type Manifest, isSameManifest, manifestFile, manifestText } from "./manifest.js";
import type { PlannedFile } from "./plan.js";
import { layoutFreeSha256 } from "./layout-free.js";
import { type FileChange, applyChanges } from "./transaction.js";

/**
 * Carries out a plan without conflicts: all of it, or nothing. Unchanged files are not touched; the
 * manifest is put in place last.
 */
export function writePlan(outDir: string, plan: readonly PlannedFile[], manifest: Manifest): void {
  applyChanges(outDir, planChanges(outDir, plan, manifest));
}

/** The changes below the output folder of a plan without conflicts. */
export function planChanges(outDir: string, plan: readonly PlannedFile[], manifest: Manifest): FileChange[] {
  invariant(!plan.some(({ action }) => action === "CONFLICT"), "a plan with conflicts is never carried out");
  const changes: FileChange[] = plan
    .filter(({ action }) => action !== "UNCHANGED")
    .map(({ path, content }) => ({ path, content }));
  const text = manifestText(manifest);
  const file = join(outDir, manifestFile);
  if (!existsSync(file) || !isSameManifest(readFileSync(file, "utf8"), text))
    changes.push({ path: manifestFile, content: text });
  return changes;
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
