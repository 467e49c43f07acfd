import type { SchemaNode } from "@mcpgen/engine";
import { isPresent, member } from "./access.js";
import { test, verdictOn } from "./check.js";
import { kindTest, kindsTest, literal } from "./condition.js";
import { type Discriminator, commonConstants, discriminatorOf, presenceTags } from "./discriminator.js";
import { type Expression, and, compare, no, or } from "./expression.js";
import { type Kind, assertions } from "./shape.js";
import { type Statement, type SwitchCase, require, returns, when } from "./statement.js";
import type { Place } from "./unit.js";

/** Whether the arms of an `anyOf` say all that the node says. */
export function isUnionOnly(node: SchemaNode, place: Place): boolean {
  const keys = assertions(node);
  if (keys.every((key) => key === "anyOf")) return keys.length === 1;
  return !node.anyOf && place.shapes.isOpen(node) && place.shapes.isOnly("object", node);
}

/**
 * The statements of a function that gives the verdict of a union on `subject`. Arms of different kinds are
 * told apart by kind, objects by their discriminator, and only what is left is tried in turn.
 *
 * Open reading: a union of objects with a discriminator takes, beside its arms, objects whose discriminator is
 * a string that no arm names. Where there is no discriminator, nothing tells an unknown arm from a
 * malformed known one: any value is taken that is of a kind some arm takes and holds the constants
 * that the arms for objects have in common.
 */
export function unionVerdict(node: SchemaNode, subject: string, place: Place, known?: Kind): Statement[] {
  const { shapes } = place;
  const open = shapes.isOpen(node);
  const all = node.anyOf ?? [{ ...node, open: undefined } as unknown as SchemaNode];
  const arms = place.arms(all);
  const objects = arms.filter((arm) => shapes.kindsOf(arm).has("object"));
  const discriminator = discriminatorOf(shapes, open ? objectArms(all, place) : objects);
  if (open && !discriminator) return [returns(openVerdict(node, objects, subject, place))];
  if (arms.length === 1 && !open) return verdictOn(arms[0]!, subject, place, known);

  const arrays = arms.filter((arm) => shapes.kindsOf(arm).has("array"));
  const others = arms.filter((arm) =>
    [...shapes.kindsOf(arm)].some((kind) => kind !== "object" && kind !== "array"),
  );
  const statements: Statement[] = [];
  if (arrays.length > 0)
    statements.push(...when(kindTest("array", subject, place), inTurn(arrays, subject, place, "array")));
  if (objects.length > 0) {
    const lone = objects.length === 1 && !open;
    const verdict = lone
      ? inTurn(objects, subject, place, others.length > 0 ? "object" : undefined)
      : objectVerdict(objects, discriminator, open, subject, place);
    if (others.length === 0)
      return [
        ...statements,
        ...(lone || known === "object" ? [] : require(kindTest("object", subject, place))),
        ...verdict,
      ];
    statements.push(...when(kindTest("object", subject, place), verdict));
  }
  return [
    ...statements,
    returns(or(...others.map((arm) => test(arm, subject, place.asTested(others.length > 1))))),
  ];
}

function objectArms(arms: readonly SchemaNode[], place: Place): SchemaNode[] {
  return arms.filter((arm) => place.shapes.kindsOf(arm).has("object"));
}

/** The verdict of arms that nothing tells apart: the first that accepts. */
function inTurn(arms: readonly SchemaNode[], subject: string, place: Place, known?: Kind): Statement[] {
  const [first, ...others] = arms;
  if (first && others.length === 0) return verdictOn(first, subject, place, known);
  return [returns(or(...arms.map((arm) => test(arm, subject, place.asTested()))))];
}

function objectVerdict(
  arms: readonly SchemaNode[],
  discriminator: Discriminator | undefined,
  open: boolean,
  subject: string,
  place: Place,
): Statement[] {
  if (discriminator) return [switchOn(discriminator, open, subject, place)];
  const shared = commonConstants(place.shapes, arms).flatMap(([name, value]) =>
    require(compare(member(place, subject, name), "===", literal(value))),
  );
  const tags = presenceTags(place.shapes, arms);
  if (!tags) return [...shared, ...inTurn(arms, subject, place)];
  const tested = place.asTested();
  // Read before any arm is asked: a type predicate that failed may have narrowed the subject to nothing.
  const locals = tags.map((tag) => place.scope.local(tag));
  const reads = tags.map((tag, index): Statement => ({
    kind: "const",
    name: locals[index]!,
    value: member(place, subject, tag),
  }));
  const verdicts = arms.map((arm, index) =>
    and(isPresent(locals[index]!), test(arm, subject, tested.under(tags[index]!))),
  );
  return [...shared, ...reads, returns(or(...verdicts))];
}

function switchOn(discriminator: Discriminator, open: boolean, subject: string, place: Place): Statement {
  const tag = member(place, subject, discriminator.name);
  const cases: { arms: readonly SchemaNode[]; labels: string[] }[] = [];
  for (const [value, arms] of discriminator.arms) {
    const same = cases.find(
      (other) => other.arms.length === arms.length && other.arms.every((arm, i) => arm === arms[i]),
    );
    if (same) same.labels.push(literal(value));
    else cases.push({ arms, labels: [literal(value)] });
  }
  const branches: SwitchCase[] = cases.map(({ arms, labels }) => {
    const tested = place.asTested(arms.length > 1).under(labels[0]!);
    return { labels, body: [returns(or(...place.arms(arms).map((arm) => test(arm, subject, tested))))] };
  });
  const unknown: Expression = open ? compare(["typeof ", tag], "===", '"string"') : no;
  return { kind: "switch", subject: tag, cases: [...branches, { labels: [], body: [returns(unknown)] }] };
}

function openVerdict(
  node: SchemaNode,
  objects: readonly SchemaNode[],
  subject: string,
  place: Place,
): Expression {
  const kinds = place.shapes.kindsOf(node);
  if (!kinds.has("object")) return kindsTest(kinds, subject, place);
  const shared = commonConstants(place.shapes, objects).map(([name, value]) =>
    compare(member(place, subject, name), "===", literal(value)),
  );
  const others = [...kinds].filter((kind) => kind !== "object");
  return or(kindsTest(others, subject, place), and(kindTest("object", subject, place), ...shared));
}
