import type { JsonObject, Schema } from "@mcpgen/engine";
import type { Imported } from "./imported.js";
import type { ExtensionModel } from "../model/extension-model.js";
import type { ProtocolModel, Words } from "../model/model.js";
import type { EmittedFile } from "../print/emitted-file.js";

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
