import type { Definition, Schema } from "@mcpgen/engine";
import type { ExtensionModel } from "../model/extension-model.js";
import { capitalised, nameDefinitions, namesOfTypes } from "../print/text.js";
import type { Surroundings } from "./emitter.js";

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
