import type { JsonObject, Schema, Definition } from "@mcpgen/engine";
import type { ExtensionModel } from "../../model/extension-model.js";
import type { ProtocolModel, Words } from "../../model/model.js";
import type { EmittedFile } from "../../print/emitted-file.js";
import { capitalised, nameDefinitions, namesOfTypes } from "../../print/text.js";

/** Output by path, relative to the output folder, POSIX separators. */
export type Files = ReadonlyMap<string, EmittedFile>;

/** Every emitter is a pure function from its input to files. */
export type Emitter<Input> = (input: Input) => Files;

/** Input that all emitters share. */
export interface Surroundings {
  /** Folder of the files below the output folder; for protocol output, the revision. */
  readonly folder: string;
  /** Source named in the header line of files, e.g. `schema/2025-11-25`. */
  readonly origin: string;
  /** Extension of relative imports. */
  readonly importExtension: "js" | "ts";
  /**
   * Package that contains the files of the revisions and the shared files; by default they are part of the
   * output.
   */
  readonly basePackage?: string;
  /** Renders the Handlebars template of that name (user overrides included). */
  readonly render: (template: string, view: object) => string;
}

/** Input of the emitters that need only a JSON Schema: types, open, validators, explain. */
export interface SchemaInput extends Surroundings {
  readonly schema: Schema;
  /** Definitions whose code another module exports, so that none is emitted. */
  readonly imported?: Imported;
  /**
   * Whether `format` is an annotation or an assertion (for formats that the engine knows). Default: as the
   * schema's meta-schema requires, else annotation.
   */
  readonly formats?: "annotation" | "assertion";
  /** Emit validators without types. The validators then prove no type, and have no open variant. */
  readonly judgesOnly?: true;
}

/** Input of the emitters that need the protocol model: tables, stubs, vectors, PROTOCOL.md. */
export interface ModelInput extends Surroundings {
  readonly model: ProtocolModel;
  /** As in `SchemaInput`. */
  readonly imported?: Imported;
  /** The preceding revision, if it is emitted too. */
  readonly previous?: ProtocolModel;
  /** The following revision, if it is emitted too. */
  readonly next?: ProtocolModel;
  /**
   * The names that members in tables have in the vocabulary (the revision whose types handlers and clients
   * use).
   */
  readonly words?: Words;
  /** Whether the revision is older or newer than the vocabulary; undefined if it is the vocabulary. */
  readonly fromVocabulary?: "older" | "newer" | undefined;
}

/** Input for an extension over one of its bases. Some of its definitions have their code in the base. */
export interface ExtensionInput extends ModelInput {
  readonly model: ExtensionModel;
  readonly imported: Imported;
  /** The same extension over the preceding base. */
  readonly previous?: ExtensionModel;
  /** The same extension over the following base. */
  readonly next?: ExtensionModel;
}

/** Whether the input is an extension. A revision is treated as an extension without imports. */
export function isOfExtension(input: Pick<ModelInput, "model" | "imported">): input is ExtensionInput {
  return input.imported !== undefined;
}

/** Members of package.json that the configuration sets for the output. */
export type PackageManifest = JsonObject & { readonly name: string };

/** Input of the emitters whose output covers all revisions: model, authoring, index, package.json. */
export interface WorkspaceInput extends Surroundings {
  /** Oldest first. */
  readonly models: readonly ProtocolModel[];
  /**
   * Id of the vocabulary, the revision whose types handlers and clients use; default: the newest released
   * one.
   */
  readonly vocabulary?: string | undefined;
  /** Folders of extensions below the output folder, each with its bases and the roles of its channel. */
  readonly extensions?: readonly {
    readonly folder: string;
    readonly bases: readonly string[];
    readonly roles: readonly string[];
  }[];
  /** The package.json to emit, if any: its name, and members that replace or extend the default ones. */
  readonly packageManifest?: PackageManifest;
}

/** Input of the emitters that need an extension over all its bases. */
export interface WholeExtensionInput extends Surroundings {
  /** Oldest base first. */
  readonly models: readonly ExtensionModel[];
  /** Id of the base whose types handlers and clients use; default: the newest base. */
  readonly vocabulary?: string | undefined;
  readonly needs: { readonly capabilities: readonly string[]; readonly extensions: readonly string[] };
  readonly description?: string;
  readonly link?: string;
  readonly packageManifest?: PackageManifest;
}

/** Definitions of a schema whose code is in other files: those of the revision that an extension extends. */
export interface Imported {
  /** Folder of their files, below the output folder. */
  readonly folder: string;
  /** The identifiers that those files export, by the definition's name in this schema. */
  readonly identifiers: ReadonlyMap<string, string>;
}

/** The definitions that an extension imports from the files of its base. */
export function importedBy({ base, imported }: ExtensionModel): Imported {
  const identifiers = nameDefinitions(base.schema);
  return {
    folder: base.revision,
    identifiers: new Map([...imported].map(([key, name]) => [key, identifiers.get(name)!])),
  };
}

/** Path of an extension's folder below the output folder. */
export function folderOfExtension({ id }: { readonly id: string }): string {
  return `extensions/${id}`;
}

/**
 * The import specifier of a module outside `folder`: a relative path below the output folder, or an entry of
 * the package that contains it.
 *
 * @param module path below the output folder, without extension: `model`, `2026-07-28/types`
 */
export function sharedModule(
  { folder, importExtension, basePackage }: Pick<Surroundings, "folder" | "importExtension" | "basePackage">,
  module: string,
): string {
  if (basePackage !== undefined) return `${basePackage}/${module}`;
  return `${"../".repeat(folder.split("/").length)}${module}.${importExtension}`;
}

/** The definitions whose code is emitted here. */
export function ownDefinitions({ definitions }: Schema, imported: Imported | undefined): Definition[] {
  const all = [...definitions.values()];
  return imported ? all.filter(({ name }) => !imported.identifiers.has(name)) : all;
}

/**
 * Identifiers for definitions, as `nameDefinitions` gives them. An imported definition keeps its exported
 * identifier unless a local definition has it.
 */
export function localNames(schema: Schema, imported: Imported | undefined): ReadonlyMap<string, string> {
  if (!imported) return nameDefinitions(schema);
  const own = namesOfTypes(ownDefinitions(schema, imported).map(({ name }) => name));
  const taken = new Set([...own.values()].map(capitalised));
  const names = new Map(own);
  for (const [name, identifier] of imported.identifiers) {
    let local = identifier;
    while (taken.has(capitalised(local))) local = `Base${capitalised(local)}`;
    taken.add(capitalised(local));
    names.set(name, local);
  }
  return new Map([...schema.definitions.keys()].map((name) => [name, names.get(name)!]));
}

/** An import specifier: `exported`, or `exported as local` if the local name differs. */
export function importSpecifier(exported: string, local: string): string {
  return exported === local ? local : `${exported} as ${local}`;
}

/** Appends underscores to `wanted` until it is unused, and marks the result as used. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  while (taken.has(name)) name += "_";
  taken.add(name);
  return name;
}

/** The words in code that may be names. Comments, string literals, keys and members (`types.X`) do not count. */
export function wordsOf(code: string): ReadonlySet<string> {
  const aside = /\/\*[\s\S]*?\*\/|\/\/.*$|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w$]+\??:|(?<!\.\.)\.#?\w+/gm;
  return new Set(code.replace(aside, " ").match(/[\w$]+/g) ?? []);
}
