import type { SchemaNode, TypeName } from "@mcpgen/engine";
import { type Expression, and, call, compare, no, not, or, weight, yes } from "./expression.js";
import {
  type Kind,
  type Scalar,
  assertions,
  common,
  everyKind,
  isScalar,
  kindsOfTypes,
  kindOfType,
  kindOfValue,
} from "./shape.js";
import type { Place } from "./unit.js";

/** Unions of more tests than this become functions of their own. */
const heaviestUnion = 12;

/** Keywords that only statements can check. */
const needStatements: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "additionalProperties", "propertyNames", "required"],
  ...["dependentRequired", "dependentSchemas", "minProperties", "maxProperties"],
  ...["prefixItems", "items", "contains", "minContains", "maxContains"],
  ...["oneOf", "if", "then", "else"],
]);

/**
 * A condition that holds for `subject`, a local or a probe, if and only if `node` accepts it;
 * `undefined` where that takes statements.
 *
 * @param within the kinds that `subject` is known to be of
 */
export function condition(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: ReadonlySet<Kind> = everyKind,
): Expression | undefined {
  const { shapes } = place;
  const kinds = common(within, shapes.kindsOf(node));
  if (node.never || kinds.size === 0) return no;
  if (shapes.isTrivial(node)) return yes;
  if (isDecided(node, place)) return constantCondition(node, subject, place, within);
  if (isStrings(node)) return call("strings", subject);
  if (assertions(node).some((key) => needStatements.has(key) && concerns(key, kinds))) return undefined;
  const own = ownCondition(node, subject, place, within);
  if (!own) return undefined;
  const parts = [own];
  let left = ownKinds(node, place, within);
  for (const part of node.allOf ?? []) {
    const one = condition(part, subject, place, left);
    if (!one) return undefined;
    parts.push(one);
    left = ownKinds(part, place, left);
  }
  for (const part of [unionCondition(node, subject, place, left), exclusion(node, subject, place, left)]) {
    if (!part) return undefined;
    parts.push(part);
  }
  if (node.ref !== undefined && !shapes.isTrivial(shapes.definition(node.ref))) {
    parts.push(place.definition(node.ref, subject));
  }
  return and(...parts);
}

/** Constants that leave nothing for the other keywords to decide. */
function isDecided(node: SchemaNode, place: Place): boolean {
  return (
    (node.const ?? node.enum) !== undefined &&
    !place.shapes.open &&
    place.shapes.constantsOf(node).every(isScalar)
  );
}

/** The kinds that are left once the node's own keywords have been checked, as TypeScript sees it as well. */
export function ownKinds(node: SchemaNode, place: Place, within: ReadonlySet<Kind>): ReadonlySet<Kind> {
  if (node.const || node.enum) {
    const values = place.shapes.constantsOf(node);
    return values.every(isScalar) ? common(within, new Set(values.map(kindOfValue))) : within;
  }
  return node.types ? common(within, kindsOfTypes(node.types)) : within;
}

/** `{ type: array, items: { type: string } }`, which schemas are full of. */
function isStrings(node: SchemaNode): boolean {
  const item = node.items;
  return (
    item?.types?.length === 1 &&
    item.types[0] === "string" &&
    assertions(item).length === 1 &&
    node.types?.length === 1 &&
    node.types[0] === "array" &&
    assertions(node).length === 2
  );
}

/** Whether a keyword says something about values of these kinds. */
function concerns(key: string, kinds: ReadonlySet<Kind>): boolean {
  if (/ropert|^required$|^dependent/.test(key)) return kinds.has("object");
  if (/[iI]tems$|ontains$/.test(key)) return kinds.has("array");
  return true;
}

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
  if (multipleOf !== undefined) limits.push(call("Number.isInteger", [subject, ` / ${literal(multipleOf)}`]));
  return limits.length > 0 ? [{ kind: "number", holds: and(...limits) }] : [];
}

