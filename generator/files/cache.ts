import { sha256, contentSha256, readRegularFile, packageFolder } from "./regular-file.js";
import { StateFiles } from "./state-files.js";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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

/** The packages that read schemas and print code. */
const libraries = ["prettier", "handlebars", "json-schema-to-typescript", "ts-morph", "yaml"];

/** Modules that are copied into output as they stand, or in part. */
const copied = [
  "engine/emitted",
  "engine/emitted/extending",
  "engine/explain",
  "engine/formats",
  "engine/ir",
  "engine/patterns",
];

/**
 * A hash of everything in mcpgen that decides what the output is: its compiled code, its templates and the
 * versions of the libraries that read and print. Undefined when it runs from source, where nothing may be cached.
 */
export function generatorFingerprint(): string | undefined {
  const self = fileURLToPath(import.meta.url);
  if (self.endsWith(".ts")) return undefined;
  const hash = createHash("sha256");
  for (const folder of [
    dirname(self),
    ...["templates", ...copied].map((name) => join(packageFolder(), name)),
  ]) {
    for (const name of namesIn(folder)) hash.update(`${name}\n${contentHash(folder, name)}\n`);
  }
  for (const library of libraries) hash.update(`${library} ${versionOf(library)}\n`);
  return hash.digest("hex");
}

/** The build names a chunk by the hash of its content and of the chunks that it loads, so such a name says all. */
const namedByContent = /-[A-Z0-9]{8}\.js$/;

function contentHash(folder: string, name: string): string {
  return namedByContent.test(name) ? "" : sha256(readRegularFile(join(folder, name)));
}

/** The hash of a file's content without regard to line ends; a missing file has a hash, too. */
export function fileFingerprint(file: string | undefined): string {
  const isFile = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile();
  return isFile ? contentSha256(readRegularFile(file)) : "none";
}

/** The hash of the files in a folder, not of folders in it. */
export function folderFingerprint(folder: string | undefined): string {
  if (folder === undefined || !existsSync(folder)) return "none";
  return sha256(
    namesIn(folder)
      .map((name) => `${name} ${fileFingerprint(join(folder, name))}`)
      .join("\n"),
  );
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

function versionOf(library: string): string {
  const { version } = createRequire(import.meta.url)(`${library}/package.json`) as { version: string };
  return version;
}
