import type { Method } from "../../model/model.js";
import { deprecationLine, docComment } from "../../print/text.js";

/** The documentation comment of a method. */
export function methodDoc(method: Method, indent = ""): string {
  return docComment([...remarks(method), method.see && `@see ${method.see}`], indent);
}

/**
 * The documentation comment without the link to the specification, which the function that sends the method
 * has.
 */
export function methodSummary(method: Method, indent = ""): string {
  return docComment(remarks(method), indent);
}

function remarks({ description, deprecated }: Method): (string | undefined)[] {
  return [description, deprecationLine(deprecated)];
}
