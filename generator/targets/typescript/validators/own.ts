import type { Scalar, SchemaNode } from "@mcpgen/engine";
import { stringLiteral } from "../../../print/text.js";
import { scannerOf, scannedFormat } from "../texts/modules.js";
import { type Expression, and, call, compare, countLimits, not, or, yes } from "./expression.js";
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

/**
 * A condition for type, constants and the keywords of scalars. Does not repeat tests of the kind that
 * `subject` is known to have.
 */
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
    // TypeScript knows a number only from `typeof`, which must directly precede tests of its limits.
    if (left.size === 1 && (kind !== "number" || node.types)) return holds;
    return or(not(kindTest(kind, subject)), kind === "number" ? and(finite(subject), holds) : holds);
  });
  return and(typesTest(node, subject, within, limits.length > 0), ...parts);
}

/** The kinds that remain after the node's own keywords, as TypeScript narrows them. */
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

/** A test whether `subject` is one of `values`. */
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
      // Number.isInteger does not narrow the type, but the following comparisons need a number.
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
  const limits = countLimits(`lengthOf(${subject})`, node.minLength, node.maxLength);
  if (node.pattern !== undefined) limits.push(patternTest(node.pattern, subject, place));
  const format = scannedFormat(node);
  if (format !== undefined) limits.push(call(`textFormats.${scannerOf(format)}`, subject));
  return limits.length > 0 ? [{ kind: "string", holds: and(...limits) }] : [];
}

function arrayLimits(node: SchemaNode, subject: string): Limit[] {
  const limits = countLimits(`${subject}.length`, node.minItems, node.maxItems);
  if (node.uniqueItems) limits.push(call("distinct", subject));
  return limits.length > 0 ? [{ kind: "array", holds: and(...limits) }] : [];
}

/** Patterns that only require a prefix without special characters. */
const beginning = /^\^([\w !"#%&',/:;<=>@`~-]+)$/;

/**
 * A test whether the string `subject` matches `pattern`. The pattern becomes a constant unless it only
 * requires a prefix.
 */
export function patternTest(pattern: string, subject: string, place: Place): Expression {
  const prefix = beginning.exec(pattern)?.[1];
  if (prefix !== undefined) return call(`${subject}.startsWith`, stringLiteral(prefix));
  return call(`${place.unit.parts.ofPattern(pattern)}.test`, subject);
}
