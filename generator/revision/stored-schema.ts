import {
  type Dialect,
  type JsonObject,
  type JsonValue,
  canonicalise,
  dialectOf,
  isJsonObject,
  readSchema,
} from "@mcpgen/engine";
import type { Finding } from "../diagnostics/finding.js";
import { withPlainLineEnds } from "../files/line-ends.js";
import { readRegularFile } from "../files/regular-file.js";
import { decodeText } from "../files/text-file.js";
import type { JsonFile } from "../files/json-file.js";
import type { LockedExtension } from "./lock.js";
import { canonicalDocument, withPlaces } from "./schema-source.js";
import { sha256 } from "../files/sha256.js";

/** A schema document in the form it is stored in. */
export interface StoredSchema {
  readonly document: JsonObject;
  /** The content of schema.json. */
  readonly text: string;
  readonly sha256: string;
  /** The dialect the file was written in. */
  readonly dialect: Dialect;
}

/**
 * The form in which a revision's schema is stored: canonical, two spaces of indentation, final newline.
 *
 * @throws CodedError MG11xx with the place in the file when it is not a schema that can be read
 */
export async function storedSchema(
  file: JsonFile,
  options: { readonly descriptions: boolean },
): Promise<StoredSchema> {
  const document = await canonicalDocument(file, options);
  // A schema from which code could not be generated is refused here.
  await withPlaces(file, () => readSchema(document));
  const text = storedText(document);
  return { document, text, sha256: sha256(text), dialect: dialectOf(file.value as JsonObject) };
}

/** The text of a schema.json in the store: canonical, two spaces of indentation, final newline. */
export function storedText(document: object): string {
  return JSON.stringify(document, null, 2) + "\n";
}

/**
 * Compares a schema.json with its entry in the lock: unchanged, and in canonical form.
 *
 * @param came how it came into the store, in words
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
  /** The same bytes; other bytes of the same canonical form, so that only prose or formatting differ; another schema. */
  readonly relation: "same-file" | "same-meaning" | "different";
  /** Names of definitions that only one side has. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Compares a file with a stored schema.
 *
 * @param file its hash, and its canonical form
 * @param stored the schema as it stands in the store, and its entry in the lock
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
