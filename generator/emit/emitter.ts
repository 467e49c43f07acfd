import type { JsonObject, Schema, Definition } from "@mcpgen/engine";
import type { ExtensionModel } from "../model/extension-model.js";
import type { ProtocolModel, Words } from "../model/model.js";
import type { EmittedFile } from "../print/emitted-file.js";
import { capitalised, nameDefinitions, namesOfTypes } from "../print/text.js";

/** Output by path, relative to the output folder, POSIX separators. */
export type Files = ReadonlyMap<string, EmittedFile>;

/** Every emitter: a pure function from what it reads to files. */
export type Emitter<Input> = (input: Input) => Files;

/** What all emitters are given besides their subject. */
export interface Surroundings {
  /** Folder of the files, below the output folder; the revision for protocol output. */
  readonly folder: string;
  /** What the output is made from, for the header line, e.g. `schema/2025-11-25`. */
  readonly origin: string;
  /** Extension of relative imports. */
  readonly importExtension: "js" | "ts";
  /** Package that has the files of the revisions and those that all share; by default they are part of the output. */
  readonly basePackage?: string;
  /** Lays out a file with the Handlebars template of that name (user overrides included). */
  readonly render: (template: string, view: object) => string;
}

/** Input of the emitters that know JSON Schema alone: types, open, validators, explain. */
export interface SchemaInput extends Surroundings {
  readonly schema: Schema;
  /** Definitions of the schema for which nothing is emitted: others export their code. */
  readonly imported?: Imported;
  /**
   * Whether `format` only describes or is asserted (the formats that the engine knows); by default what the
   * schema's own meta-schema asks for, else it describes.
   */
  readonly formats?: "annotation" | "assertion";
  /** Validators only judge: no types are emitted beside them that they could prove, and nothing is read openly. */
  readonly judgesOnly?: true;
}

/** Input of the emitters that know the protocol: tables, stubs, vectors, PROTOCOL.md. */
export interface ModelInput extends Surroundings {
  readonly model: ProtocolModel;
  /** As in `SchemaInput`. */
  readonly imported?: Imported;
  /** The revision before it, if that is emitted too. */
  readonly previous?: ProtocolModel;
  /** The revision after it. */
  readonly next?: ProtocolModel;
  /** What the revision that handlers write and clients read calls members that tables name. */
  readonly words?: Words;
  /** On which side it is of the revision that handlers write and clients read; without it, it is that one. */
  readonly fromVocabulary?: "older" | "newer" | undefined;
}

/** The same of an extension over one of its bases: the base has the code of some of its definitions. */
export interface ExtensionInput extends ModelInput {
  readonly model: ExtensionModel;
  readonly imported: Imported;
  /** The extension over the base before it. */
  readonly previous?: ExtensionModel;
  /** The extension over the base after it. */
  readonly next?: ExtensionModel;
}

/** A revision is an extension without imports. */
export function isOfExtension(input: Pick<ModelInput, "model" | "imported">): input is ExtensionInput {
  return input.imported !== undefined;
}

/** What a configuration says of the package.json of the output. */
export type PackageManifest = JsonObject & { readonly name: string };

/** Input of the emitters whose output covers all revisions: model, authoring, index, package.json. */
export interface WorkspaceInput extends Surroundings {
  /** Oldest first. */
  readonly models: readonly ProtocolModel[];
  /** Id of the revision that handlers write and clients read; without it, the newest that is released. */
  readonly vocabulary?: string | undefined;
  /** Folders of extensions below the output folder, with their bases and the roles of their channel. */
  readonly extensions?: readonly {
    readonly folder: string;
    readonly bases: readonly string[];
    readonly roles: readonly string[];
  }[];
  /** The package to emit a package.json for, if any: its name, and members that replace or join ours. */
  readonly packageManifest?: PackageManifest;
}

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

/** Definitions of a schema whose code stands elsewhere: those of the revision that an extension extends. */
export interface Imported {
  /** Folder of their files, below the output folder. */
  readonly folder: string;
  /** The identifiers that those files export, by the name of the definition in this schema. */
  readonly identifiers: ReadonlyMap<string, string>;
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

/**
 * The specifier of a module that is not part of what is emitted into `folder`: a file below the output folder, or an
 * entry of the package that has it.
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

/** The definitions whose code is emitted. */
export function ownDefinitions({ definitions }: Schema, imported: Imported | undefined): Definition[] {
  const all = [...definitions.values()];
  return imported ? all.filter(({ name }) => !imported.identifiers.has(name)) : all;
}

/**
 * As `nameDefinitions`. A definition that is imported keeps the identifier that it is exported under, unless an own one
 * has it.
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

/** `exported`, or `exported as local` where it has another name here. */
export function importSpecifier(exported: string, local: string): string {
  return exported === local ? local : `${exported} as ${local}`;
}

/** `wanted`, with underscores where that is taken. The name is taken then. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  while (taken.has(name)) name += "_";
  taken.add(name);
  return name;
}

/** The words of code that may be names, without comments and texts. */
export function wordsOf(code: string): ReadonlySet<string> {
  const aside = /\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w$]+\??:/g;
  return new Set(code.replace(aside, " ").match(/[\w$]+/g) ?? []);
}
