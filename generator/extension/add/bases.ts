import { type JsonObject, isJsonObject, naturalCompare } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import { loadJson } from "../../files/json-file.js";
import type { ExtensionModel } from "../../model/extension-model.js";
import type { ProtocolModel } from "../../model/model.js";
import { loadDocumentation } from "../../revision/schema-source.js";
import { type Lock, readLock, revisionsFolder, expectRevision } from "../../revision/lock.js";
import { loadRevision, storedRevision } from "../../revision/revision-source.js";
import type { ExtensionSource } from "../extension-store.js";
import { extensionOver } from "../load-extension.js";
import { referencesToBase } from "../canonical/references.js";

/** A revision that an extension extends. */
export interface LoadedBase {
  readonly revision: string;
  /** The stored schema. */
  readonly document: JsonObject;
  readonly model: ProtocolModel;
}

/**
 * Loads the revisions that an extension extends, oldest first.
 *
 * @param revisions ids; default: the newest released revision
 * @param source the extension's file, for errors
 * @param options.notes whether to apply the revisions' notes (default: true)
 * @throws CodedError MG2010 for a revision that is not stored, MG2003 if no revision is given and none is
 * released
 */
export async function loadBases(
  schemaDir: string,
  revisions: readonly string[] | undefined,
  source: string,
  options: { readonly notes?: boolean } = {},
): Promise<readonly LoadedBase[]> {
  const folder = revisionsFolder(schemaDir);
  const lock = readLock(folder);
  const wanted = revisions ?? newestReleased(lock);
  if (wanted.length === 0) {
    throw new CodedError("MG2003", "expected --base and a revision that the extension extends", {
      place: { file: source },
      next: `Name each, e.g. --base ${[...lock.keys()].at(-1)}.`,
    });
  }
  const docs = await loadDocumentation(folder);
  const names = [...new Set(wanted)].sort(naturalCompare);
  return Promise.all(
    names.map(async (revision) => {
      const { status } = expectRevision(lock, revision);
      const stored = storedRevision(folder, revision, status, options.notes ?? true);
      const { value } = await loadJson(stored.schemaFile);
      const { model } = await loadRevision(stored, docs);
      return { revision, document: value as JsonObject, model };
    }),
  );
}

/** An extension over the newest of its bases that the schema folder has; undefined if it has none. */
export async function overNewestBase(
  extension: ExtensionSource,
  schemaDir: string,
): Promise<ExtensionModel | undefined> {
  const stored = [...readLock(revisionsFolder(schemaDir)).keys()];
  const base = stored.findLast((revision) => extension.about.bases.includes(revision));
  if (base === undefined) return undefined;
  const [loaded] = await loadBases(schemaDir, [base], extension.aboutFile);
  return extensionOver(extension, loaded!.model);
}

function newestReleased(lock: Lock): string[] {
  return [...lock].flatMap(([revision, { status }]) => (status === "released" ? [revision] : [])).slice(-1);
}

/**
 * Checks that every base has the definitions that the extension refers to.
 *
 * @param source the extension's file, for errors
 * @throws CodedError MG1303
 */
export function expectDefinitions(document: JsonObject, bases: readonly LoadedBase[], source: string): void {
  for (const { reference, definition, at } of referencesToBase(document)) {
    for (const base of bases) {
      const known = isJsonObject(base.document["$defs"]) ? base.document["$defs"] : {};
      if (definition !== undefined && Object.hasOwn(known, definition)) continue;
      const suggestion = definition === undefined ? undefined : closest(definition, Object.keys(known));
      throw new CodedError("MG1303", `${base.revision} has no definition for ${reference}`, {
        place: { file: source, pointer: at },
        next:
          suggestion === undefined
            ? `Leave out --base ${base.revision}, or define it in the file.`
            : `Did you mean base#/$defs/${suggestion}? Otherwise leave out --base ${base.revision}.`,
      });
    }
  }
}
