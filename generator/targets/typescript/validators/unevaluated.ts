import { type SchemaNode, SchemaError } from "@mcpgen/engine";
import { type Container, type Coverage, Coverages, restOf, beyond, isNothing } from "./coverage.js";
import {
  type Expression,
  and,
  call,
  compare,
  countLimits,
  not,
  or,
  yes,
  local,
  no,
  isPresent,
  member,
} from "./expression.js";
import { type Kind, kindTest, common } from "./shape.js";
import { checkItem } from "./items.js";
import { amongTest, ownKinds, patternTest } from "./own.js";
import { type Statement, refuseUnless, breakInstead, when } from "./statement.js";
import type { Place } from "./unit.js";
import { checkEntry, whereElse } from "./members.js";

type Kinds = ReadonlySet<Kind>;

/** The kinds of value whose unevaluated parts `node` constrains. */
function unevaluatedKinds(node: SchemaNode, place: Place, within: Kinds): Container[] {
  const containers: readonly Container[] = ["object", "array"];
  const kinds = common(within, place.shapes.kindsOf(node));
  return containers.filter((container) => {
    const rest = restOf(node, container);
    if (!rest || !kinds.has(container) || place.shapes.isTrivial(rest)) return false;
    return !new Coverages(place.shapes, container).settled(node, true).all;
  });
}

/** Checks a node with `unevaluatedProperties` or `unevaluatedItems`; `undefined` for any other node. */
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

/** The node without the keywords about unevaluated parts. */
function withoutRest(node: SchemaNode): SchemaNode {
  const { unevaluatedProperties: _, unevaluatedItems: __, ...rest } = node;
  return rest;
}

function checkContainer(node: SchemaNode, container: Container, subject: string, place: Place): Statement[] {
  const tracker = new Tracker(node, container, subject, place);
  const checks = tracker.check(withoutRest(node), place);
  const terms: Term[] = [{ holds: yes, coverage: tracker.settled }, ...tracker.terms];
  const left = restOf(node, container)!;
  return [
    ...tracker.declarations,
    ...checks,
    ...(container === "object"
      ? checkMembers(left, terms, subject, place)
      : checkItems(left, terms, subject, place)),
  ];
}

function checkMembers(left: SchemaNode, terms: readonly Term[], subject: string, place: Place): Statement[] {
  const key = place.scope.local("key", subject);
  const evaluated = terms.map(({ holds, coverage: { all, names, patterns } }) => ({
    holds,
    covers: all
      ? undefined
      : or(
          amongTest([...names], key, place),
          ...[...patterns].map((pattern) => patternTest(pattern, key, place)),
        ),
  }));
  const body = whereElse(unevaluated(evaluated), checkEntry(left, subject, key, place.under("rest")));
  if (body[0]?.kind === "return") return refuseUnless(compare(`Object.keys(${subject}).length`, "===", "0"));
  return [{ kind: "for", head: `const ${key} in ${subject}`, body }];
}

function checkItems(left: SchemaNode, terms: readonly Term[], subject: string, place: Place): Statement[] {
  const from = terms[0]!.coverage.prefix;
  const index = place.scope.local("index", subject);
  const item = place.scope.local("item", subject);
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
    { kind: "const", name: item, value: `${subject}[${index}]` },
    ...checkItem(left, item, place.under("rest")),
  ];
  const refused = checks[1]?.kind === "return";
  const body = whereElse(unevaluated(evaluated), refused ? checks.slice(1) : checks);
  if (body[0]?.kind === "return") return refuseUnless(compare(`${subject}.length`, "<=", String(from)));
  return [{ kind: "for", head: `let ${index} = ${from}; ${index} < ${subject}.length; ${index}++`, body }];
}

/** Checks the members or items that no accepting schema evaluates. */
function unevaluated(
  terms: readonly { readonly holds: Expression; readonly covers: Expression | undefined }[],
): Expression {
  return and(...terms.map(({ holds, covers }) => not(covers ? and(holds, covers) : holds)));
}

/** The parts that are evaluated if `holds` is true. */
interface Term {
  readonly holds: Expression;
  readonly coverage: Coverage;
  /** A local set with the indices that `contains` matched. */
  readonly indices?: string;
}

/**
 * Maximum number of subschemas that are tracked for one keyword, because each is printed at every place where
 * it applies.
 */
const mostFollowed = 1_000;

/**
 * Emits the check of a node and also records which of its parts accepted the value. These marks decide which
 * members or items remain for `unevaluatedProperties` or `unevaluatedItems`. Each part is checked once.
 */
