import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, naturalCompare } from "@mcpgen/engine";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { layoutFreeSha256, withoutLayout } from "./layout-free.js";
import { readRegularFile } from "./regular-file.js";
import { pathFault } from "./relative-path.js";

/** The record of the files that mcpgen wrote into an output folder, and of their inputs. */
export interface Manifest {
  /** Version of mcpgen. */
  readonly generator: string;
  /** Options that decide what the output is. */
  readonly options: JsonObject;
  /** sha256 of what all revisions are made from: `docs.json`, and templates that replace shipped ones. */
  readonly shared: Readonly<Record<string, string>>;
  /** sha256 of a revision's own input files, by revision. */
  readonly inputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** sha256 of every file without its layout, by path; those above are of content with plain line ends. */
  readonly files: ReadonlyMap<string, string>;
  /**
   * sha256 of every file that a run has begun to write, null for one to be deleted. Each is on disk as `files` says, or as
   * this does. A manifest of a run that has ended has none.
   */
  readonly writing?: ReadonlyMap<string, string | null>;
}

export const manifestFile = "manifest.json";

/**
 * The manifest of an output folder, if it has one.
 *
 * @throws CodedError MG3006 when it is malformed
 */
export function readManifest(outDir: string): Manifest | undefined {
  const file = join(outDir, manifestFile);
  if (!existsSync(file)) return undefined;
  const manifest = parseManifest(readRegularFile(file).toString("utf8"), file);
  return manifest.writing ? settled(outDir, manifest, manifest.writing) : manifest;
}

/** The records of a run that died in the middle: a file has the hash that its content has, of the two that it may have. */
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

/** As `readManifest`; a malformed manifest counts as absent. */
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

/** Whether two texts of a manifest differ in layout alone. */
export function isSameManifest(one: string, other: string): boolean {
  return withoutLayout(manifestFile, one) === withoutLayout(manifestFile, other);
}

/** Keys in natural order, all the way down. */
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
