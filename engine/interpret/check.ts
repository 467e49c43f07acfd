import type { Schema, SchemaNode } from "../ir/ir.js";
import type { JsonValue } from "../ir/json.js";
import type { Marks } from "./marks.js";

/** Whether a value is valid. */
export type Check = (value: JsonValue) => boolean;

/** Like `Check`, but also marks the members and items that the schema evaluates. */
export type TrackedCheck = (value: JsonValue, marks: Marks) => boolean;

/** Makes the checks of nodes. The makers of keyword checks call it for subschemas. */
export interface Compiler {
  readonly schema: Schema;
  check(node: SchemaNode): Check;
  tracked(node: SchemaNode): TrackedCheck;
  /** Returns the check of a definition. */
  reference(name: string): Check;
  trackedReference(name: string): TrackedCheck;
  /** Returns the check of a format if formats are asserted and the format is known. */
  format(name: string): ((text: string) => boolean) | undefined;
}

/** Joins checks into one that runs them in order; undefined for an empty list. */
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
