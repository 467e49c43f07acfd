import type { Definition } from "@mcpgen/engine";
import { assigned, interfaceHead } from "./layout.js";
import {
  type TypeNames,
  indexSignature,
  isConstrainedToObjects,
  membersOf,
  printBody,
  printType,
} from "./print.js";

/** Whether the definition is an object and nothing else, so that an interface can describe it. */
export function isInterface({ node }: Definition): boolean {
  const onlyObject = node.types?.length === 1 ? node.types[0] === "object" : isConstrainedToObjects(node);
  const combined =
    node.ref ?? node.allOf ?? node.anyOf ?? node.oneOf ?? node.const ?? node.enum ?? node.typeText;
  const isObjectType = node.additionalProperties?.always === true && node.properties?.size === 0;
  return onlyObject && combined === undefined && !node.never && !isObjectType;
}

/** The declaration of the type of a definition. */
export function declare(definition: Definition, identifier: string, names: TypeNames): string {
  const { node } = definition;
  if (!isInterface(definition)) return assigned(`export type ${identifier} =`, printType(node, names), "");
  const body = printBody(membersOf(node, names, "  "), indexSignature(node, names, "  "), "", true);
  return `${interfaceHead(identifier, [])} ${body}`;
}
