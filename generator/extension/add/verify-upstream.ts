import type { JsonObject } from "@mcpgen/engine";
import { loadJson } from "../../files/json-file.js";
import { type LockedExtension, readExtensionLock, readLock, revisionsFolder } from "../../revision/lock.js";
import { type UpstreamFile, canonicalDocument } from "../../revision/schema-source.js";
import { type SchemaRelation, relationTo } from "../../revision/stored-schema.js";
import { canonicalExtension } from "../canonical/canonical-extension.js";
import { type StoredExtension, readExtensionFile, extensionKey, filesOf } from "../extension-store.js";
import { loadBases } from "./bases.js";

/** How a file relates to the file that an extension was added from. */
export interface ExtensionVerdict extends SchemaRelation {
  readonly locked: LockedExtension | undefined;
  /** The file in canonical form, over the bases of the stored extension. */
  readonly document: JsonObject;
}

/** Compares a file with a stored extension. Errors as for `readSource` and `canonicalDocument`. */
export async function verifyExtensionFile(
  schemaDir: string,
  stored: StoredExtension,
  source: UpstreamFile,
): Promise<ExtensionVerdict> {
  const files = filesOf(stored);
  const { value, text } = await loadJson(files.schema);
  const { bases } = await readExtensionFile(await loadJson(files.extension));
  const loaded = await loadBases(schemaDir, bases, files.extension);
  const document = await canonicalDocument(source, { descriptions: hasProse(text) });
  const extension = canonicalExtension(document, [...loaded].reverse(), [
    ...readLock(revisionsFolder(schemaDir)).keys(),
  ]);
  const locked = readExtensionLock(schemaDir).get(extensionKey(stored));
  const found = relationTo({ sha256: source.sha256, document: extension.document }, { value, locked });
  return { ...found, locked, document: extension.document };
}

/** Whether a stored schema contains descriptions. */
export function hasProse(text: string): boolean {
  return text.includes('"description":') || text.includes('"title":');
}
