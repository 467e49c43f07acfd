import type { Definition } from "@mcpgen/engine";
import { deprecationLine, docComment } from "../../print/text.js";
import { printable } from "../../emit/types/breadth.js";
import { isInterface } from "../../emit/types/declaration.js";
import { assigned, interfaceHead } from "../../emit/types/layout.js";
import { type TypeNames, indexSignature, membersOf, printBody, printType } from "../../emit/types/print.js";
import type { TypeRoot } from "./tool-types.js";

/**
 * Declarations of roots and of all they refer to, as types of the protocol are printed.
 *
 * @param names a type's name for each definition, by root
 */
export function printedDeclarations(
  roots: readonly TypeRoot[],
  names: ReadonlyMap<string, TypeNames>,
): string {
  return roots
    .flatMap(({ name, schema: exact }) => {
      const schema = printable(exact);
      const root: Definition = { name, node: schema.root ?? { pointer: "" } };
      const types = names.get(name)!;
      const definitions = [...schema.definitions.values()];
      return [
        declaration(root, name, types),
        ...definitions.map((each) => declaration(each, types.get(each.name)!, types)),
      ];
    })
    .join("\n");
}

function declaration(definition: Definition, identifier: string, names: TypeNames): string {
  const { node } = definition;
  const doc = docComment([node.description, deprecationLine(node.deprecated)]);
  if (!isInterface(definition))
    return doc + assigned(`export type ${identifier} =`, printType(node, names), "");
  const body = printBody(membersOf(node, names, "  "), indexSignature(node, names, "  "), "", true);
  return `${doc}${interfaceHead(identifier, [])} ${body}`;
}