class Tracker {
  readonly terms: Term[] = [];
  /** Locals that the check assigns. */
  readonly declarations: Statement[] = [];
  /** The parts that are evaluated in every value. */
  readonly settled: Coverage;
  private readonly coverages: Coverages;
  private readonly container: Container;
  private readonly within: Kinds;
  /** The local with the value. */
  private readonly subject: string;
  private readonly pointer: string;
  private followed = 0;

  constructor(node: SchemaNode, container: Container, subject: string, place: Place) {
    this.container = container;
    this.coverages = new Coverages(place.shapes, container);
    this.settled = this.coverages.settled(node, true);
    this.within = new Set<Kind>([container]);
    this.subject = subject;
    this.pointer = node.pointer;
  }

  /**
   * Statements that return `false` unless `node` accepts the value; `holds` is the condition under which they
   * run.
   */
  check(node: SchemaNode, place: Place, holds: Expression = yes): Statement[] {
    if (++this.followed > mostFollowed) {
      throw new SchemaError(
        "unsupported-keyword",
        this.pointer,
        `what is unevaluated here depends on more than ${mostFollowed} subschemas; expected fewer alternatives`,
      );
    }
    const { rest, ref, parts, anyOf, oneOf, choice, dependents, contains } = this.divide(node, place);
    const statements = place.check(rest, this.subject, this.within);
    for (const part of parts) statements.push(...this.check(part, place, holds));
    if (anyOf) statements.push(...this.checkAnyOf(anyOf, place, holds));
    if (oneOf) statements.push(...this.checkOneOf(oneOf, place, holds));
    if (choice) statements.push(...this.checkChoice(choice, place, holds));
    for (const [name, child] of dependents) {
      statements.push(...this.checkDependent(name, child, place, holds));
    }
    if (contains) statements.push(...this.checkContains(contains, place, holds));
    if (ref) statements.push(...this.check(ref, place, holds));
    return statements;
  }

  /**
   * Divides `node` into tracked subschemas and the rest. Schemas below a keyword for unevaluated parts are
   * not tracked.
   */
  private divide(node: SchemaNode, place: Place): Divided {
    const adds = (child: SchemaNode): boolean => this.coverages.adds(child, this.settled);
    const varies = (child: SchemaNode): boolean => this.coverages.varies(child, this.settled);
    const rest: { -readonly [K in keyof SchemaNode]: SchemaNode[K] } = { ...node };
    const target = node.ref === undefined ? undefined : place.shapes.definition(node.ref);
    const ref = target && varies(target) ? target : undefined;
    if (ref) delete rest.ref;
    const parts = (node.allOf ?? []).filter(varies);
    if (parts.length > 0) rest.allOf = node.allOf!.filter((part) => !parts.includes(part));
    const closed = !place.shapes.isOpen(node);
    const anyOf = closed && node.anyOf?.some(adds) ? node.anyOf : undefined;
    if (anyOf) delete rest.anyOf;
    const oneOf = closed && node.oneOf?.some(adds) ? node.oneOf : undefined;
    if (oneOf) delete rest.oneOf;
    const branches = [node.if, node.then, node.else].filter((child) => child !== undefined);
    const choice = node.if && branches.some(adds) ? node : undefined;
    if (choice) delete rest.if;
    const dependents = [...(node.dependentSchemas ?? [])].filter(
      ([, child]) => this.container === "object" && adds(child),
    );
    if (dependents.length > 0) {
      rest.dependentSchemas = new Map(
        [...node.dependentSchemas!].filter(([name]) => !dependents.some(([other]) => other === name)),
      );
    }
    const contains = this.coverages.marksItems(node) && !this.settled.all ? node : undefined;
    if (contains) delete rest.contains;
    return { rest, ref, parts, anyOf, oneOf, choice, dependents, contains };
  }

  private checkAnyOf(arms: readonly SchemaNode[], place: Place, holds: Expression): Statement[] {
    const statements: Statement[] = [];
    const accepted: Expression[] = [];
    const silent: SchemaNode[] = [];
    for (const arm of this.possible(arms, place)) {
      if (!this.coverages.adds(arm, this.settled)) silent.push(arm);
      else {
        const { mark, judging } = this.judged(arm, place, holds);
        statements.push(...judging);
        accepted.push(mark);
      }
    }
    const others = silent.map((arm) => place.asTested().conditionFor(arm, this.subject, this.within));
    return [...statements, ...refuseUnless(or(...accepted, ...others))];
  }

