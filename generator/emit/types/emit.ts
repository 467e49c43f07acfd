import type { Definition, Schema } from "@mcpgen/engine";
import type { Emitter, SchemaInput } from "../emitter.js";
import { nameDefinitions } from "../../print/names.js";
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
import { assigned, interfaceHead, settled } from "./layout.js";

/** `types.ts`: one exported type for each definition, named as in the schema. */
export const emitTypes: Emitter<SchemaInput> = ({ schema: exact, folder, origin, render }) => {
  const schema = printable(exact);
  const names = nameDefinitions(schema);
  const definitions = [...schema.definitions.values()].map((definition) => ({
    doc: documentation(definition),
    declaration: declare(definition, schema, names),
  }));
  const content = render("types.ts", { origin, definitions });
  return new Map([[`${folder}/types.ts`, settled(content)]]);
};

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
