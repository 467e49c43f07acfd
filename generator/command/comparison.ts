import { join } from "node:path";
import { canonicalText } from "@mcpgen/engine";
import type { Project, OutputRequest } from "./project.js";
import {
  type CacheFile,
  type CachedRun,
  cacheFile,
  readCache,
  fileFingerprint,
  folderFingerprint,
  generatorFingerprint,
  writeCache,
} from "../files/cache.js";
import {
  sha256,
  layoutFreeSha256,
  contentSha256,
  withPlainLineEnds,
  readRegularText,
  readTextIfPresent,
  packageVersion,
} from "../files/regular-file.js";
import { filesOf, storedExtensions, extensionsFolder } from "../extension/extension-store.js";
import { lockFile, revisionFolders } from "../revision/lock.js";
import { releasedFiles, takesReleasedNotes } from "../revision/revision-source.js";
import { existsSync, readdirSync } from "node:fs";
import type { Generated, GenerateRequest } from "../pipeline/generate.js";
import {
  type ComparedFile,
  type Manifest,
  compareOutput,
  recordedFiles,
  isSameManifest,
  manifestFile,
  manifestText,
  readManifest,
  readableManifest,
} from "../files/plan.js";

/** Hashes of everything a run depends on, and the cached last run. */
export interface InputState {
  /** Hash of mcpgen itself; undefined when it runs from source. */
  readonly generator: string | undefined;
  /** Hash of mcpgen, every input and every option. */
  readonly key: string;
  /** Hash of the inputs that all revisions share. */
  readonly setup: string;
  readonly cacheFile: CacheFile | undefined;
  /** The last run by this version of mcpgen, for any input. */
  readonly cached: CachedRun | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @param trust whether the cache may be read */
export function inputState(
  { request, options, partial }: OutputRequest,
  project: Project,
  env: Environment,
  trust: boolean,
): InputState {
  // A partial run finds less than a complete one, so it neither reads nor writes the cache.
  if (partial || request.kept)
    return { generator: undefined, key: "", setup: "", cacheFile: undefined, cached: undefined };
  const { schemaDir, outDir } = project;
  const generator = generatorFingerprint();
  const files = [
    join(schemaDir, lockFile),
    ...revisionFolders(schemaDir).map((revision) => join(schemaDir, revision, "schema.json")),
    ...request.sources.flatMap(({ schemaFile, notesFile }) => [schemaFile, notesFile ?? ""]),
    ...(request.sources.some(takesReleasedNotes) ? releasedFiles() : []),
    // Includes every version, because `check` compares each with the lock.
    ...storedExtensions(schemaDir).flatMap((stored) => Object.values(filesOf(stored))),
  ];
  const setup = sha256(
    [
      generator,
      canonicalText(options),
      folderFingerprint(request.templatesDir),
      fileFingerprint(join(schemaDir, "docs.json")),
    ].join("\n"),
  );
  const key = sha256(
    [
      setup,
      ...request.sources.map(({ revision, status }) => `${revision} ${status}`),
      ...files.map((file) => `${file} ${fileFingerprint(file)}`),
    ].join("\n"),
  );
  const file = cacheFile(env, outDir);
  const cached = trust && generator !== undefined ? readCache(file) : undefined;
  return {
    generator,
    key,
    setup,
    cacheFile: file,
    cached: cached?.generator === generator ? cached : undefined,
  };
}

/**
 * Whether to read the cache. It saves time at a terminal; CI (environment variable `CI`) always runs in full.
 */
export function trustsCache(env: Environment): boolean {
  return !env["CI"] || env["CI"] === "false";
}

/** The output of a run compared with the files in the folder. */
export interface Comparison {
  readonly generated: Generated;
  /** The manifest that the last run wrote. */
  readonly before: Manifest | undefined;
  readonly files: readonly ComparedFile[];
  /** The manifest for the output of this run. */
  readonly manifest: Manifest;
  /** The comparison of the manifest file on disk with `manifest`. */
  readonly manifestFile: ComparedFile;
}

/**
 * Generates, and compares the result with the output folder. Writes nothing.
 *
 * @param state hashes of the inputs and the cached last run; files of unchanged revisions are reused
 * @param options `ignoreManifest`: treat an unreadable manifest as absent
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
  const { generateFiles } = await import("../pipeline/generate.js");
  const generated = await generateFiles({ ...request, ...(reuse && { reuse }) });
  const manifest: Manifest = {
    generator: packageVersion(),
    options,
    shared: { ...(await sharedInputs(request)), ...extensionInputs(generated) },
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

/** Selects the files that a run must neither report nor delete. */
function leftAloneBy({ request: { kept = [] }, partial }: OutputRequest): (path: string) => boolean {
  const folders = new Set(kept);
  return (path) => partial || folders.has(path.split("/")[0]!);
}

/** The inputs that the manifest records. Kept revisions retain the record of the last run. */
function inputsOf(
  { inputs }: Generated,
  before: Manifest | undefined,
  kept: readonly string[] = [],
): Manifest["inputs"] {
  const all = Object.fromEntries(inputs) as Record<string, Readonly<Record<string, string>>>;
  for (const revision of kept) all[revision] = before?.inputs[revision] ?? all[revision]!;
  return all;
}

/** Hashes of the extensions' files, by path in the schema folder. */
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

/** Hashes of the inputs that all revisions share. */
async function sharedInputs({ schemaDir, templatesDir }: GenerateRequest): Promise<Record<string, string>> {
  const docs = "docs.json";
  const file = join(schemaDir, docs);
  const hashes: Record<string, string> = {};
  if (existsSync(file)) hashes[docs] = layoutFreeSha256(docs, readRegularText(file));
  if (templatesDir === undefined) return hashes;
  const { isTemplate } = await import("../print/templates.js");
  for (const name of readdirSync(templatesDir).filter(isTemplate))
    hashes[`templates/${name}`] = fileFingerprint(join(templatesDir, name));
  return hashes;
}

/**
 * Compares the manifest on disk with the planned one. A manifest never counts as edited: any difference means
 * outdated.
 */
export function compareManifest(outDir: string, planned: string): ComparedFile {
  const path = manifestFile;
  const file = join(outDir, path);
  if (!existsSync(file)) return { path, state: "missing", planned };
  const present = readRegularText(file);
  return { path, state: isSameManifest(present, planned) ? "same" : "outdated", planned, present };
}

/**
 * Selects files on disk to reuse: their revision's input has not changed, and they are as the last run wrote
 * them.
 */
function reusable(outDir: string, { planned, revisions }: CachedRun): GenerateRequest["reuse"] {
  return (revision, fingerprint) => {
    if (revisions[revision] !== fingerprint) return undefined;
    const paths = Object.keys(planned).filter((path) => path.startsWith(`${revision}/`));
    const present = new Map<string, string>();
    for (const path of paths) {
      const text = readTextIfPresent(join(outDir, path));
      if (text === undefined || contentSha256(text) !== planned[path]) return undefined;
      present.set(path, withPlainLineEnds(text));
    }
    return present.size > 0 ? present : undefined;
  };
}

/**
 * Stores the result of a complete run in the cache.
 *
 * @param inOrder whether `check` also compared the schemas with the lock and found nothing
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
