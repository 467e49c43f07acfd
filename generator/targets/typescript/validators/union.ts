import type { SchemaNode } from "@mcpgen/engine";
import { callsLast } from "./condition.js";
import { type Kind, kindTest, kindsTest, literal, common } from "./shape.js";
import {
  type Discriminator,
  commonConstants,
  discriminatorOf,
  openArms,
  openDiscriminatorOf,
  presenceTags,
} from "./discriminator.js";
import { type Expression, and, compare, no, or, isPresent, member } from "./expression.js";
import { assertions } from "./assertions.js";
import { type Statement, type SwitchCase, refuseUnless, returns, when } from "./statement.js";
import type { Place } from "./unit.js";

type Kinds = ReadonlySet<Kind>;

const objectKind: Kinds = new Set<Kind>(["object"]);
const arrayKind: Kinds = new Set<Kind>(["array"]);
const scalarKinds: Kinds = new Set<Kind>(["boolean", "null", "number", "string"]);

/** Whether the node is only a union: `anyOf`, or an open object with its unknown alternatives. */
export function isUnionOnly(node: SchemaNode, place: Place): boolean {
  const keys = assertions(node);
  if (keys.every((key) => key === "anyOf")) return keys.length === 1;
  const alone = !node.anyOf && !node.oneOf;
  return alone && place.shapes.isOpen(node) && place.shapes.isOnly("object", node);
}

/**
 * The statements of a function that returns whether a union accepts `subject`. The kind of value selects the
 * arms, for objects the discriminator; only the remaining arms are tried in turn.
 *
 * In the open variant, a union of objects with a discriminator also accepts objects whose discriminator is a
 * string that no arm names. Without a discriminator, an unknown arm cannot be distinguished from an invalid
 * value of a known one. The open variant then accepts any value of a kind that some arm accepts, if it has
 * the constants that all object arms share.
 */
export function unionVerdict(node: SchemaNode, subject: string, place: Place, within: Kinds): Statement[] {
  const { shapes } = place;
  const open = shapes.isOpen(node);
  const all = openArms(node);
  const arms = place.arms(all).filter((arm) => common(shapes.kindsOf(arm), within).size > 0);
  const objects = armsOf(objectKind, arms, place, within);
  const discriminator = open
    ? openDiscriminatorOf(shapes, node)
    : discriminatorOf(shapes, armsOf(objectKind, all, place, within));
  if (open && !discriminator) return [returns(openVerdict(node, objects, subject, place))];
  if (arms.length === 1 && !open) return place.verdictOn(arms[0]!, subject, within);

  const arrays = armsOf(arrayKind, arms, place, within);
  const scalars = armsOf(scalarKinds, arms, place, within);
  const statements: Statement[] = [];
  if (arrays.length > 0) {
    statements.push(...when(kindTest("array", subject), inTurn(arrays, subject, place, arrayKind)));
  }
  if (objects.length > 0) {
    const lone = objects.length === 1 && !open;
    const rest = scalars.length > 0;
    const verdict = lone
      ? inTurn(objects, subject, place, rest ? objectKind : within)
      : objectVerdict(objects, { discriminator, open }, subject, place);
    if (!rest)
      return [
        ...statements,
        ...(lone || within.size === 1 ? [] : refuseUnless(kindTest("object", subject))),
        ...verdict,
      ];
    statements.push(...when(kindTest("object", subject), verdict));
  }
  return [...statements, ...inTurn(scalars, subject, place, within)];
}

function armsOf(kinds: Kinds, arms: readonly SchemaNode[], place: Place, within: Kinds): SchemaNode[] {
  const wanted = common(kinds, within);
  return arms.filter((arm) => common(place.shapes.kindsOf(arm), wanted).size > 0);
}

/** Tries arms without a discriminator in turn; the first that accepts decides. */
function inTurn(arms: readonly SchemaNode[], subject: string, place: Place, within: Kinds): Statement[] {
  const [first, ...others] = arms;
  if (first && others.length === 0) return place.verdictOn(first, subject, within);
  return [returns(or(...callsLast(arms.map((arm) => place.asTested().conditionFor(arm, subject, within)))))];
}

function objectVerdict(
  arms: readonly SchemaNode[],
  { discriminator, open }: { readonly discriminator: Discriminator | undefined; readonly open: boolean },
  subject: string,
  place: Place,
): Statement[] {
  if (discriminator) return [switchOn(discriminator, open, subject, place)];
  const shared = commonConstants(place.shapes, arms).flatMap(([name, value]) =>
    refuseUnless(compare(member(subject, name), "===", literal(value))),
  );
  const tags = presenceTags(place.shapes, arms);
  if (!tags) return [...shared, ...inTurn(arms, subject, place, objectKind)];
  const tested = place.asTested();
  // Read the members before checking any arm: a failed type predicate may narrow the subject to `never`.
  const locals = tags.map((tag) => place.scope.local(tag, subject));
  const reads = tags.map((tag, index): Statement => ({
    kind: "const",
    name: locals[index]!,
    value: member(subject, tag),
  }));
  const verdicts = arms.map((arm, index) =>
    and(isPresent(locals[index]!), tested.under(tags[index]!).conditionFor(arm, subject, objectKind)),
  );
  return [...shared, ...reads, returns(or(...verdicts))];
}

function switchOn(discriminator: Discriminator, open: boolean, subject: string, place: Place): Statement {
  const tag = member(subject, discriminator.name);
  const numbers = new Map<SchemaNode, number>();
  const numberOf = (arm: SchemaNode): number => {
    if (!numbers.has(arm)) numbers.set(arm, numbers.size);
    return numbers.get(arm)!;
  };
  const cases = new Map<string, { arms: readonly SchemaNode[]; labels: string[] }>();
  for (const [value, arms] of discriminator.arms) {
    const key = arms.map(numberOf).join();
    const same = cases.get(key);
    if (same) same.labels.push(literal(value));
    else cases.set(key, { arms, labels: [literal(value)] });
  }
  const branches: SwitchCase[] = [...cases.values()].map(({ arms, labels }) => {
    const tested = place.asTested(arms.length > 1).under(labels[0]!);
    return {
      labels,
      body: [
        returns(
          or(...callsLast(place.arms(arms).map((arm) => tested.conditionFor(arm, subject, objectKind)))),
        ),
      ],
    };
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
  if (!kinds.has("object")) return kindsTest(kinds, subject);
  const shared = commonConstants(place.shapes, objects).map(([name, value]) =>
    compare(member(subject, name), "===", literal(value)),
  );
  const others = [...kinds].filter((kind) => kind !== "object");
  return or(kindsTest(others, subject), and(kindTest("object", subject), ...shared));
}
