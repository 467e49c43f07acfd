import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { extensionsFolder } from "../extension/extension-store.js";
import { isTemplate } from "../print/templates.js";
import { type Generated, type GenerateRequest, generateFiles } from "../pipeline/generate.js";
import { type CachedRun, writeCache } from "../files/cache.js";
import { type ComparedFile, compareOutput } from "../files/compare.js";
import { fileFingerprint } from "../files/fingerprint.js";
import {
  type Manifest,
  isSameManifest,
  manifestFile,
  manifestText,
  readManifest,
  readableManifest,
} from "../files/manifest.js";
import { layoutFreeSha256 } from "../files/layout-free.js";
import { contentSha256, withPlainLineEnds } from "../files/line-ends.js";
import { recordedFiles } from "../files/write.js";
import { packageVersion } from "../files/package-folder.js";
import type { InputState } from "./input-state.js";
import type { OutputRequest } from "./output-request.js";
import { readRegularText } from "../files/regular-file.js";

/** The output of a run compared with the files in the folder. */
export interface Comparison {
  readonly generated: Generated;
  /** The manifest of the last run. */
  readonly before: Manifest | undefined;
  readonly files: readonly ComparedFile[];
  /** The manifest for the output of this run. */
  readonly manifest: Manifest;
  /** Whether it says so. */
  readonly manifestFile: ComparedFile;
}

/**
 * Generates, and compares the result with the output folder. Writes nothing.
 *
 * @param state what is known of the last run; its files are reused for revisions that have not changed since
 * @param options `ignoreManifest`: an unreadable manifest is as good as none
 */
export async function compareWithOutput(
  wanted: OutputRequest,
  outDir: string,
  { cached, setup }: InputState,
  { ignoreManifest = false } = {},
): Promise<Comparison> {
  const { request, options } = wanted;
  const before = ignoreManifest ? readableManifest(outDir) : readManifest(outDir);
  const leftAlone = leftAloneBy(wanted);
  const reuse = cached?.setup === setup ? reusable(outDir, cached) : undefined;
  const generated = await generateFiles({ ...request, ...(reuse && { reuse }) });
  const manifest: Manifest = {
    generator: packageVersion(),
    options,
    shared: { ...sharedInputs(request), ...extensionInputs(generated) },
    inputs: inputsOf(generated, before, request.kept),
    files: recordedFiles(generated.files, before, leftAlone),
  };
  return {
    generated,
    before,
    files: compareOutput(outDir, generated.files, before, leftAlone),
    manifest,
    manifestFile: compareManifest(outDir, manifestText(manifest)),
  };
}

/** Which of the files that a run does not write are none of its business. */
function leftAloneBy({ request: { kept = [] }, partial }: OutputRequest): (path: string) => boolean {
  const folders = new Set(kept);
  return (path) => partial || folders.has(path.split("/")[0]!);
}

/** Revisions that are kept keep the record of their inputs. */
function inputsOf(
  { inputs }: Generated,
  before: Manifest | undefined,
  kept: readonly string[] = [],
): Manifest["inputs"] {
  const all = Object.fromEntries(inputs) as Record<string, Readonly<Record<string, string>>>;
  for (const revision of kept) all[revision] = before?.inputs[revision] ?? all[revision]!;
  return all;
}

/** Hashes of the files of extensions, by their paths in the schema folder. */
function extensionInputs({ extensions }: Generated): Record<string, string> {
  return Object.fromEntries(
    extensions.flatMap(({ source: { about, inputs } }) =>
      Object.entries(inputs).map(([role, hash]) => [
        `${extensionsFolder}/${about.id}/${about.version}/${role}.json`,
        hash,
      ]),
    ),
  );
}

/** Hashes of what concerns every revision. */
function sharedInputs({ schemaDir, templatesDir }: GenerateRequest): Record<string, string> {
  const docs = "docs.json";
  const file = join(schemaDir, docs);
  const templates = templatesDir === undefined ? [] : readdirSync(templatesDir).filter(isTemplate);
  const hashes = [
    ...(existsSync(file) ? [[docs, layoutFreeSha256(docs, readRegularText(file))] as const] : []),
    ...templates.map((name) => [`templates/${name}`, fileFingerprint(join(templatesDir!, name))] as const),
  ];
  return Object.fromEntries(hashes);
}

/** The manifest is rewritten whenever its content would differ; edits of it are not kept. */
export function compareManifest(outDir: string, planned: string): ComparedFile {
  const path = manifestFile;
  const file = join(outDir, path);
  if (!existsSync(file)) return { path, state: "missing", planned };
  const present = readRegularText(file);
  return { path, state: isSameManifest(present, planned) ? "same" : "outdated", planned, present };
}

/** Files on disk that are still as they were written, of revisions whose input has not changed since. */
function reusable(outDir: string, { planned, revisions }: CachedRun): GenerateRequest["reuse"] {
  return (revision, fingerprint) => {
    if (revisions[revision] !== fingerprint) return undefined;
    const paths = Object.keys(planned).filter((path) => path.startsWith(`${revision}/`));
    const present = paths.map((path) => [path, contentOf(join(outDir, path))] as const);
    return paths.length > 0 &&
      present.every(([path, text]) => text !== undefined && contentSha256(text) === planned[path])
      ? new Map(present as [string, string][])
      : undefined;
  };
}

function contentOf(file: string): string | undefined {
  return existsSync(file) ? withPlainLineEnds(readRegularText(file)) : undefined;
}

/**
 * Keeps what a complete run found out.
 *
 * @param inOrder `check` compared the schemas with the lock, too, and found nothing
 */
export function remember(
  state: InputState,
  comparison: Comparison,
  warnings: CachedRun["warnings"],
  { inOrder }: Pick<CachedRun, "inOrder">,
): void {
  if (state.generator === undefined || state.cacheFile === undefined) return;
  const { generated, manifest } = comparison;
  writeCache(state.cacheFile, {
    format: 2,
    generator: state.generator,
    key: state.key,
    inOrder,
    planned: {
      ...Object.fromEntries([...generated.files].map(([path, text]) => [path, contentSha256(text)])),
      [manifestFile]: contentSha256(manifestText(manifest)),
    },
    setup: state.setup,
    revisions: Object.fromEntries(generated.fingerprints),
    warnings,
  });
}
