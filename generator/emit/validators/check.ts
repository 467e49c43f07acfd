import type { SchemaNode } from "@mcpgen/engine";
import { type Expression, compare, not } from "./expression.js";
import { acceptedConstants, condition, kindTest, ownCondition } from "./condition.js";
import { constantSchema } from "./constants.js";
import { checkItems } from "./items.js";
import { checkMembers } from "./members.js";
import { type Kind } from "./shape.js";
import { type Statement, printFunction, require, signature, verdict, when } from "./statement.js";
import { type Place } from "./unit.js";
import { isUnionOnly, unionVerdict } from "./union.js";

/**
 * Statements that leave with `false` unless `node` accepts `subject`, and go on if it does.
 *
 * @param subject a local
 * @param known what the statements before have made sure `subject` is
 */
export function check(node: SchemaNode, subject: string, place: Place, known?: Kind): Statement[] {
  const simple = condition(node, subject, place);
  if (simple) return require(simple);
  return [
    ...checkOwn(node, subject, place, known),
    ...(node.allOf ?? []).flatMap((part) => checkPart(part, subject, place, known ?? soleKind(node, place))),
    ...(node.anyOf
      ? require(split({ pointer: node.pointer, anyOf: node.anyOf, ...openness(node) }, subject, place))
      : []),
    ...checkLogic(node, subject, place),
    ...(node.ref === undefined
      ? []
      : require(condition({ pointer: node.pointer, ref: node.ref }, subject, place)!)),
  ];
}

/** The statements of a function that gives the verdict of `node` on `subject`. */
export function verdictOn(node: SchemaNode, subject: string, place: Place, known?: Kind): Statement[] {
  if (condition(node, subject, place)) return verdict(check(node, subject, place));
  if (isUnionOnly(node, place)) return unionVerdict(node, subject, place, known);
  return verdict(check(node, subject, place, known));
}

/** A condition for `node` whatever it takes: a function of its own, if need be. */
export function test(node: SchemaNode, subject: string, place: Place): Expression {
  return condition(node, subject, place) ?? split(node, subject, place);
}

/** A call to a function that is split off for `node`. */
function split(node: SchemaNode, subject: string, place: Place): Expression {
  const inner = place.inOwnFunction();
  const name = place.unit.partName(place.hint);
  const body = verdictOn(node, "value", inner);
  const recursive = inner.reachesCycle;
  const { mode } = place.unit;
  const parameters = ["value: unknown"];
  if (recursive && mode !== "judge") parameters.push("depth: number");
  if (recursive && mode === "walk") parameters.push("later?: unknown[]");
  const generator = recursive && mode === "judge";
  const head = generator
    ? signature(`function* ${name}`, parameters, "Generator<unknown, boolean, boolean>")
    : signature(`function ${name}`, parameters, "boolean");
  place.unit.parts.push(printFunction(head, body));
  return place.part(name, subject, recursive);
}

/** What the node says itself: everything but references and combinations. */
function checkOwn(node: SchemaNode, subject: string, place: Place, known: Kind | undefined): Statement[] {
  const own = ownCondition(node, subject, place);
  if (!own) {
    const arms = acceptedConstants(node, place).map((value) => constantSchema(value, node.pointer));
    const [only] = arms;
    if (arms.length === 1 && only) return check(only, subject, place, known);
    return require(split({ pointer: node.pointer, anyOf: arms }, subject, place));
  }
  const kind = known ?? soleKind(node, place);
  // The test of a kind that is known already would be made twice.
  const typed = known !== undefined && node.types?.every((type) => type === known) ? [] : require(own);
  return [
    ...typed,
    ...ofKind("object", checkMembers(node, subject, place), subject, place, kind),
    ...ofKind("array", checkItems(node, subject, place), subject, place, kind),
  ];
}

/** `statements`, which ask that `subject` is of `kind`: only where it is. */
function ofKind(
  kind: Kind,
  statements: Statement[],
  subject: string,
  place: Place,
  known: Kind | undefined,
): Statement[] {
  if (statements.length === 0 || (known !== undefined && known !== kind)) return [];
  return known === kind ? statements : when(kindTest(kind, subject, place), statements);
}

/** The one kind that is left of `subject` after the node's own type test. */
function soleKind(node: SchemaNode, _place: Place): Kind | undefined {
  const [only] = node.types ?? [];
  if (node.types?.length !== 1 || node.const || node.enum) return undefined;
  return only === "integer" ? "number" : only;
}

/** A part of `allOf`: in place if it speaks of the same kind of value, else in a function of its own. */
function checkPart(part: SchemaNode, subject: string, place: Place, known: Kind | undefined): Statement[] {
  const simple = condition(part, subject, place);
  if (simple) return require(simple);
  const sameKind = known !== undefined && soleKind(part, place) === known && part.ref === undefined;
  return sameKind ? check(part, subject, place, known) : require(split(part, subject, place));
}

function checkLogic(node: SchemaNode, subject: string, place: Place): Statement[] {
  const statements: Statement[] = [];
  if (node.oneOf) statements.push(...checkOneOf(node, node.oneOf, subject, place));
  if (node.not) statements.push(...require(not(test(node.not, subject, place.asTested().under("excluded")))));
  if (node.if && (node.then || node.else)) {
    const chosen = test(node.if, subject, place.asTested().under("if"));
    if (node.then) statements.push(...when(chosen, require(test(node.then, subject, place.under("then")))));
    if (node.else)
      statements.push(...when(not(chosen), require(test(node.else, subject, place.under("else")))));
  }
  return statements;
}

function checkOneOf(
  node: SchemaNode,
  arms: readonly SchemaNode[],
  subject: string,
  place: Place,
): Statement[] {
  if (place.shapes.isOpen(node))
    return require(split({ pointer: node.pointer, anyOf: arms, open: true }, subject, place));
  const tested = place.asTested();
  const count = place.scope.local("matching");
  return [
    { kind: "plain", text: `let ${count} = 0` },
    ...arms.flatMap((arm) => when(test(arm, subject, tested), [{ kind: "plain", text: `${count}++` }])),
    ...require(compare(count, "===", "1")),
  ];
}

function openness(node: SchemaNode): { open?: true } {
  return node.open ? { open: true } : {};
}
