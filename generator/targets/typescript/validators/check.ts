import { type Scalar, type SchemaNode, type JsonValue, textOf, isJsonObject } from "@mcpgen/engine";
import { assertions } from "./assertions.js";
import { type Expression, call, compare, not } from "./expression.js";
import { condition, constantsOfArms } from "./condition.js";
import { type Kind, kindTest, everyKind } from "./shape.js";
import { amongTest, ownCondition, ownKinds } from "./own.js";
import { mostCompared } from "./set-literal.js";
import { type Head, judgeHead, plainHead, printFunction, walkerHead } from "./function.js";
import { checkItems } from "./items.js";
import { checkMembers } from "./members.js";
import { type Statement, refuseUnless, verdict, when } from "./statement.js";
import type { Place } from "./unit.js";
import { checkUnevaluated } from "./unevaluated.js";
import { isUnionOnly, unionVerdict } from "./union.js";

type Kinds = ReadonlySet<Kind>;

/**
 * Statements that return `false` unless `node` accepts `subject`, and otherwise continue.
 *
 * @param subject name of a local variable
 * @param within the kinds of value that `subject` can have after the preceding statements
 */
export function check(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: Kinds = everyKind,
): Statement[] {
  const simple = condition(node, subject, place, within);
  if (simple) return refuseUnless(simple);
  if (isUnionOnly(node, place)) return refuseUnless(split(node, subject, place));
  const unevaluated = checkUnevaluated(node, subject, place, within);
  if (unevaluated) return unevaluated;
  const { pointer, anyOf, ref } = node;
  const statements = checkOwn(node, subject, place, within);
  let left = ownKinds(node, place, within);
  for (const part of partsOf(node)) {
    const inPlace = checkInPlace(part, subject, place, left);
    statements.push(...(inPlace ?? refuseUnless(split(part, subject, place))));
    if (inPlace) left = ownKinds(part, place, left);
  }
  if (anyOf) statements.push(...refuseUnless(split({ pointer, anyOf, ...openness(node) }, subject, place)));
  statements.push(...checkLogic(node, subject, place, left));
  if (ref !== undefined) statements.push(...refuseUnless(condition({ pointer, ref }, subject, place, left)!));
  return statements;
}

/** The parts of `allOf`, without repeated references. */
function partsOf(node: SchemaNode): readonly SchemaNode[] {
  const referred = new Set([node.ref]);
  return (node.allOf ?? []).filter((part) => {
    if (part.ref === undefined || assertions(part).length > 1) return true;
    const repeated = referred.has(part.ref);
    referred.add(part.ref);
    return !repeated;
  });
}

/** The statements of a function that returns whether `node` accepts `subject`. */
export function verdictOn(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: Kinds = everyKind,
): Statement[] {
  const simple = condition(node, subject, place, within);
  if (simple) return verdict(refuseUnless(simple));
  if (isUnionOnly(node, place)) return unionVerdict(node, subject, place, within);
  return verdict(check(node, subject, place, within));
}

/** A condition for `node`; calls a separate function if an expression is not enough. */
export function conditionFor(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: Kinds = everyKind,
): Expression {
  return condition(node, subject, place, within) ?? split(node, subject, place);
}

/** A call of a new function for `node`. */
function split(node: SchemaNode, subject: string, place: Place): Expression {
  const inner = place.inOwnFunction();
  const name = place.unit.addPart(place.hint, (name) => {
    const body = verdictOn(node, "value", inner);
    return printFunction(partHead(name, inner), body);
  });
  return place.part(name, subject, inner.reachesCycle);
}

/**
 * The head of a new function. If it reaches definitions of its cycle, it has the parameters that these need.
 */
function partHead(name: string, { unit, reachesCycle }: Place): Head {
  if (!reachesCycle) return plainHead(name);
  return unit.mode === "judge" ? judgeHead(name) : walkerHead(name, unit.mode === "walk");
}

/** Checks the node's keywords except references and combinations. */
function checkOwn(node: SchemaNode, subject: string, place: Place, within: Kinds): Statement[] {
  const own = ownCondition(node, subject, place, within);
  const left = ownKinds(node, place, within);
  return [
    ...(own ? refuseUnless(own) : checkConstants(node, subject, place)),
    ...(left.has("object") ? ofKind("object", checkMembers(node, subject, place), subject, left) : []),
    ...(left.has("array") ? ofKind("array", checkItems(node, subject, place), subject, left) : []),
  ];
}

