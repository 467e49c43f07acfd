import { type Stats, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, naturalCompare, isJsonObject } from "@mcpgen/engine";
import {
  layoutFreeSha256,
  withoutLayout,
  withPlainLineEnds,
  readRegularText,
  readTextIfPresent,
  readRegularFile,
} from "./regular-file.js";
import { CodedError, invariant } from "../diagnostics/coded-error.js";
import { type WriteRoot, pathFault } from "./held-folder.js";
import type { FileChange, FileSet } from "./writer.js";

/** How a file on disk relates to the planned output. */
export type FileState =
  /** as planned, apart from layout */
  | "same"
  /** planned, but not on disk */
  | "missing"
  /** not as planned, but as mcpgen wrote it */
  | "outdated"
  /** neither as planned nor as mcpgen wrote it: edited by hand */
  | "edited"
  /** planned, but a file without a record in the manifest has its path */
  | "unrecorded"
  /** no longer planned, and as mcpgen wrote it */
  | "stale"
  /** no longer planned, and edited by hand since mcpgen wrote it */
  | "stale-edited"
  /** not planned, and not in the manifest; a header in the file does not prove that mcpgen wrote it */
  | "foreign";

export interface ComparedFile {
  readonly path: string;
  readonly state: FileState;
  /** The planned content; undefined for files that are not planned. */
  readonly planned?: string;
  /** The content on disk. */
  readonly present?: string;
}

/**
 * Compares an output folder with the planned files. Ignores line ends, which a checkout may change, and
 * layout, which a formatter may change.
 *
 * @param files planned files by path, without the manifest
 * @param before the manifest of the last run, if there is one
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
  // Share one string for equal texts: two copies of a large output would double the memory.
  return { path, state, planned, present: present === planned ? planned : present };
}

function plannedState(
  path: string,
  planned: string,
  present: string,
  recorded: string | undefined,
): FileState {
  if (withPlainLineEnds(present) === withPlainLineEnds(planned)) return "same";
  // A file that the project's formatter has changed does not count as edited.
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

/** Files of the last run that `listOutput` omits, e.g. a package.json written by mcpgen. */
function recordedOnDisk(outDir: string, before: Manifest | undefined): string[] {
  return [...(before?.files.keys() ?? [])].filter((path) => existsSync(join(outDir, path)));
}

/**
 * Whether a file is not output although it is in the folder: files of builds, installations, people and
 * tools.
 */
function isForeign(path: string, name: string): boolean {
  if (name === "node_modules" || name.startsWith(".")) return true;
  if (path.includes("/")) return false;
  return (
    ["dist", "package.json", "package-lock.json", "LICENSE"].includes(name) || name.endsWith(".tsbuildinfo")
  );
}

/**
 * Lists every file below `outDir`, POSIX separators, natural order: also those that mcpgen did not write, which
 * the manifest does not name. Skips a subfolder with a separate manifest, which is another output.
 */
export function listOutput(outDir: string): string[] {
  const paths: string[] = [];
  collect(outDir, "", paths);
  return paths.sort(naturalCompare);
}

