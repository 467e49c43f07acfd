import { type Definition, type Schema, naturalCompare } from "@mcpgen/engine";
import type { Emitter, SchemaInput } from "../emitter.js";
import { importSpecifier, localNames, ownDefinitions, sharedModule, wordsOf } from "../imported.js";
import { deprecationLine, docComment } from "../../print/text.js";
import { printable } from "./breadth.js";
import { isInterface } from "./declaration.js";
import { printableBases } from "./extends.js";
import {
  type InterfaceMember,
  type TypeNames,
  indexSignature,
  membersOf,
  printBody,
  printType,
} from "./print.js";
import { assigned, importTypes, interfaceHead, settled } from "./layout.js";

/** `types.ts`: one exported type for each definition, named as in the schema. */
export const emitTypes: Emitter<SchemaInput> = (input) => {
  const { schema: exact, imported, folder, origin, render } = input;
  const schema = printable(exact);
  const names = localNames(schema, imported);
  const definitions = ownDefinitions(schema, imported).map((definition) => ({
    doc: documentation(definition),
    declaration: declare(definition, schema, names),
  }));
  const code = definitions.map(({ declaration }) => declaration).join("\n");
  const content = render("types.ts", { origin, imports: importOf(input, names, code), definitions });
  return new Map([[`${folder}/types.ts`, settled(content)]]);
};

/** The types of others that the code uses; nothing if there are none. */
function importOf(input: SchemaInput, names: TypeNames, code: string): string {
  const { imported } = input;
  if (!imported) return "";
  const used = wordsOf(code);
  const specifiers = [...imported.identifiers]
    .filter(([name]) => used.has(names.get(name)!))
    .map(([name, identifier]) => importSpecifier(identifier, names.get(name)!));
  const from = sharedModule(input, `${imported.folder}/types`);
  return importTypes(specifiers.sort(naturalCompare), from);
}

function documentation({ node, see = [] }: Definition): string {
  return docComment([
    node.description,
    deprecationLine(node.deprecated),
    ...see.map((page) => `@see ${page}`),
  ]);
}

function declare(definition: Definition, schema: Schema, names: TypeNames): string {
  const identifier = names.get(definition.name)!;
  if (!isInterface(definition))
    return assigned(`export type ${identifier} =`, printType(definition.node, names), "");
  const bases = printableBases(definition, schema);
  const head = interfaceHead(
    identifier,
    bases.map(({ name }) => names.get(name)!),
  );
  return `${head} ${ownBody(definition, bases, names)}`;
}

/** The members that the definition's bases do not already declare in the same way. */
function ownBody({ node }: Definition, bases: readonly Definition[], names: TypeNames): string {
  const index = indexSignature(node, names, "  ");
  const inherited = inheritedMembers(bases, names);
  const own = membersOf(node, names, "  ").filter(
    (member) => inherited.get(member.name) !== signature(member),
  );
  const isInherited = bases.some((base) => indexSignature(base.node, names, "  ") === index);
  return printBody(own, isInherited ? undefined : index, "", true);
}

/** The members that the bases declare; one on which they differ has to be declared again. */
function inheritedMembers(bases: readonly Definition[], names: TypeNames): Map<string, string> {
  const inherited = new Map<string, string>();
  for (const { node } of bases) {
    for (const member of membersOf(node, names, "  ")) {
      const known = inherited.get(member.name);
      inherited.set(member.name, known === undefined || known === signature(member) ? signature(member) : "");
    }
  }
  return inherited;
}

function signature({ optional, type }: InterfaceMember): string {
  return `${optional ? "?" : ""}: ${type}`;
}