  private checkOneOf(arms: readonly SchemaNode[], place: Place, holds: Expression): Statement[] {
    const count = place.scope.local("matching");
    const tally: Statement = { kind: "plain", text: `${count}++` };
    const statements: Statement[] = [{ kind: "plain", text: `let ${count} = 0` }];
    for (const arm of this.possible(arms, place)) {
      if (this.coverages.adds(arm, this.settled)) {
        const { mark, judging } = this.judged(arm, place, holds);
        statements.push(...judging, ...when(mark, [tally]));
      } else {
        statements.push(...when(place.asTested().conditionFor(arm, this.subject, this.within), [tally]));
      }
    }
    return [...statements, ...refuseUnless(compare(count, "===", "1"))];
  }

  private possible(arms: readonly SchemaNode[], place: Place): SchemaNode[] {
    return arms.filter((arm) => common(this.within, place.shapes.kindsOf(arm)).size > 0);
  }

  private checkChoice(node: SchemaNode, place: Place, holds: Expression): Statement[] {
    const { mark, judging } = this.judged(node.if!, place.under("if"), holds);
    const branch = (child: SchemaNode | undefined, test: Expression, hint: string): Statement[] =>
      child ? when(test, this.checkInside(child, place.under(hint), and(holds, test))) : [];
    return [...judging, ...branch(node.then, mark, "then"), ...branch(node.else, not(mark), "else")];
  }

  private checkDependent(name: string, child: SchemaNode, place: Place, holds: Expression): Statement[] {
    const mark = this.mark(`with ${name}`, place);
    const checks = this.checkInside(child, place.under(name), and(holds, local(mark)));
    return when(isPresent(member(this.subject, name)), [setting(mark), ...checks]);
  }

  private checkContains(node: SchemaNode, place: Place, holds: Expression): Statement[] {
    const { subject } = this;
    const indices = place.scope.local("contained");
    this.declarations.push({ kind: "plain", text: `const ${indices} = new Set<number>()` });
    this.terms.push({ holds, coverage: this.coverages.settled({ pointer: node.pointer }), indices });
    const item = place.scope.local("item", subject);
    const index = place.scope.local("index", subject);
    const found = place.asTested().under("contained").conditionFor(node.contains!, item);
    const { minContains = 1, maxContains } = node;
    return [
      {
        kind: "for",
        head: `const [${index}, ${item}] of ${subject}.entries()`,
        body: when(found, [{ kind: "plain", text: `${indices}.add(${index})` }]),
      },
      ...countLimits(`${indices}.size`, minContains, maxContains).flatMap(refuseUnless),
    ];
  }

  /** Statements that set a mark if `node` accepts the value, and the mark. */
  private judged(
    node: SchemaNode,
    place: Place,
    holds: Expression,
  ): { mark: Expression; judging: Statement[] } {
    const name = this.mark("held", place);
    const mark = local(name);
    const tested = place.asTested();
    if (!this.coverages.varies(node, this.settled)) {
      const accepted = tested.conditionFor(node, this.subject, this.within);
      if (accepted.kind === "constant" && !accepted.value) return { mark: no, judging: [] };
      this.cover(node, and(holds, mark));
      return { mark, judging: when(accepted, [setting(name)]) };
    }
    const label = place.scope.local("trial");
    const checks = this.checkInside(node, tested, and(holds, mark));
    return { mark, judging: breakInstead([...checks, setting(name)], label) };
  }

  private checkInside(node: SchemaNode, place: Place, holds: Expression): Statement[] {
    this.cover(node, holds);
    return this.check(node, place, holds);
  }

  private cover(node: SchemaNode, holds: Expression): void {
    const coverage = beyond(this.coverages.settled(node), this.settled);
    if (!isNothing(coverage)) this.terms.push({ holds, coverage });
  }

  private mark(hint: string, place: Place): string {
    const name = place.scope.local(hint);
    this.declarations.push({ kind: "plain", text: `let ${name} = false` });
    return name;
  }
}

interface Divided {
  /** The part that is checked without marks. */
  readonly rest: SchemaNode;
  readonly ref: SchemaNode | undefined;
  readonly parts: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[] | undefined;
  readonly oneOf: readonly SchemaNode[] | undefined;
  /** The node that has `if`. */
  readonly choice: SchemaNode | undefined;
  readonly dependents: readonly (readonly [string, SchemaNode])[];
  /** The node that has `contains`. */
  readonly contains: SchemaNode | undefined;
}

function setting(mark: string): Statement {
  return { kind: "plain", text: `${mark} = true` };
}
