import type { Schema, SchemaNode } from "../ir/ir.js";
import type { JsonValue } from "../ir/json.js";
import type { Marks } from "./marks.js";

/** Whether a value is valid. */
export type Check = (value: JsonValue) => boolean;

/** As `Check`; also marks the members and items that the schema, or what applies with it, has judged. */
export type TrackedCheck = (value: JsonValue, marks: Marks) => boolean;

/** Makes checks of nodes; what a node is made of asks for the checks of its subschemas. */
export interface Compiler {
  readonly schema: Schema;
  check(node: SchemaNode): Check;
  tracked(node: SchemaNode): TrackedCheck;
  /** The check of a definition. */
  reference(name: string): Check;
  trackedReference(name: string): TrackedCheck;
  /** The check of a format's text, where formats are asserted and this one is known. */
  format(name: string): ((text: string) => boolean) | undefined;
}

/** All of the checks, the first ones first. */
export function every(checks: readonly Check[]): Check | undefined {
  const [first, second, third] = checks;
  if (!first || !second) return first;
  if (!third) return (value) => first(value) && second(value);
  if (checks.length === 3) return (value) => first(value) && second(value) && third(value);
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}
