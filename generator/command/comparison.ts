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

/** Everything a run depends on, as hashes, with what the cache knows of it. */
export interface InputState {
  /** Hash of mcpgen itself; undefined when it runs from source. */
  readonly generator: string | undefined;
  /** Hash of mcpgen, of every input and of every option. */
  readonly key: string;
  /** Hash of what concerns every revision. */
  readonly setup: string;
  readonly cacheFile: CacheFile | undefined;
  /** The last run by this version of mcpgen, on any input. */
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
  // A partial run does not find what the next complete run would: it uses no cache.
  if (partial || request.kept)
    return { generator: undefined, key: "", setup: "", cacheFile: undefined, cached: undefined };
  const { schemaDir, outDir } = project;
  const generator = generatorFingerprint();
  const files = [
    join(schemaDir, lockFile),
    ...revisionFolders(schemaDir).map((revision) => join(schemaDir, revision, "schema.json")),
    ...request.sources.flatMap(({ schemaFile, notesFile }) => [schemaFile, notesFile ?? ""]),
    ...(request.sources.some(takesReleasedNotes) ? releasedFiles() : []),
    // All versions: `check` compares each with the lock.
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

/** The cache saves time at a terminal. With `CI` set it is not read. */
export function trustsCache(env: Environment): boolean {
  return !env["CI"] || env["CI"] === "false";
}

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
