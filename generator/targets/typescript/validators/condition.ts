import type { Scalar, SchemaNode } from "@mcpgen/engine";
import { assertions } from "./assertions.js";
import { type Expression, and, call, no, not, or, weight, yes } from "./expression.js";
import { type Kind, type Shapes, kindsTest, common, everyKind, isScalar } from "./shape.js";
import { amongTest, constantCondition, ownCondition, ownKinds } from "./own.js";
import { mostCompared } from "./set-literal.js";
import type { Place } from "./unit.js";

/** Maximum number of tests in an inline union; larger unions become separate functions. */
const heaviestUnion = 12;

/** Keywords that only statements can check, with the kind of value that they apply to. */
const needStatements: ReadonlyMap<string, Kind | undefined> = new Map<string, Kind | undefined>([
  ["properties", "object"],
  ["patternProperties", "object"],
  ["additionalProperties", "object"],
  ["propertyNames", "object"],
  ["required", "object"],
  ["dependentRequired", "object"],
  ["dependentSchemas", "object"],
  ["minProperties", "object"],
  ["maxProperties", "object"],
  ["prefixItems", "array"],
  ["items", "array"],
  ["contains", "array"],
  ["unevaluatedProperties", "object"],
  ["unevaluatedItems", "array"],
  ["oneOf", undefined],
  ["if", undefined],
]);

/**
 * A condition that is true if and only if `node` accepts `subject` (a local or a probe); `undefined` if the
 * check needs statements.
 *
 * @param within the kinds that `subject` is known to have
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
  if (isStrings(node)) return call("isStrings", subject);
  if (assertions(node).some((key) => takesStatements(key, kinds))) return undefined;
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

/** Whether the node's constants already satisfy or violate all its other keywords. */
function isDecided(node: SchemaNode, place: Place): boolean {
  return (
    (node.const ?? node.enum) !== undefined &&
    !place.shapes.open &&
    place.shapes.constantsOf(node).every(isScalar)
  );
}

/** Whether the node is `{ type: array, items: { type: string } }`, which is frequent in schemas. */
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

/** Whether a keyword about values of these kinds needs statements. */
function takesStatements(key: string, kinds: ReadonlySet<Kind>): boolean {
  if (!needStatements.has(key)) return false;
  const kind = needStatements.get(key);
  return kind === undefined || kinds.has(kind);
}

/**
 * Sorts calls of type predicates to the end: a failed predicate narrows the type for later tests, possibly to
 * `never`.
 */
export function callsLast(tests: readonly Expression[]): Expression[] {
  const isCall = (test: Expression): boolean => test.kind === "call";
  return [...tests.filter((test) => !isCall(test)), ...tests.filter(isCall)];
}

/** A condition for `anyOf` whose arms can be distinguished without reading members of objects. */
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
  const listed = shapes.isOpen(node) ? [] : constantsOfArms(shapes, arms);
  if (listed.length > mostCompared) return amongTest([...new Set(listed)], subject, place);
  const tests = arms.map((arm) => condition(arm, subject, place.asTested(arms.length > 1), within));
  if (!tests.every((test) => test !== undefined)) return undefined;
  const union = shapes.isOpen(node)
    ? kindsTest(common(within, shapes.kindsOf(node)), subject)
    : or(...callsLast(tests));
  return weight(union) > heaviestUnion ? undefined : union;
}

/** The scalars of arms that only list constants. */
export function constantsOfArms(shapes: Shapes, arms: readonly SchemaNode[]): Scalar[] {
  if (arms.length <= 1) return [];
  const lists = arms.map((arm) => {
    const listsOnly =
      assertions(arm).every((key) => key === "const" || key === "enum") && !shapes.isOpen(arm);
    const values = listsOnly ? shapes.constantsOf(arm) : [];
    return values.every(isScalar) ? values : [];
  });
  return lists.every((list) => list.length > 0) ? lists.flat() : [];
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
