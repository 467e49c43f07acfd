import type { JsonObject } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { loadJson } from "../../files/json-file.js";
import { readExtensionFile, extensionKey, filesOf, newestExtensions } from "../extension-store.js";
import { expectDefinitions, loadBases } from "./bases.js";
import { readOwnModel } from "./own-model.js";

/** Whether a stored extension compiles over a revision. */
export interface TriedExtension {
  /** `ID@VERSION`, the newest version. */
  readonly extension: string;
  /** Its extension.json. */
  readonly file: string;
  /** The revision is one of its bases. */
  readonly isBase: boolean;
  /** Why it does not compile. */
  readonly error?: CodedError;
}

/**
 * Tries the newest version of each stored extension over a stored revision. Nothing is written.
 *
 * @throws CodedError where the revision cannot be read
 */
export async function tryExtensions(schemaDir: string, revision: string): Promise<readonly TriedExtension[]> {
  const extensions = newestExtensions(schemaDir);
  if (extensions.length === 0) return [];
  // The notes of a revision that was just replaced may be about the schema before.
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