function collect(outDir: string, folder: string, paths: string[]): void {
  for (const entry of readFolder(join(outDir, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (isForeign(path, entry.name)) continue;
    if (entry.isDirectory()) {
      if (!existsSync(join(outDir, path, manifestFile))) collect(outDir, path, paths);
    } else paths.push(path);
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CodedError("MG3002", `cannot be read as a folder (${(error as NodeJS.ErrnoException).code})`, {
      place: { file: folder },
      next: "Choose another output folder with --out.",
      cause: error,
    });
  }
}

/** @throws CodedError MG3002 if something other than a folder has the output folder's path */
function expectFolder(outDir: string): void {
  const found = statSync(outDir, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) {
    throw elsewhere(outDir, "expected a folder, got a file", "Choose another output folder with --out.");
  }
}

/**
 * Checks that `path` is a regular file below `outDir` or unused.
 *
 * @throws CodedError MG3002 if it leads elsewhere: through `..`, a symbolic link, or a file in place of a
 * folder
 */
function refuseEscape(outDir: string, path: string): void {
  const fault = pathFault(path);
  if (fault !== undefined)
    throw elsewhere(join(outDir, path), fault, "Rename the revision or output that it is named after.");
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const place = join(outDir, ...parts.slice(0, length));
    const found = statOf(place);
    if (!found) return;
    const last = length === parts.length;
    if (found.isSymbolicLink()) {
      throw elsewhere(place, "expected a regular file or folder, got a symbolic link", "Remove the link.");
    }
    if (last ? !found.isFile() : !found.isDirectory()) {
      throw elsewhere(place, `expected a ${last ? "file" : "folder"}, got something else`, "Move it away.");
    }
  }
}

function statOf(place: string): Stats | undefined {
  return lstatSync(place, { throwIfNoEntry: false });
}

function elsewhere(file: string, message: string, next: string): CodedError {
  return new CodedError("MG3002", message, { place: { file }, next });
}

export type Action = "CREATE" | "UPDATE" | "DELETE" | "UNCHANGED" | "CONFLICT";

/** The action of a run on one file. */
export interface PlannedFile {
  readonly path: string;
  readonly action: Action;
  /** How the file on disk relates to the planned one; explains a conflict. */
  readonly state: FileState;
  /** The content after the run; null if the file is deleted. */
  readonly content: string | null;
  /** Size on disk before the run. */
  readonly before: number;
  /** Size on disk after the run. */
  readonly after: number;
}

interface PlanOptions {
  /** Whether to overwrite and delete files that were edited by hand or have no record. */
  readonly force: boolean;
}

/**
 * Decides the action for every compared file. Foreign files are included only if a planned file has their
 * path.
 */
export function planOutput(compared: readonly ComparedFile[], { force }: PlanOptions): PlannedFile[] {
  return compared.filter(({ state }) => state !== "foreign").map((file) => planFile(file, force));
}

function planFile({ path, state, planned, present }: ComparedFile, force: boolean): PlannedFile {
  const action = actionOf(state, force);
  const before = present === undefined ? 0 : Buffer.byteLength(present);
  const content = planned ?? null;
  const after = action === "CONFLICT" ? before : content === null ? 0 : Buffer.byteLength(content);
  return { path, action, state, content, before, after };
}

function actionOf(state: FileState, force: boolean): Action {
  switch (state) {
    case "same":
      return "UNCHANGED";
    case "missing":
      return "CREATE";
    case "outdated":
      return "UPDATE";
    case "stale":
      return "DELETE";
    case "stale-edited":
      return force ? "DELETE" : "CONFLICT";
    default:
      return force ? "UPDATE" : "CONFLICT";
  }
}

/**
 * The files of a plan without conflicts, as one set to write. Unchanged files are not touched. A manifest
 * that announces the writes comes first, the final manifest last.
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
  // An equal manifest keeps its present layout, which a formatter may have changed.
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
 * The file records for the manifest after a run.
 *
 * @param leftAlone selects files that were not written, so that their records stay
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

/** The record of the files that mcpgen wrote into an output folder, and of their inputs. */
export interface Manifest {
  /** Version of mcpgen. */
  readonly generator: string;
  /** Options that affect the output. */
  readonly options: JsonObject;
  /** SHA-256 of inputs that all revisions share: `docs.json`, and templates that replace shipped ones. */
  readonly shared: Readonly<Record<string, string>>;
  /** SHA-256 of the input files of each revision. */
  readonly inputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * SHA-256 of every file without its layout, by path. (The hashes above are of content with plain line
   * ends.)
   */
  readonly files: ReadonlyMap<string, string>;
  /**
   * SHA-256 of every file that an unfinished run began to write; null for one to be deleted. On disk, each
   * file is as in `files` or as here. Absent after a completed run.
   */
  readonly writing?: ReadonlyMap<string, string | null>;
}

export const manifestFile = "manifest.json";

/**
 * The manifest of an output folder, if it has one. Its paths are as they were read: `pathFault` judges each before a file is
 * opened by it.
 *
 * @throws CodedError MG3006 if it is malformed
 */
export function readManifest(outDir: string): Manifest | undefined {
  const file = join(outDir, manifestFile);
  if (!existsSync(file)) return undefined;
  const manifest = parseManifest(readRegularFile(file).toString("utf8"), file);
  return manifest.writing ? settled(outDir, manifest, manifest.writing) : manifest;
}

/**
 * The records after an interrupted run: for each file, the one of its two possible hashes that matches its
 * content.
 */
function settled(outDir: string, manifest: Manifest, writing: ReadonlyMap<string, string | null>): Manifest {
  const files = new Map(manifest.files);
  for (const [path, hash] of writing)
    if (hash !== null && hashOnDisk(outDir, path) === hash) files.set(path, hash);
  return { ...manifest, files };
}

function hashOnDisk(outDir: string, path: string): string | undefined {
  if (pathFault(path) !== undefined) return undefined;
  try {
    return layoutFreeSha256(path, readRegularFile(join(outDir, path)).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Same as `readManifest`, but treats a malformed manifest as absent. */
export function readableManifest(outDir: string): Manifest | undefined {
  try {
    return readManifest(outDir);
  } catch {
    return undefined;
  }
}

export function parseManifest(text: string, file: string): Manifest {
  const content = parseJson(text, file);
  if (!isJsonObject(content) || content["format"] !== 1) throw malformed(file, 'expected { "format": 1, … }');
  const { generator, options, shared = {}, inputs, files, writing } = content;
  if (typeof generator !== "string" || !isJsonObject(options) || !isJsonObject(inputs)) {
    throw malformed(file, "expected generator, options and inputs");
  }
  if (!areHashes(shared) || !areHashes(files)) {
    throw malformed(file, "expected shared and files to be objects of sha256 by path");
  }
  if (writing !== undefined && !areHashes(writing, true))
    throw malformed(file, "expected writing to be an object of sha256 or null by path");
  return {
    generator,
    options,
    shared,
    inputs: inputs as unknown as Manifest["inputs"],
    files: new Map(Object.entries(files)),
    ...(writing !== undefined && { writing: new Map(Object.entries(writing)) }),
  };
}

function areHashes(value: JsonValue | undefined): value is Record<string, string>;
function areHashes(value: JsonValue | undefined, orNull: true): value is Record<string, string | null>;
function areHashes(value: JsonValue | undefined, orNull = false): boolean {
  return (
    isJsonObject(value) &&
    Object.values(value).every((hash) => typeof hash === "string" || (orNull && hash === null))
  );
}

export function manifestText({ generator, options, shared, inputs, files, writing }: Manifest): string {
  const content = {
    format: 1,
    generator,
    options: sorted(options),
    shared: sorted(shared),
    inputs: sorted(inputs),
    files: sorted(Object.fromEntries(files)),
    ...(writing && { writing: sorted(Object.fromEntries(writing)) }),
  };
  return JSON.stringify(content, null, 2) + "\n";
}

/** Whether two manifest texts differ only in layout. */
export function isSameManifest(one: string, other: string): boolean {
  return withoutLayout(manifestFile, one) === withoutLayout(manifestFile, other);
}

/** The value with all keys in natural order, recursively. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value).sort(naturalCompare);
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]));
}

function parseJson(text: string, file: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw malformed(file, `not JSON (${(cause as Error).message})`, cause);
  }
}

function malformed(file: string, message: string, cause?: unknown): CodedError {
  return new CodedError("MG3006", `the manifest is malformed: ${message}`, {
    place: { file },
    next: "Restore it from version control, or run `mcpgen generate --force`, which writes all files.",
    cause,
  });
}
