import { join } from "node:path";
import { canonicalText } from "@mcpgen/engine";
import type { Project } from "./project.js";
import { type CacheFile, type CachedRun, cacheFile, readCache } from "../files/cache.js";
import { fileFingerprint, folderFingerprint, generatorFingerprint } from "../files/fingerprint.js";
import { sha256 } from "../files/sha256.js";
import { filesOf, storedExtensions } from "../extension/extension-store.js";
import { lockFile } from "../revision/lock.js";
import { releasedFiles } from "../revision/released.js";
import { takesReleasedNotes } from "../revision/revision-source.js";
import { revisionFolders } from "../revision/verify.js";
import type { OutputRequest } from "./output-request.js";

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
      partial,
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
  // A partial run does not find what the next complete run would: it uses no cache.
  const file = partial || request.kept ? undefined : cacheFile(env, outDir);
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
