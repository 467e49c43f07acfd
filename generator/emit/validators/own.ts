import type { Scalar, SchemaNode } from "@mcpgen/engine";
import { stringLiteral } from "../../print/text.js";
import { scannerOf, scannedFormat } from "../texts/modules.js";
import { type Expression, and, call, compare, not, or, yes } from "./expression.js";
import {
  type Kind,
  finite,
  kindTest,
  kindsTest,
  literal,
  typeTest,
  common,
  isScalar,
  kindOfType,
  kindOfValue,
  kindsOfTypes,
} from "./shape.js";
import { mostCompared } from "./set-literal.js";
import type { Place } from "./unit.js";

/** Type, constants and the keywords of scalars; what is known of the kind of `subject` is not tested again. */
export function ownCondition(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: ReadonlySet<Kind>,
): Expression | undefined {
  if (node.const || node.enum) return constantCondition(node, subject, place, within);
  const left = ownKinds(node, place, within);
  const limits = [
    ...numberLimits(node, subject),
    ...stringLimits(node, subject, place),
    ...arrayLimits(node, subject),
  ].filter(({ kind }) => left.has(kind));
  const parts = limits.map(({ kind, holds }) => {
    // TypeScript knows that a value is a number only from `typeof`, which is tested just before its limits.
    if (left.size === 1 && (kind !== "number" || node.types)) return holds;
    return or(not(kindTest(kind, subject)), kind === "number" ? and(finite(subject), holds) : holds);
  });
  return and(typesTest(node, subject, within, limits.length > 0), ...parts);
}

/** The kinds that are left once the node's own keywords have been checked, as TypeScript sees it as well. */
export function ownKinds(node: SchemaNode, place: Place, within: ReadonlySet<Kind>): ReadonlySet<Kind> {
  if (node.const || node.enum) {
    const values = place.shapes.constantsOf(node);
    return values.every(isScalar) ? common(within, new Set(values.map(kindOfValue))) : within;
  }
  return node.types ? common(within, kindsOfTypes(node.types)) : within;
}

export function constantCondition(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: ReadonlySet<Kind>,
): Expression | undefined {
  const values = place.shapes.constantsOf(node).filter((value) => within.has(kindOfValue(value)));
  if (place.shapes.isOpen(node)) return kindsTest(new Set(values.map(kindOfValue)), subject);
  if (!values.every(isScalar)) return undefined;
  return amongTest(values, subject, place);
}

/** Whether `subject` is one of `values`. */
export function amongTest(values: readonly Scalar[], subject: string, place: Place): Expression {
  if (values.length > mostCompared) return call(`${place.unit.parts.ofValues(values)}.has`, subject);
  return or(...values.map((value) => compare(subject, "===", literal(value))));
}

function typesTest(
  node: SchemaNode,
  subject: string,
  within: ReadonlySet<Kind>,
  narrowing: boolean,
): Expression {
  const { types } = node;
  if (!types || (within.size === 1 && types.some((type) => within.has(type as Kind)))) return yes;
  const possible = types.filter(
    (type) => within.has(kindOfType(type)) && (type !== "integer" || !types.includes("number")),
  );
  return or(
    ...possible.map((type) => {
      // TypeScript learns nothing from Number.isInteger, and what follows orders a number.
      const asNumber = possible.length === 1 && narrowing && kindOfType(type) === "number";
      const test = typeTest(type, subject);
      return asNumber ? and(compare(["typeof ", subject], "===", '"number"'), test) : test;
    }),
  );
}

interface Limit {
  readonly kind: Kind;
  readonly holds: Expression;
}

function numberLimits(node: SchemaNode, subject: string): Limit[] {
  const limits: Expression[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined) limits.push(compare(subject, ">=", literal(minimum)));
  if (maximum !== undefined) limits.push(compare(subject, "<=", literal(maximum)));
  if (exclusiveMinimum !== undefined) limits.push(compare(subject, ">", literal(exclusiveMinimum)));
  if (exclusiveMaximum !== undefined) limits.push(compare(subject, "<", literal(exclusiveMaximum)));
  if (multipleOf !== undefined) limits.push(call("divides", literal(multipleOf), subject));
  return limits.length > 0 ? [{ kind: "number", holds: and(...limits) }] : [];
}

function stringLimits(node: SchemaNode, subject: string, place: Place): Limit[] {
  const limits: Expression[] = [];
  const length = `lengthOf(${subject})`;
  if (node.minLength) limits.push(compare(length, ">=", String(node.minLength)));
  if (node.maxLength !== undefined) limits.push(compare(length, "<=", String(node.maxLength)));
  if (node.pattern !== undefined) limits.push(patternTest(node.pattern, subject, place));
  const format = scannedFormat(node);
  if (format !== undefined) limits.push(call(`textFormats.${scannerOf(format)}`, subject));
  return limits.length > 0 ? [{ kind: "string", holds: and(...limits) }] : [];
}

function arrayLimits(node: SchemaNode, subject: string): Limit[] {
  const limits: Expression[] = [];
  if (node.minItems) limits.push(compare(`${subject}.length`, ">=", String(node.minItems)));
  if (node.maxItems !== undefined) limits.push(compare(`${subject}.length`, "<=", String(node.maxItems)));
  if (node.uniqueItems) limits.push(call("distinct", subject));
  return limits.length > 0 ? [{ kind: "array", holds: and(...limits) }] : [];
}

/** Patterns that ask for a beginning alone, without characters that expressions give a meaning. */
const beginning = /^\^([\w !"#%&',/:;<=>@`~-]+)$/;

/** Whether the text `subject` matches `pattern`, which becomes a constant of the unit unless it asks for a beginning alone. */
export function patternTest(pattern: string, subject: string, place: Place): Expression {
  const prefix = beginning.exec(pattern)?.[1];
  if (prefix !== undefined) return call(`${subject}.startsWith`, stringLiteral(prefix));
  return call(`${place.unit.parts.ofPattern(pattern)}.test`, subject);
}
