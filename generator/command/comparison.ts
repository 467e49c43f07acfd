import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Generated, type GenerateRequest, generateFiles } from "../generate.js";
import { type CachedRun, writeCache } from "../output/cache.js";
import { type ComparedFile, compareOutput } from "../output/compare.js";
import { type Manifest, manifestFile, manifestText, readManifest } from "../output/manifest.js";
import { sha256 } from "../output/sha256.js";
import { recordedFiles } from "../output/write.js";
import { packageVersion } from "../package-folder.js";
import type { InputState } from "./input-state.js";
import type { OutputRequest } from "./output-request.js";

/** What would be generated, beside what is there. */
export interface Comparison {
  readonly generated: Generated;
  /** What the last run recorded. */
  readonly before: Manifest | undefined;
  readonly files: readonly ComparedFile[];
  /** What manifest.json would say. */
  readonly manifest: Manifest;
  /** Whether it says so. */
  readonly manifestFile: ComparedFile;
}

/**
 * Generates, and compares the result with the output folder. Writes nothing.
 *
 * @param cached the last run, whose formatted files are taken where their source is the same
 * @param options `ignoreManifest`: an unreadable manifest is as good as none
 */
export async function compareWithOutput(
  { request, options, partial }: OutputRequest,
  outDir: string,
  cached: CachedRun | undefined,
  { ignoreManifest = false } = {},
): Promise<Comparison> {
  const before = ignoreManifest ? manifestIfReadable(outDir) : readManifest(outDir);
  const reuse = cached && reusable(outDir, cached);
  const generated = await generateFiles({ ...request, ...(reuse && { reuse }) });
  const manifest: Manifest = {
    generator: packageVersion(),
    options,
    inputs: Object.fromEntries(generated.inputs) as Manifest["inputs"],
    files: recordedFiles(generated.files, before, partial),
  };
  return {
    generated,
    before,
    files: compareOutput(outDir, generated.files, before, partial),
    manifest,
    manifestFile: compareManifest(outDir, manifestText(manifest)),
  };
}

function manifestIfReadable(outDir: string): Manifest | undefined {
  try {
    return readManifest(outDir);
  } catch {
    return undefined;
  }
}

/** The manifest is rewritten whenever it would say something else; nobody's edits of it are kept. */
function compareManifest(outDir: string, planned: string): ComparedFile {
  const path = manifestFile;
  const file = join(outDir, path);
  if (!existsSync(file)) return { path, state: "missing", planned };
  const present = readFileSync(file, "utf8");
  return { path, state: present === planned ? "same" : "outdated", planned, present };
}

/** Files on disk that are still as they were formatted, for sources that have not changed since. */
function reusable(outDir: string, { sources, planned }: CachedRun): GenerateRequest["reuse"] {
  return (path, source) => {
    const file = join(outDir, path);
    if (sources[path] !== source || !existsSync(file)) return undefined;
    const text = readFileSync(file, "utf8");
    return sha256(text) === planned[path] ? text : undefined;
  };
}

/** Keeps what a complete run found out. */
export function remember(state: InputState, comparison: Comparison, warnings: CachedRun["warnings"]): void {
  if (state.generator === undefined) return;
  const { generated, manifest } = comparison;
  writeCache(state.cacheFile, {
    format: 1,
    generator: state.generator,
    key: state.key,
    planned: {
      ...Object.fromEntries(manifest.files),
      [manifestFile]: sha256(manifestText(manifest)),
    },
    sources: Object.fromEntries(generated.sources),
    warnings,
  });
}
