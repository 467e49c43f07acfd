import { existsSync } from "node:fs";
import { join } from "node:path";
import { naturalCompare } from "@mcpgen/engine";
import { expectFolder, listOutput, refuseEscape } from "./folder.js";
import { type Manifest, manifestFile } from "./manifest.js";
import { layoutFreeSha256, withoutLayout } from "./layout-free.js";
import { withPlainLineEnds } from "./line-ends.js";
import { readRegularText } from "./regular-file.js";

/** How a file on disk relates to what would be written. */
export type FileState =
  /** as planned, apart from layout */
  | "same"
  /** planned, not on disk */
  | "missing"
  /** not as planned, but as mcpgen wrote it */
  | "outdated"
  /** not as planned and not as mcpgen wrote it: edited by hand */
  | "edited"
  /** planned, and something that mcpgen has no record of stands there */
  | "unrecorded"
  /** not planned, as mcpgen wrote it */
  | "stale"
  /** not planned; written by mcpgen, and edited by hand since */
  | "stale-edited"
  /** not planned, and not in the manifest; a header in the file is no proof that mcpgen wrote it */
  | "foreign";

export interface ComparedFile {
  readonly path: string;
  readonly state: FileState;
  /** The content that would be written; undefined for files that are not planned. */
  readonly planned?: string;
  /** The content on disk. */
  readonly present?: string;
}

/**
 * Compares an output folder with the planned files. Ignores line ends, which a checkout may change, and layout, which a
 * formatter may change.
 *
 * @param files what would be written, by path; the manifest itself is not among them
 * @param before the manifest of the last run, if it is known
 * @param leftAlone whether this run ignores a file that is not planned
 */
export function compareOutput(
  outDir: string,
  files: ReadonlyMap<string, string>,
  before: Manifest | undefined,
  leftAlone: (path: string) => boolean,
): ComparedFile[] {
  expectFolder(outDir);
  const result = [...files].map(([path, planned]) => comparePlanned(outDir, path, planned, before));
  const others = new Set([...listOutput(outDir), ...recordedOnDisk(outDir, before)]);
  for (const path of others) {
    if (path === manifestFile || files.has(path) || leftAlone(path)) continue;
    result.push(compareOther(outDir, path, before));
  }
  return result.sort((a, b) => naturalCompare(a.path, b.path));
}

function comparePlanned(
  outDir: string,
  path: string,
  planned: string,
  before: Manifest | undefined,
): ComparedFile {
  refuseEscape(outDir, path);
  const file = join(outDir, path);
  if (!existsSync(file)) return { path, state: "missing", planned };
  const present = readRegularText(file);
  const state = plannedState(path, planned, present, before?.files.get(path));
  // Equal texts share one string: two copies of a large output would take twice the memory.
  return { path, state, planned, present: present === planned ? planned : present };
}

function plannedState(
  path: string,
  planned: string,
  present: string,
  recorded: string | undefined,
): FileState {
  if (withPlainLineEnds(present) === withPlainLineEnds(planned)) return "same";
  // A file that the project's formatter has rewritten does not count as edited.
  if (withoutLayout(path, present) === withoutLayout(path, planned)) return "same";
  if (recorded === undefined) return "unrecorded";
  return layoutFreeSha256(path, present) === recorded ? "outdated" : "edited";
}

function compareOther(outDir: string, path: string, before: Manifest | undefined): ComparedFile {
  const recorded = before?.files.get(path);
  if (recorded === undefined) return { path, state: "foreign" };
  refuseEscape(outDir, path);
  const present = readRegularText(join(outDir, path));
  return { path, state: layoutFreeSha256(path, present) === recorded ? "stale" : "stale-edited", present };
}

/** Files of the last run that `listOutput` leaves out, e.g. a package.json that we wrote. */
function recordedOnDisk(outDir: string, before: Manifest | undefined): string[] {
  return [...(before?.files.keys() ?? [])].filter((path) => existsSync(join(outDir, path)));
}
