import type { Definition, Schema } from "@mcpgen/engine";
import type { Emitter, SchemaInput } from "../emitter.js";
import { nameDefinitions } from "../names.js";
import { docComment } from "../text.js";
import { isInterface } from "./declaration.js";
import { type Member, deprecation, indexSignature, membersOf, printBody } from "./object.js";
import { assigned, interfaceHead, settled } from "./layout.js";
import { type TypeNames, printType } from "./print.js";

/** `types.ts`: one exported type for each definition, named as in the schema. */
export const emitTypes: Emitter<SchemaInput> = ({ schema, folder, origin, render }) => {
  const names = nameDefinitions(schema);
  const definitions = [...schema.definitions.values()].map((definition) => ({
    doc: documentation(definition),
    declaration: declare(definition, schema, names),
  }));
  const content = render("types.ts", { origin, definitions });
  return new Map([[`${folder}/types.ts`, settled(content)]]);
};

function documentation({ node, see = [] }: Definition): string {
  return docComment([node.description, deprecation(node), ...see.map((page) => `@see ${page}`)]);
}

function declare(definition: Definition, schema: Schema, names: TypeNames): string {
  const identifier = names.get(definition.name)!;
  if (!isInterface(definition))
    return assigned(`export type ${identifier} =`, printType(definition.node, names), "");
  const bases = (definition.extends ?? []).map((base) => names.get(base)!);
  return `${interfaceHead(identifier, bases)} ${ownBody(definition, schema, names)}`;
}

/** The members that the definition's bases do not already declare in the same way. */
function ownBody(definition: Definition, schema: Schema, names: TypeNames): string {
  const members = membersOf(definition.node, names, "  ");
  const index = indexSignature(definition.node, names, "  ");
  const inherited = new Map<string, string>();
  const inheritedIndex = new Set<string | undefined>();
  for (const base of definition.extends ?? []) {
    const { node } = schema.definitions.get(base)!;
    for (const member of membersOf(node, names, "  ")) inherited.set(member.name, signature(member));
    inheritedIndex.add(indexSignature(node, names, "  "));
  }
  const own = members.filter((member) => inherited.get(member.name) !== signature(member));
  return printBody(own, inheritedIndex.has(index) ? undefined : index, "", true);
}

function signature({ optional, type }: Member): string {
  return `${optional ? "?" : ""}: ${type}`;
}
