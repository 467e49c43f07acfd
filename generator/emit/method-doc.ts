import type { Method } from "../model/model.js";
import { deprecationLine, docComment } from "../print/text.js";

/** The documentation comment of a method. */
export function methodDoc({ description, deprecated, see }: Method, indent = ""): string {
  return docComment([description, deprecationLine(deprecated), see && `@see ${see}`], indent);
}

/**
 * The documentation comment without the link to the specification, which the function that sends the method
 * has.
 */
export function methodSummary({ description, deprecated }: Method, indent = ""): string {
  return docComment([description, deprecationLine(deprecated)], indent);
}
