import { sha256 } from "./sha256.js";
import { StateFiles } from "./state-files.js";

/** Projects whose results are kept. */
const maxFiles = 200;

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

/** A file of the cache, in the user's state folder: a repository can bring folders that look like ours, but not that one. */
export interface CacheFile {
  readonly files: StateFiles;
  readonly name: string;
}

/**
 * The cache file for one subject.
 *
 * @param subject the absolute path of an output folder, or another text that names what is cached
 */
export function cacheFile(env: Readonly<Record<string, string | undefined>>, subject: string): CacheFile {
  return { files: new StateFiles(env, "cache"), name: `${sha256(subject).slice(0, 32)}.json` };
}

/** As `readCached`, for a run that generates from schemas. */
export function readCache(file: CacheFile | undefined): CachedRun | undefined {
  return readCached<CachedRun>(file, 2);
}

/** A cache that cannot be read, or is of another format, is ignored. */
export function readCached<Run extends { readonly format: number }>(
  file: CacheFile | undefined,
  format: Run["format"],
): Run | undefined {
  try {
    const text = file?.files.read(file.name);
    if (text === undefined) return undefined;
    const cached = JSON.parse(text) as Run;
    return cached.format === format ? cached : undefined;
  } catch {
    return undefined;
  }
}

export function writeCache(file: CacheFile | undefined, run: CachedRun): void {
  writeCached(file, run);
}

/** A cache that cannot be written is ignored, too. */
export function writeCached<Run extends { readonly format: number }>(
  file: CacheFile | undefined,
  run: Run,
): void {
  if (file === undefined) return;
  try {
    file.files.write(file.name, JSON.stringify(run));
    file.files.keepNewest(maxFiles);
  } catch {
    // Read-only installations work, only slower.
  }
}
