import { sha256, contentSha256, readRegularFile, packageFolder } from "./regular-file.js";
import { StateFiles } from "./state-files.js";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Maximum number of projects whose results are kept. */
const maxFiles = 200;

/**
 * Results of the last run, so that the next run need not repeat work. They are stored outside of the project,
 * and never change a result.
 */
export interface CachedRun {
  readonly format: 2;
  /** Hash of mcpgen. */
  readonly generator: string;
  /** Hash of mcpgen and every input. */
  readonly key: string;
  /** Whether `check` found no differences: the schemas equal the lock, and the output is as planned. */
  readonly inOrder: boolean;
  /** SHA-256 of each planned file, including the manifest. */
  readonly planned: Readonly<Record<string, string>>;
  /** Hash of everything that all revisions share: mcpgen, options, templates and documentation. */
  readonly setup: string;
  /** For each revision, the hash of its other inputs. */
  readonly revisions: Readonly<Record<string, string>>;
  /** Warnings about inputs, which do not come from comparing files. */
  readonly warnings: readonly unknown[];
}

/** A cache file in the user's state folder. Unlike other folders, a repository cannot provide this one. */
export interface CacheFile {
  readonly files: StateFiles;
  readonly name: string;
}

/**
 * The cache file for one subject.
 *
 * @param subject absolute path of an output folder, or another text that identifies the cached results
 */
export function cacheFile(env: Readonly<Record<string, string | undefined>>, subject: string): CacheFile {
  return { files: new StateFiles(env, "cache"), name: `${sha256(subject).slice(0, 32)}.json` };
}

/** Same as `readCached` for runs that generate from schemas. */
export function readCache(file: CacheFile | undefined): CachedRun | undefined {
  return readCached<CachedRun>(file, 2);
}

/** Reads a cache file. Ignores one that cannot be read or has another format. */
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

/** Writes a cache file. Ignores failure. */
export function writeCached<Run extends { readonly format: number }>(
  file: CacheFile | undefined,
  run: Run,
): void {
  if (file === undefined) return;
  try {
    file.files.write(file.name, JSON.stringify(run));
    file.files.keepNewest(maxFiles);
  } catch {
    // Read-only installations work without the cache, only slower.
  }
}

/** Packages that read schemas and print code; their versions are part of the hash. */
const libraries = ["prettier", "handlebars", "json-schema-to-typescript", "ts-morph", "yaml"];

/** Modules that are copied into output, as a whole or in part. */
const copied = [
  "engine/emitted",
  "engine/emitted/extending",
  "engine/explain",
  "engine/formats",
  "engine/ir",
  "engine/patterns",
];

/**
 * A hash of everything in mcpgen that affects output: compiled code, templates, and versions of libraries.
 * Undefined if mcpgen runs from source; nothing may be cached then.
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

/** Matches chunks whose name already contains a hash of their content and of the chunks they load. */
const namedByContent = /-[A-Z0-9]{8}\.js$/;

function contentHash(folder: string, name: string): string {
  return namedByContent.test(name) ? "" : sha256(readRegularFile(join(folder, name)));
}

/** Hash of a file's content independent of line ends; a missing file has a fixed hash. */
export function fileFingerprint(file: string | undefined): string {
  const isFile = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile();
  return isFile ? contentSha256(readRegularFile(file)) : "none";
}

/** Hash of the files in a folder, without subfolders. */
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
