import type { JsonObject } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { loadJson } from "../../files/json-file.js";
import { readExtensionFile, extensionKey, filesOf, newestExtensions } from "../extension-store.js";
import { expectDefinitions, loadBases } from "./bases.js";
import { readOwnModel } from "./own-model.js";

/** Whether a stored extension compiles over a revision. */
export interface TriedExtension {
  /** `ID@VERSION` of the newest version. */
  readonly extension: string;
  /** Path of its extension.json. */
  readonly file: string;
  /** Whether the revision is one of its bases. */
  readonly isBase: boolean;
  /** The error if it does not compile. */
  readonly error?: CodedError;
}

/**
 * Compiles the newest version of each stored extension over a stored revision. Writes nothing.
 *
 * @throws CodedError if the revision cannot be read
 */
export async function tryExtensions(schemaDir: string, revision: string): Promise<readonly TriedExtension[]> {
  const extensions = newestExtensions(schemaDir);
  if (extensions.length === 0) return [];
  // Without notes: those of a revision that was just replaced may still refer to the previous schema.
  const bases = await loadBases(schemaDir, [revision], schemaDir, { notes: false });
  const [base] = bases;
  const tried: TriedExtension[] = [];
  for (const stored of extensions) {
    const { extension: file, schema: schemaFile } = filesOf(stored);
    const about = { extension: extensionKey(stored), file };
    let isBase = false;
    try {
      isBase = (await readExtensionFile(await loadJson(file))).bases.includes(revision);
      const schema = await loadJson(schemaFile);
      const document = schema.value as JsonObject;
      expectDefinitions(document, bases, schemaFile);
      await readOwnModel(schema, document, base!.model, base!.document);
      tried.push({ ...about, isBase });
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      tried.push({ ...about, isBase, error });
    }
  }
  return tried;
}
