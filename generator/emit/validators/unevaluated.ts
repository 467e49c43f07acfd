import type { SchemaNode } from "@mcpgen/engine";
import { type Container, Coverages, restOf } from "./coverage.js";
import { type Expression, and, call, compare, not, or, yes } from "./expression.js";
import { checkEntry, whereElse } from "./keys.js";
import { kindTest } from "./kind-test.js";
import { type Kind, common } from "./kind.js";
import { checkItem } from "./items.js";
import { amongTest, ownKinds, patternTest } from "./own.js";
import { type Statement, refuseUnless } from "./statement.js";
import { type Term, Tracker } from "./tracked.js";
import type { Place } from "./unit.js";

type Kinds = ReadonlySet<Kind>;

/** The kinds of value for which `node` judges the parts that no other keyword has evaluated. */
function unevaluatedKinds(node: SchemaNode, place: Place, within: Kinds): Container[] {
  const containers: readonly Container[] = ["object", "array"];
  const kinds = common(within, place.shapes.kindsOf(node));
  return containers.filter((container) => {
    const rest = restOf(node, container);
    if (!rest || !kinds.has(container) || place.shapes.isTrivial(rest)) return false;
    return !new Coverages(place.shapes, container).settled(node, true).all;
  });
}

/** Checks a node whose `unevaluatedProperties` or `unevaluatedItems` judge parts; `undefined` for any other. */
export function checkUnevaluated(
  node: SchemaNode,
  subject: string,
  place: Place,
  within: Kinds,
): Statement[] | undefined {
  const containers = unevaluatedKinds(node, place, within);
  if (containers.length === 0) return undefined;
  const own: SchemaNode = { pointer: node.pointer, ...(node.types && { types: node.types }) };
  const left = ownKinds(own, place, within);
  const [container] = containers;
  if (left.size === 1)
    return [...place.check(own, subject, within), ...checkContainer(node, container!, subject, place)];
  const others: Kinds = new Set([...left].filter((kind) => !containers.includes(kind as Container)));
  const start = place.check(own, subject, within);
  return [
    ...start,
    ...containers.reduceRight<Statement[]>(
      (otherwise, one) => [
        {
          kind: "if",
          test: kindTest(one, subject),
          then: checkContainer(node, one, subject, place),
          ...(otherwise.length > 0 && { else: otherwise }),
        },
      ],
      others.size === 0 ? [] : place.check(withoutRest(node), subject, others),
    ),
  ];
}

/** The node without the keywords about what is left. */
function withoutRest({ unevaluatedProperties: _, unevaluatedItems: __, ...rest }: SchemaNode): SchemaNode {
  return rest;
}

function checkContainer(node: SchemaNode, container: Container, subject: string, place: Place): Statement[] {
  const whole = place.scope.local(container === "object" ? "members" : "items");
  const tracker = new Tracker(node, container, whole, place);
  const checks = tracker.check(withoutRest(node), subject, place);
  const terms: Term[] = [{ holds: yes, coverage: tracker.settled }, ...tracker.terms];
  const left = restOf(node, container)!;
  return [
    // A check in between may narrow the type of the subject.
    { kind: "const", name: whole, value: subject },
    ...tracker.declarations,
    ...checks,
    ...(container === "object"
      ? checkMembers(left, terms, whole, place)
      : checkItems(left, terms, whole, place)),
  ];
}

function checkMembers(left: SchemaNode, terms: readonly Term[], whole: string, place: Place): Statement[] {
  const key = place.scope.local("key", whole);
  const evaluated = terms.map(({ holds, coverage: { all, names, patterns } }) => ({
    holds,
    covers: all
      ? undefined
      : or(
          amongTest([...names], key, place),
          ...[...patterns].map((pattern) => patternTest(pattern, key, place)),
        ),
  }));
  const body = whereElse(unevaluated(evaluated), checkEntry(left, whole, key, place.under("rest")));
  if (body[0]?.kind === "return") return refuseUnless(compare(`Object.keys(${whole}).length`, "===", "0"));
  return [{ kind: "for", head: `const ${key} in ${whole}`, body }];
}

function checkItems(left: SchemaNode, terms: readonly Term[], whole: string, place: Place): Statement[] {
  const from = terms[0]!.coverage.prefix;
  const index = place.scope.local("index", whole);
  const item = place.scope.local("item", whole);
  const evaluated = terms.slice(1).map(({ holds, coverage: { all, prefix }, indices }) => ({
    holds,
    covers: all
      ? undefined
      : or(
          ...(prefix > 0 ? [compare(index, "<", String(prefix))] : []),
          ...(indices === undefined ? [] : [call(`${indices}.has`, index)]),
        ),
  }));
  const checks: Statement[] = [
    { kind: "const", name: item, value: `${whole}[${index}]` },
    ...checkItem(left, item, place.under("rest")),
  ];
  const refused = checks[1]?.kind === "return";
  const body = whereElse(unevaluated(evaluated), refused ? checks.slice(1) : checks);
  if (body[0]?.kind === "return") return refuseUnless(compare(`${whole}.length`, "<=", String(from)));
  return [{ kind: "for", head: `let ${index} = ${from}; ${index} < ${whole}.length; ${index}++`, body }];
}

/** The members or items that no accepted schema covers. */
function unevaluated(
  terms: readonly { readonly holds: Expression; readonly covers: Expression | undefined }[],
): Expression {
  return and(...terms.map(({ holds, covers }) => not(covers ? and(holds, covers) : holds)));
}
