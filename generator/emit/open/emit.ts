import { type Definition, naturalCompare, reachingOpen, referencesOf } from "@mcpgen/engine";
import type { Emitter, SchemaInput } from "../emitter.js";
import { capitalised, nameDefinitions } from "../../print/names.js";
import { docComment, propertyKey } from "../../print/text.js";
import { printable } from "../types/breadth.js";
import { isInterface } from "../types/declaration.js";
import { assigned, importTypes, interfaceHead, settled } from "../types/layout.js";
import { type TypeNames, indexSignature, membersOf, printBody, printType } from "../types/print.js";
import { openReading } from "./open-schema.js";

/**
 * `open.ts`: for each definition that reaches a union or string set to which later revisions may add, the
 * type of what a tolerant reader takes.
 */
export const emitOpen: Emitter<SchemaInput> = ({ schema, folder, origin, importExtension, render }) => {
  const exact = nameDefinitions(schema);
  const open = reachingOpen(schema);
  const reading = openReading(printable(schema), open);
  const names = localNames(exact, open);
  const referred = new Set<string>();
  const imported = (name: string): string => {
    const identifier = exact.get(name)!;
    return names.get(name) === identifier ? identifier : `${identifier} as ${names.get(name)!}`;
  };
  const definitions = [...reading.definitions.values()].map(({ name, node, ...definition }) => {
    for (const reference of referencesOf(node)) if (!open.has(reference)) referred.add(reference);
    const identifier = names.get(name)!;
    return {
      key: propertyKey(name),
      identifier,
      doc: docComment([`Open reading of \`${exact.get(name)!}\`.`]),
      declaration: declare({ ...definition, name, node }, identifier, names),
    };
  });
  // Some keywords that refer, such as `not`, say nothing about the type.
  const printed = wordsOf(definitions.map(({ declaration }) => declaration));
  const imports = [...referred].filter((name) => printed.has(names.get(name)!)).map(imported);
  const exactTypes = importTypes(imports.sort(naturalCompare), `./types.${importExtension}`);
  const view = { origin, imports: exactTypes, definitions };
  return new Map([[`${folder}/open.ts`, settled(render("open.ts", view))]]);
};

/** The names that declarations refer to, read from their text without keys, strings and comments. */
function wordsOf(declarations: readonly string[]): ReadonlySet<string> {
  const aside = /\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w$]+\??:/g;
  return new Set(declarations.flatMap((text) => text.replace(aside, " ").match(/[\w$]+/g) ?? []));
}

function declare(definition: Definition, identifier: string, names: TypeNames): string {
  const { node } = definition;
  if (!isInterface(definition)) return assigned(`export type ${identifier} =`, printType(node, names), "");
  const body = printBody(membersOf(node, names, "  "), indexSignature(node, names, "  "), "", true);
  return `${interfaceHead(identifier, [])} ${body}`;
}

/** Names that open.ts itself declares (templates/open.ts.hbs). */
const declared = ["Members", "Open", "OpenDefinitions", "Unlisted", "UnlistedArm", "unlisted"];

/** What each definition is called in open.ts, where open readings go before imported names. */
function localNames(exact: TypeNames, open: ReadonlySet<string>): TypeNames {
  const taken = new Set(declared);
  const names = new Map<string, string>();
  const take = (name: string, wanted: string): void => {
    let identifier = wanted;
    while (taken.has(identifier)) identifier += "_";
    taken.add(identifier);
    names.set(name, identifier);
  };
  for (const [name, identifier] of exact) if (open.has(name)) take(name, `Open${capitalised(identifier)}`);
  for (const [name, identifier] of exact) if (!open.has(name)) take(name, identifier);
  return names;
}