function stringLimits(node: SchemaNode, subject: string, place: Place): Limit[] {
  const limits: Expression[] = [];
  const length = `lengthOf(${subject})`;
  if (node.minLength) limits.push(compare(length, ">=", String(node.minLength)));
  if (node.maxLength !== undefined) limits.push(compare(length, "<=", String(node.maxLength)));
  if (node.pattern !== undefined) limits.push(patternTest(node.pattern, subject, place));
  return limits.length > 0 ? [{ kind: "string", holds: and(...limits) }] : [];
}

function arrayLimits(node: SchemaNode, subject: string): Limit[] {
  const limits: Expression[] = [];
  if (node.minItems) limits.push(compare(`${subject}.length`, ">=", String(node.minItems)));
  if (node.maxItems !== undefined) limits.push(compare(`${subject}.length`, "<=", String(node.maxItems)));
  if (node.uniqueItems) limits.push(call("distinct", subject));
  return limits.length > 0 ? [{ kind: "array", holds: and(...limits) }] : [];
}

/** Whether the text `subject` matches `pattern`, which becomes a constant of the unit. */
export function patternTest(pattern: string, subject: string, place: Place): Expression {
  return call(`${place.unit.patterns.nameOf(pattern)}.test`, subject);
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

export function typeTest(type: TypeName, subject: string): Expression {
  if (type === "integer") return call("Number.isInteger", subject);
  return type === "number" ? finite(subject) : kindTest(type, subject);
}

export function kindTest(kind: Kind, subject: string): Expression {
  switch (kind) {
    case "array":
      return call("Array.isArray", subject);
    case "object":
      return call("record", subject);
    case "null":
      return compare(subject, "===", "null");
    default:
      return compare(["typeof ", subject], "===", JSON.stringify(kind));
  }
}

function finite(subject: string): Expression {
  return call("Number.isFinite", subject);
}

/** Any value of one of `kinds`. */
export function kindsTest(kinds: Iterable<Kind>, subject: string): Expression {
  return or(...[...kinds].map((kind) => (kind === "number" ? finite(subject) : kindTest(kind, subject))));
}

function constantCondition(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: ReadonlySet<Kind>,
): Expression | undefined {
  const values = place.shapes.constantsOf(node).filter((value) => within.has(kindOfValue(value)));
  if (place.shapes.isOpen(node)) return kindsTest(new Set(values.map(kindOfValue)), subject);
  if (!values.every(isScalar)) return undefined;
  return or(...values.map((value) => compare(subject, "===", literal(value))));
}

/** A type predicate that fails narrows what stands behind it, down to nothing: it has to come last. */
export function callsLast(tests: readonly Expression[]): Expression[] {
  const isCall = (test: Expression): boolean => test.kind === "call";
  return [...tests.filter((test) => !isCall(test)), ...tests.filter(isCall)];
}

/** A literal as prettier spells it. */
export function literal(value: Scalar): string {
  return typeof value === "number" ? JSON.stringify(value).replace("e+", "e") : JSON.stringify(value);
}

/** `anyOf` whose arms are told apart without looking into objects. */
function unionCondition(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: ReadonlySet<Kind>,
): Expression | undefined {
  if (!node.anyOf) return yes;
  const { shapes } = place;
  const arms = place.arms(node.anyOf);
  const objects = arms.filter((arm) => shapes.kindsOf(arm).has("object"));
  const recursive = arms.length > 1 && arms.some((arm) => place.mentionsCycle(arm));
  if (objects.length > 1 || recursive || (shapes.isOpen(node) && objects.length > 0)) return undefined;
  const tests = arms.map((arm) => condition(arm, subject, place.asTested(arms.length > 1), within));
  if (!tests.every((test) => test !== undefined)) return undefined;
  const union = shapes.isOpen(node)
    ? kindsTest(common(within, shapes.kindsOf(node)), subject)
    : or(...callsLast(tests));
  return weight(union) > heaviestUnion ? undefined : union;
}

function exclusion(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: ReadonlySet<Kind>,
): Expression | undefined {
  if (!node.not) return yes;
  const excluded = condition(node.not, subject, place.asTested(), within);
  return excluded && not(excluded);
}
