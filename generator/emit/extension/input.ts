import type { ExtensionModel } from "../../model/extension-model.js";
import { nameDefinitions } from "../../print/names.js";
import type { PackageManifest, Surroundings } from "../emitter.js";
import type { Imported } from "../imported.js";

/** Input of the emitters of an extension over all its bases. */
export interface WholeExtensionInput extends Surroundings {
  /** Oldest base first. */
  readonly models: readonly ExtensionModel[];
  /** Id of the revision that handlers write and clients read; without it, the newest base. */
  readonly vocabulary?: string | undefined;
  readonly needs: { readonly capabilities: readonly string[]; readonly extensions: readonly string[] };
  readonly description?: string;
  readonly link?: string;
  readonly packageManifest?: PackageManifest;
}

/** What an extension takes from the files of its base. */
export function importedBy({ base, imported }: ExtensionModel): Imported {
  const identifiers = nameDefinitions(base.schema);
  return {
    folder: base.revision,
    identifiers: new Map([...imported].map(([key, name]) => [key, identifiers.get(name)!])),
  };
}

/** The folder of an extension, below the output folder. */
export function folderOfExtension({ id }: { readonly id: string }): string {
  return `extensions/${id}`;
}
