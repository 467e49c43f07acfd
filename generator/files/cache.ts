import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "./sha256.js";

/**
 * The results of the last run, so that the next run need not repeat them. They stand outside of the tree. They only
 * save work: they never change a result.
 */
export interface CachedRun {
  readonly format: 2;
  /** Hash of mcpgen itself. */
  readonly generator: string;
  /** Hash of mcpgen and of every input. */
  readonly key: string;
  /** Whether `check` found everything in order: the schemas equal the lock, the output is as planned. */
  readonly inOrder: boolean;
  /** sha256 of each file that is planned, the manifest included. */
  readonly planned: Readonly<Record<string, string>>;
  /** Hash of mcpgen, of the options, templates and documentation: all that concerns every revision. */
  readonly setup: string;
  /** Hash of all else that a revision's own files are made from, by revision. */
  readonly revisions: Readonly<Record<string, string>>;
  /** Findings that do not come from comparing: warnings about the input. */
  readonly warnings: readonly unknown[];
}

/** The cache file for an output folder, or for `name`; undefined if no node_modules folder can hold it. */
export function cacheFile(folder: string, name: string): string | undefined {
  const modules = join(folder, "node_modules");
  if (existsSync(modules)) return join(modules, ".cache", "mcpgen", `${sha256(name).slice(0, 16)}.json`);
  return dirname(folder) === folder ? undefined : cacheFile(dirname(folder), name);
}

/** As `readCached`, for a run that generates from schemas. */
export function readCache(file: string | undefined): CachedRun | undefined {
  return readCached<CachedRun>(file, 2);
}

/** A cache that cannot be read, or is of another format, is ignored. */
export function readCached<Run extends { readonly format: number }>(
  file: string | undefined,
  format: Run["format"],
): Run | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  try {
    const cached = JSON.parse(readFileSync(file, "utf8")) as Run;
    return cached.format === format ? cached : undefined;
  } catch {
    return undefined;
  }
}

export function writeCache(file: string | undefined, run: CachedRun): void {
  writeCached(file, run);
}

/** A cache that cannot be written is ignored, too. */
export function writeCached<Run extends { readonly format: number }>(
  file: string | undefined,
  run: Run,
): void {
  if (file === undefined) return;
  try {
    mkdirSync(dirname(file), { recursive: true });
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, JSON.stringify(run));
    renameSync(fresh, file);
  } catch {
    // Read-only installations work, only slower.
  }
}
