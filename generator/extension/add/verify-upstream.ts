import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { loadJson } from "../../files/json-file.js";
import { sha256 } from "../../files/sha256.js";
import { type LockedExtension, readExtensionLock, readLock } from "../../revision/lock.js";
import { revisionsFolder } from "../../revision/revisions-folder.js";
import { canonicalDocument } from "../../revision/schema-source.js";
import type { UpstreamFile } from "../../revision/source.js";
import { canonicalExtension } from "../canonical/canonical-extension.js";
import { readExtensionFile } from "../extension-file.js";
import { type StoredExtension, extensionKey, filesOf, storedText } from "../extension-store.js";
import { loadBases } from "./bases.js";

/** How a file relates to the one that an extension came from. */
export interface ExtensionVerdict {
  /** The same bytes; other bytes of the same canonical form; another schema. */
  readonly relation: "same-file" | "same-meaning" | "different";
  readonly locked: LockedExtension | undefined;
  /** The file in canonical form, over the bases of the stored extension. */
  readonly document: JsonObject;
  /** Names of definitions that only one side has. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Compares a file with a stored extension; errors as `readSource` and `canonicalDocument`. */
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
  const canonical = canonicalExtension(document, [...loaded].reverse(), [
    ...readLock(revisionsFolder(schemaDir)).keys(),
  ]);
  const locked = readExtensionLock(schemaDir).get(extensionKey(stored));
  const before = new Set(Object.keys(definitionsOf(value as JsonObject)));
  const after = new Set(Object.keys(definitionsOf(canonical.document)));
  return {
    relation:
      source.sha256 === locked?.upstream?.sha256
        ? "same-file"
        : sha256(storedText(canonical.document)) === locked?.canonical
          ? "same-meaning"
          : "different",
    locked,
    document: canonical.document,
    added: [...after].filter((name) => !before.has(name)),
    removed: [...before].filter((name) => !after.has(name)),
  };
}

/** Whether the stored schema keeps the prose of its file. */
export function hasProse(text: string): boolean {
  return text.includes('"description":') || text.includes('"title":');
}

function definitionsOf({ $defs }: JsonObject): JsonObject {
  return isJsonObject($defs) ? $defs : {};
}
