import {
  type Dialect,
  type JsonObject,
  type JsonValue,
  canonicalise,
  dialectOf,
  isJsonObject,
  readSchema,
  naturalCompare,
} from "@mcpgen/engine";
import type { Finding } from "../diagnostics/coded-error.js";
import { withPlainLineEnds, sha256, readRegularFile, decodeText } from "../files/regular-file.js";
import type { JsonFile } from "../files/json-file.js";
import {
  type LockedExtension,
  type LockedRevision,
  readLock,
  readVocabulary,
  revisionFolders,
  expectRevision,
} from "./lock.js";
import { type UpstreamFile, canonicalDocument, withPlaces } from "./schema-source.js";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** A schema document in stored form. */
export interface StoredSchema {
  readonly document: JsonObject;
  /** The content of schema.json. */
  readonly text: string;
  readonly sha256: string;
  /** The dialect of the original file. */
  readonly dialect: Dialect;
}

/**
 * Converts a schema to the form in which it is stored: canonical, indented by two spaces, with a final
 * newline.
 *
 * @throws CodedError MG11xx with the place in the file if it is not a readable schema
 */
export async function storedSchema(
  file: JsonFile,
  options: { readonly descriptions: boolean },
): Promise<StoredSchema> {
  const document = await canonicalDocument(file, options);
  // Reject a schema from which no code could be generated.
  await withPlaces(file, () => readSchema(document));
  const text = storedText(document);
  return { document, text, sha256: sha256(text), dialect: dialectOf(file.value as JsonObject) };
}

/** The text of a stored schema.json: canonical, indented by two spaces, with a final newline. */
export function storedText(document: object): string {
  return JSON.stringify(document, null, 2) + "\n";
}

/**
 * Compares a schema.json with its entry in the lock: unchanged, and in canonical form.
 *
 * @param came describes how the schema was added
 */
export function verifyStored(
  file: string,
  { canonical, descriptions = true }: { readonly canonical: string; readonly descriptions?: boolean },
  came: "imported" | "added",
): Finding | undefined {
  const text = withPlainLineEnds(decodeText(readRegularFile(file), file));
  const isSame = sha256(text) === canonical;
  const isInForm = isCanonical(text, descriptions);
  if (isSame && isInForm) return undefined;
  const form = isInForm ? "" : ", and is not in canonical form";
  return {
    code: "MG3105",
    severity: "error",
    message: isSame
      ? "the schema is not in canonical form"
      : `the schema was changed since it was ${came}${form}`,
    place: { file },
    next: "Restore it from version control; corrections go to notes.json.",
  };
}

function isCanonical(text: string, descriptions: boolean): boolean {
  try {
    return storedText(canonicalise(JSON.parse(text) as JsonValue, { descriptions })) === text;
  } catch {
    return false;
  }
}

/** How a file relates to a stored schema. */
export interface SchemaRelation {
  /**
   * The same bytes; the same canonical form, so that only descriptions or formatting differ; or another
   * schema.
   */
  readonly relation: "same-file" | "same-meaning" | "different";
  /** Names of definitions that only one side has. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Compares a file with a stored schema.
 *
 * @param file the file's hash and canonical form
 * @param stored the stored schema and its lock entry
 */
export function relationTo(
  file: { readonly sha256: string; readonly document: JsonObject },
  stored: { readonly value: unknown; readonly locked: Pinned | undefined },
): SchemaRelation {
  const { locked } = stored;
  const [before, after] = [definitionNames(stored.value), definitionNames(file.document)];
  const isSame = sha256(storedText(file.document)) === locked?.canonical;
  return {
    relation: file.sha256 === locked?.upstream?.sha256 ? "same-file" : isSame ? "same-meaning" : "different",
    added: [...after].filter((name) => !before.has(name)),
    removed: [...before].filter((name) => !after.has(name)),
  };
}

type Pinned = Pick<LockedExtension, "upstream" | "canonical">;

function definitionNames(document: unknown): ReadonlySet<string> {
  const definitions = isJsonObject(document as JsonValue) ? (document as JsonObject)["$defs"] : undefined;
  return new Set(isJsonObject(definitions) ? Object.keys(definitions) : []);
}

/**
 * Findings about stored schemas that differ from the lock: not canonical, changed, missing or extra.
 *
 * @throws CodedError MG1204 if the lock is malformed
 */
export async function verifyStore(schemaDir: string): Promise<Finding[]> {
  const lock = readLock(schemaDir);
  readVocabulary(schemaDir, lock);
  const folders = revisionFolders(schemaDir);
  const names = [...new Set([...lock.keys(), ...folders])].sort(naturalCompare);
  const findings = await Promise.all(names.map((name) => verifyRevision(schemaDir, name, lock.get(name))));
  return findings.filter((finding) => finding !== undefined);
}

async function verifyRevision(
  schemaDir: string,
  revision: string,
  locked: LockedRevision | undefined,
): Promise<Finding | undefined> {
  const file = join(schemaDir, revision, "schema.json");
  const finding = (message: string, next: string): Finding => ({
    ...{ code: "MG3106", severity: "error", message, place: { file }, next },
  });
  if (!locked) {
    return finding(`revision ${revision} is not in the lock`, "Import it with `mcpgen revision add FILE`.");
  }
  if (!existsSync(file)) {
    return finding(
      `revision ${revision} is in the lock, but its folder has no schema`,
      "Restore it from version control.",
    );
  }
  return verifyStored(file, locked, "imported");
}

/** How a file relates to the file that a revision was imported from. */
export interface UpstreamVerdict extends SchemaRelation {
  readonly locked: LockedRevision;
  /** SHA-256 of the file's canonical form, with or without descriptions as in the stored schema. */
  readonly canonical: string;
  /** Another stored revision with this content. */
  readonly contentOf?: string;
}

/** @throws CodedError MG2010 if the revision is not in the lock */
export async function verifyUpstream(
  schemaDir: string,
  revision: string,
  source: UpstreamFile,
): Promise<UpstreamVerdict> {
  const lock = readLock(schemaDir);
  const locked = expectRevision(lock, revision);
  const { sha256: canonical, document } = await storedSchema(source, locked);
  const other = [...lock].find(([name, entry]) => name !== revision && entry.canonical === canonical);
  const file = join(schemaDir, revision, "schema.json");
  const stored: unknown = existsSync(file) ? JSON.parse(decodeText(readRegularFile(file), file)) : {};
  const found = relationTo({ sha256: source.sha256, document }, { value: stored, locked });
  return {
    ...found,
    locked,
    canonical,
    ...(other && found.relation === "different" && { contentOf: other[0] }),
  };
}