/** Checks `const` and `enum` with objects or arrays among their values. */
function checkConstants(node: SchemaNode, subject: string, place: Place): Statement[] {
  const values = place.shapes.constantsOf(node);
  if (values.length > mostCompared) {
    const texts = place.unit.parts.ofValues(values.map(textOf));
    return refuseUnless(call(`${texts}.has`, `textOf(${subject})`));
  }
  const arms = values.map((value) => constantSchema(value, node.pointer));
  return refuseUnless(split({ pointer: node.pointer, anyOf: arms }, subject, place));
}

/**
 * Wraps `statements`, which require that `subject` is of `kind`, in a test for that kind unless it is known.
 */
function ofKind(kind: Kind, statements: Statement[], subject: string, within: Kinds): Statement[] {
  return within.size === 1 ? statements : when(kindTest(kind, subject), statements);
}

/**
 * Checks a part of `allOf` in place if it concerns the same kind of value; otherwise calls a separate
 * function.
 */
function checkInPlace(
  part: SchemaNode,
  subject: string,
  place: Place,
  within: Kinds,
): Statement[] | undefined {
  const simple = condition(part, subject, place, within);
  if (simple) return refuseUnless(simple);
  return within.size === 1 && part.ref === undefined ? check(part, subject, place, within) : undefined;
}

function checkLogic(node: SchemaNode, subject: string, place: Place, within: Kinds): Statement[] {
  const statements: Statement[] = [];
  const tested = place.asTested();
  if (node.oneOf) statements.push(...checkOneOf(node, subject, place, within));
  if (node.not)
    statements.push(...refuseUnless(not(conditionFor(node.not, subject, tested.under("excluded"), within))));
  if (node.if && (node.then || node.else)) {
    const chosen = conditionFor(node.if, subject, tested.under("if"), within);
    const inside = condition(node.if, subject, place, within) ? ownKinds(node.if, place, within) : within;
    if (node.then) {
      statements.push(
        ...when(chosen, refuseUnless(conditionFor(node.then, subject, place.under("then"), inside))),
      );
    }
    if (node.else) {
      statements.push(
        ...when(not(chosen), refuseUnless(conditionFor(node.else, subject, place.under("else"), within))),
      );
    }
  }
  return statements;
}

function checkOneOf(node: SchemaNode, subject: string, place: Place, within: Kinds): Statement[] {
  const arms = node.oneOf!;
  if (place.shapes.isOpen(node)) {
    return refuseUnless(split({ pointer: node.pointer, anyOf: arms, open: true }, subject, place));
  }
  const listed = constantsOfArms(place.shapes, arms);
  if (listed.length > mostCompared) return refuseUnless(amongTest(withoutRepeated(listed), subject, place));
  const tested = place.asTested();
  const count = place.scope.local("matching");
  const tally: Statement = { kind: "plain", text: `${count}++` };
  return [
    { kind: "plain", text: `let ${count} = 0` },
    ...arms.flatMap((arm) => when(conditionFor(arm, subject, tested, within), [tally])),
    ...refuseUnless(compare(count, "===", "1")),
  ];
}

/** The values without duplicates. */
function withoutRepeated(values: readonly Scalar[]): Scalar[] {
  const counts = new Map<Scalar, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].filter(([, count]) => count === 1).map(([value]) => value);
}

function openness(node: SchemaNode): { open?: true } {
  return node.open ? { open: true } : {};
}

/** A schema that accepts only `value`, in keywords that need no comparison of objects or arrays. */
function constantSchema(value: JsonValue, pointer: string): SchemaNode {
  if (Array.isArray(value)) {
    const prefixItems = value.map((item) => constantSchema(item, pointer));
    return { pointer, types: ["array"], prefixItems, minItems: value.length, maxItems: value.length };
  }
  if (!isJsonObject(value)) return { pointer, const: { value } };
  const names = Object.keys(value);
  const properties = new Map(names.map((name) => [name, constantSchema(value[name]!, pointer)]));
  return { pointer, types: ["object"], properties, required: names, maxProperties: names.length };
}
