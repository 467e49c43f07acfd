import type { SchemaNode, TypeName } from "@mcpgen/engine";
import { type Expression, and, call, compare, no, not, or, weight, yes } from "./expression.js";
import { type Kind, type Scalar, assertions, isScalar, kindOfType, kindOfValue } from "./shape.js";
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
 */
export function condition(node: SchemaNode, subject: string, place: Place): Expression | undefined {
  const { shapes } = place;
  if (node.never) return no;
  if (shapes.isTrivial(node)) return yes;
  if (isStrings(node)) return place.prelude("strings", subject);
  const kinds = shapes.kindsOf(node);
  if (kinds.size === 0) return no;
  if (assertions(node).some((key) => needStatements.has(key) && concerns(key, kinds))) return undefined;
  const own = ownCondition(node, subject, place);
  if (!own) return undefined;
  const parts: Expression[] = [own];
  for (const part of node.allOf ?? []) {
    const condition_ = condition(part, subject, place);
    if (!condition_) return undefined;
    parts.push(condition_);
  }
  for (const part of [unionCondition(node, subject, place), exclusion(node, subject, place)]) {
    if (!part) return undefined;
    parts.push(part);
  }
  if (node.ref !== undefined && !shapes.isTrivial(shapes.definition(node.ref))) {
    parts.push(place.definition(node.ref, subject));
  }
  return and(...parts);
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

/** Type, constants and the keywords of scalars. */
export function ownCondition(node: SchemaNode, subject: string, place: Place): Expression | undefined {
  if (node.const || node.enum) return constantCondition(node, subject, place);
  const only = node.types?.length === 1 ? node.types[0]! : undefined;
  const limits = [
    ...numberLimits(node, subject),
    ...stringLimits(node, subject, place),
    ...arrayLimits(node, subject, place),
  ];
  const relevant = limits.filter(
    ({ kind }) => !node.types || node.types.some((type) => kindOfType(type) === kind),
  );
  const parts = relevant.map(({ kind, holds }) => {
    if (only) return holds;
    return or(not(kindTest(kind, subject, place)), kind === "number" ? and(finite(subject), holds) : holds);
  });
  return and(node.types ? typesTest(node, subject, place, relevant.length > 0) : yes, ...parts);
}

interface Limit {
  readonly kind: Kind;
  readonly holds: Expression;
}

function numberLimits(node: SchemaNode, subject: string): Limit[] {
  const limits: Expression[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined) limits.push(compare(subject, ">=", String(minimum)));
  if (maximum !== undefined) limits.push(compare(subject, "<=", String(maximum)));
  if (exclusiveMinimum !== undefined) limits.push(compare(subject, ">", String(exclusiveMinimum)));
  if (exclusiveMaximum !== undefined) limits.push(compare(subject, "<", String(exclusiveMaximum)));
  if (multipleOf !== undefined) limits.push(call("Number.isInteger", [subject, ` / ${multipleOf}`]));
  return limits.length > 0 ? [{ kind: "number", holds: and(...limits) }] : [];
}

function stringLimits(node: SchemaNode, subject: string, place: Place): Limit[] {
  const limits: Expression[] = [];
  const length = `lengthOf(${subject})`;
  if (node.minLength) limits.push(compare(length, ">=", String(node.minLength)));
  if (node.maxLength !== undefined) limits.push(compare(length, "<=", String(node.maxLength)));
  if (limits.length > 0) place.preludeName("lengthOf");
  if (node.pattern !== undefined) limits.push(patternTest(node.pattern, subject, place));
  return limits.length > 0 ? [{ kind: "string", holds: and(...limits) }] : [];
}

function arrayLimits(node: SchemaNode, subject: string, place: Place): Limit[] {
  const limits: Expression[] = [];
  if (node.minItems) limits.push(compare(`${subject}.length`, ">=", String(node.minItems)));
  if (node.maxItems !== undefined) limits.push(compare(`${subject}.length`, "<=", String(node.maxItems)));
  if (node.uniqueItems) limits.push(place.prelude("distinct", subject));
  return limits.length > 0 ? [{ kind: "array", holds: and(...limits) }] : [];
}

/** Whether the text `subject` matches `pattern`, which becomes a constant of the unit. */
export function patternTest(pattern: string, subject: string, place: Place): Expression {
  return call(`${place.unit.patterns.nameOf(pattern)}.test`, subject);
}

/** Only members of `types` that are scalars or bare objects and arrays. */
function typesTest(node: SchemaNode, subject: string, place: Place, narrowing: boolean): Expression {
  const types = node.types!;
  const single = types.length === 1;
  return or(
    ...types
      .filter((type) => type !== "integer" || !types.includes("number"))
      .map((type) => {
        // TypeScript learns nothing from Number.isInteger, and what follows orders a number.
        const asNumber = single && narrowing && (type === "integer" || type === "number");
        return asNumber
          ? and(compare(["typeof ", subject], "===", '"number"'), typeTest(type, subject, place))
          : typeTest(type, subject, place);
      }),
  );
}

export function typeTest(type: TypeName, subject: string, place: Place): Expression {
  if (type === "integer") return call("Number.isInteger", subject);
  return type === "number" ? finite(subject) : kindTest(type, subject, place);
}

export function kindTest(kind: Kind, subject: string, place: Place): Expression {
  switch (kind) {
    case "array":
      return call("Array.isArray", subject);
    case "object":
      return place.prelude("record", subject);
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
export function kindsTest(kinds: Iterable<Kind>, subject: string, place: Place): Expression {
  return or(
    ...[...kinds].map((kind) => (kind === "number" ? finite(subject) : kindTest(kind, subject, place))),
  );
}

function constantCondition(node: SchemaNode, subject: string, place: Place): Expression | undefined {
  const values = acceptedConstants(node, place);
  if (place.shapes.isOpen(node)) return kindsTest(new Set(values.map(kindOfValue)), subject, place);
  if (!values.every(isScalar)) return undefined;
  return or(...values.map((value) => compare(subject, "===", literal(value))));
}

/** The values that `const`, `enum` and `type` leave and the other keywords of scalars do not refuse. */
export function acceptedConstants(node: SchemaNode, place: Place) {
  const candidates = node.const ? [node.const.value] : node.enum!;
  return candidates.filter((value) => place.shapes.leavesConstant(node, value));
}

export function literal(value: Scalar): string {
  return Object.is(value, -0) ? "0" : JSON.stringify(value);
}

/** `anyOf` whose arms are told apart without looking into objects. */
function unionCondition(node: SchemaNode, subject: string, place: Place): Expression | undefined {
  if (!node.anyOf) return yes;
  const { shapes } = place;
  const arms = place.arms(node.anyOf);
  const objects = arms.filter((arm) => shapes.kindsOf(arm).has("object"));
  if (objects.length > 1 || (arms.length > 1 && arms.some((arm) => place.mentionsCycle(arm))))
    return undefined;
  if (shapes.isOpen(node) && objects.length > 0) return undefined;
  const tests = arms.map((arm) => condition(arm, subject, place.asTested(arms.length > 1)));
  if (!tests.every((test) => test !== undefined)) return undefined;
  const union = shapes.isOpen(node) ? kindsTest(shapes.kindsOf(node), subject, place) : or(...tests);
  return weight(union) > heaviestUnion ? undefined : union;
}

function exclusion(node: SchemaNode, subject: string, place: Place): Expression | undefined {
  if (!node.not) return yes;
  const excluded = condition(node.not, subject, place.asTested());
  return excluded && not(excluded);
}
