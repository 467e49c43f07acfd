import type { Definition } from "@mcpgen/engine";
import { isConstrainedToObjects } from "./print.js";

/** Whether the definition is an object and nothing else, so that an interface can describe it. */
export function isInterface({ node }: Definition): boolean {
  const onlyObject = node.types?.length === 1 ? node.types[0] === "object" : isConstrainedToObjects(node);
  const combined =
    node.ref ?? node.allOf ?? node.anyOf ?? node.oneOf ?? node.const ?? node.enum ?? node.typeText;
  const isObjectType = node.additionalProperties?.always === true && node.properties?.size === 0;
  return onlyObject && combined === undefined && !node.never && !isObjectType;
}
