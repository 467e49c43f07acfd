import { resolve } from "node:path";
import type { JsonValue } from "@mcpgen/engine";
import type { ExtensionOverBases } from "../../diff/extension/diff-extensions.js";
import { hasProse } from "../../extension/add/verify-upstream.js";
import { type LoadedBase, loadBases } from "../../extension/add/bases.js";
import { type ComparedExtension, comparedExtension } from "../../extension/add/compared-model.js";
import { stageExtension } from "../../extension/add/add.js";
import {
  type ExtensionSource,
  readExtension,
  readStoredExtension,
} from "../../extension/extension-source.js";
import {
  type StoredExtension,
  expectExtension,
  extensionKey,
  filesOf,
  storedExtensions,
} from "../../extension/extension-store.js";
import { type JsonFile, loadJson } from "../../files/json-file.js";
import { readLock } from "../../revision/lock.js";
import { revisionsFolder } from "../../revision/revisions-folder.js";
import { type UpstreamFile, readUpstream } from "../../revision/source.js";
import type { CommandContext } from "../context.js";
import { shownPath } from "../shown-path.js";

/** A version of an extension, over all of its bases. */
export interface ExtensionSide {
  /** `ID@VERSION`, or the file. */
  readonly name: string;
  readonly source: ExtensionSource;
  readonly models: ExtensionOverBases;
  /** Its schema. */
  readonly file: JsonFile;
  /** The path of the schema, as messages print it. */
  readonly shown: string;
}

/** Whether a name of the command line has the id of a stored extension: `ID`, or `ID@VERSION` of any version. */
export function isExtensionName(schemaDir: string, name: string): boolean {
  return storedExtensions(schemaDir).some(({ id }) => id === name || name.startsWith(`${id}@`));
}

/** Reads versions of extensions; each base is read once. */
export class ExtensionSides {
  private readonly bases = new Map<string, Promise<LoadedBase>>();
  private readonly schemaDir: string;
  private readonly context: CommandContext;

  constructor(schemaDir: string, context: CommandContext) {
    this.schemaDir = schemaDir;
    this.context = context;
  }

  /** @throws CodedError MG1306 and those of `readStoredExtension` and `comparedExtension` */
  async stored(name: string): Promise<ExtensionSide & { readonly stored: StoredExtension }> {
    const stored = expectExtension(this.schemaDir, name);
    const source = await readStoredExtension(stored, [...readLock(revisionsFolder(this.schemaDir)).keys()]);
    const { schema } = filesOf(stored);
    return {
      ...{ name: extensionKey(stored), source, stored },
      models: await this.modelsOf(source),
      file: await loadJson(schema),
      shown: shownPath(schema, this.context.directory),
    };
  }

  /**
   * A file as the next version of a stored extension would be: over the same bases, with the notes of that version as
   * far as they apply.
   */
  async published(
    name: string,
    like: StoredExtension,
    read?: UpstreamFile,
  ): Promise<ExtensionSide & { readonly dropped: readonly string[] }> {
    const { schemaDir, context } = this;
    const upstream = read ?? (await readUpstream(name, context));
    const staged = await stageExtension({
      ...{ schemaDir, source: upstream, id: like.id, version: comparedVersion, previous: like },
      descriptions: hasProse((await loadJson(filesOf(like).schema)).text),
      replace: true,
    });
    const written = (file: string): JsonFile => {
      const change = staged.changes.find(({ path }) => path.endsWith(`/${file}`));
      const text = String(change!.content);
      return { file: upstream.file, text, value: JSON.parse(text) as JsonValue };
    };
    const schema = written("schema.json");
    const source = await readExtension({
      extension: written("extension.json"),
      schema,
      notes: written("notes.json"),
    });
    return {
      ...{ name: upstream.file, source, dropped: staged.notes.dropped },
      models: await this.modelsOf(source),
      file: upstream,
      shown:
        upstream.url === undefined && upstream.file !== "standard input"
          ? shownPath(resolve(context.directory, upstream.file), context.directory)
          : upstream.file,
    };
  }

  private async modelsOf(source: ExtensionSource): Promise<ExtensionOverBases> {
    const models = new Map<string, ComparedExtension>();
    for (const revision of source.about.bases)
      models.set(revision, await comparedExtension(source, await this.base(revision)));
    return models;
  }

  private base(revision: string): Promise<LoadedBase> {
    const known =
      this.bases.get(revision) ?? loadBases(this.schemaDir, [revision], this.schemaDir).then(([one]) => one!);
    this.bases.set(revision, known);
    return known;
  }
}

/** The version that a compared file has while it is read: no stored one is called so. */
const comparedVersion = "compared-file";
