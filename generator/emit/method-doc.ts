import type { Method } from "../model/model.js";
import { deprecationLine, docComment } from "../print/text.js";

/** The documentation comment of a method. */
export function methodDoc({ description, deprecated, see }: Method, indent = ""): string {
  return docComment([description, deprecationLine(deprecated), see && `@see ${see}`], indent);
}

/** The same without the link to the specification, which stands above the function that sends the method. */
export function methodSummary({ description, deprecated }: Method, indent = ""): string {
  return docComment([description, deprecationLine(deprecated)], indent);
}
