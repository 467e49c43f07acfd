import type { SchemaNode, TypeName } from "../ir/ir.js";
import { type JsonValue, isJsonObject } from "../ir/json.js";
import { patternOf } from "../patterns/compiled.js";
import type { Check, Compiler } from "./check.js";
import { divides } from "../emitted/shared-checks.js";
import { ValueSet } from "./value-set.js";

/** The check of `type`. */
export function typeCheck(types: readonly TypeName[]): Check {
  const checks = types.map((type) => typeChecks[type]);
  const [first, second] = checks as [Check, ...Check[]];
  if (!second) return first;
  if (checks.length === 2) return (value) => first(value) || second(value);
  return (value) => checks.some((check) => check(value));
}

const typeChecks: { readonly [T in TypeName]: Check } = {
  array: (value) => Array.isArray(value),
  object: (value) => isJsonObject(value),
  null: (value) => value === null,
  integer: (value) => Number.isInteger(value),
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
};

/** The check of `const` and `enum`. */
export function memberCheck(members: readonly JsonValue[]): Check {
  const [only] = members;
  if (members.length === 1 && (typeof only !== "object" || only === null)) return (value) => value === only;
  const set = new ValueSet(members);
  return (value) => set.has(value);
}

/** The check of the number keywords; undefined if the node has no such keywords. */
export function numberCheck(node: SchemaNode): ((value: number) => boolean) | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if ((minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum ?? multipleOf) === undefined)
    return undefined;
  const least = minimum ?? -Infinity;
  const most = maximum ?? Infinity;
  const above = exclusiveMinimum ?? -Infinity;
  const below = exclusiveMaximum ?? Infinity;
  return (value) =>
    value >= least &&
    value <= most &&
    value > above &&
    value < below &&
    (multipleOf === undefined || divides(multipleOf, value));
}

/** The check of the string keywords; undefined if the node has no such keywords. */
export function stringCheck(node: SchemaNode, compiler: Compiler): ((value: string) => boolean) | undefined {
  const { minLength = 0, maxLength = Infinity } = node;
  const checks: ((value: string) => boolean)[] = [];
  if (minLength > 0 || maxLength < Infinity) checks.push((value) => hasLength(value, minLength, maxLength));
  if (node.pattern !== undefined) {
    const pattern = patternOf(node, compiler.schema);
    checks.push((value) => pattern.test(value));
  }
  const format = node.format === undefined ? undefined : compiler.format(node.format);
  if (format) checks.push(format);
  if (checks.length <= 1) return checks[0];
  return (value) => checks.every((check) => check(value));
}

/**
 * Length is counted in code points (validation, section 6.3). Counts them only if the number of UTF-16 units
 * does not decide.
 */
function hasLength(value: string, least: number, most: number): boolean {
  const units = value.length;
  if (units < least) return false;
  if (units <= most && units >= 2 * least) return true;
  let length = 0;
  for (const _ of value) length++;
  return length >= least && length <= most;
}
