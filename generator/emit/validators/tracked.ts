import { type SchemaNode, SchemaError } from "@mcpgen/engine";
import { isPresent, member } from "./access.js";
import { type Container, type Coverage, Coverages, beyond, isNothing } from "./coverage.js";
import { type Expression, and, compare, local, no, not, or, yes } from "./expression.js";
import { type Kind, common } from "./kind.js";
import { type Statement, breakInstead, refuseUnless, when } from "./statement.js";
import type { Place } from "./unit.js";

type Kinds = ReadonlySet<Kind>;

/** The parts that are evaluated if `holds` does. */
export interface Term {
  readonly holds: Expression;
  readonly coverage: Coverage;
  /** A local set of the indices that `contains` found. */
  readonly indices?: string;
}

/** The limit of subschemas that one keyword follows: each is printed once for each place at which it applies. */
const mostFollowed = 1_000;

/**
 * Emits the check of a node together with marks of its parts that accepted the value. The marks decide which parts are
 * left for `unevaluatedProperties` or `unevaluatedItems`. Each part is evaluated once.
 */
export class Tracker {
  readonly terms: Term[] = [];
  /** Locals that the check writes to. */
  readonly declarations: Statement[] = [];
  /** The parts that are evaluated of every value. */
  readonly settled: Coverage;
  private readonly coverages: Coverages;
  private readonly container: Container;
  private readonly within: Kinds;
  /** A local that holds the value and that nothing has narrowed. */
  private readonly whole: string;
  private readonly pointer: string;
  private followed = 0;

  constructor(node: SchemaNode, container: Container, whole: string, place: Place) {
    this.container = container;
    this.coverages = new Coverages(place.shapes, container);
    this.settled = this.coverages.settled(node, true);
    this.within = new Set<Kind>([container]);
    this.whole = whole;
    this.pointer = node.pointer;
  }

  /** Statements that leave with `false` unless `node` accepts `subject`; `holds` is where they stand. */
  check(node: SchemaNode, subject: string, place: Place, holds: Expression = yes): Statement[] {
    if (++this.followed > mostFollowed) {
      throw new SchemaError(
        "unsupported-keyword",
        this.pointer,
        `what is unevaluated here depends on more than ${mostFollowed} subschemas; expected fewer alternatives`,
      );
    }
    const { rest, ref, parts, anyOf, oneOf, choice, dependents, contains } = this.divide(node, place);
    const statements = place.check(rest, subject, this.within);
    for (const part of parts) statements.push(...this.check(part, subject, place, holds));
    if (anyOf) statements.push(...this.checkAnyOf(anyOf, subject, place, holds));
    if (oneOf) statements.push(...this.checkOneOf(oneOf, subject, place, holds));
    if (choice) statements.push(...this.checkChoice(choice, subject, place, holds));
    for (const [name, child] of dependents) {
      statements.push(...this.checkDependent(name, child, place, holds));
    }
    if (contains) statements.push(...this.checkContains(contains, subject, place, holds));
    if (ref) statements.push(...this.check(ref, subject, place, holds));
    return statements;
  }

  /**
   * The tracked subschemas of `node`, and the rest. No schema below a keyword that judges unevaluated parts is tracked.
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

  private checkAnyOf(
    arms: readonly SchemaNode[],
    subject: string,
    place: Place,
    holds: Expression,
  ): Statement[] {
    const statements: Statement[] = [];
    const accepted: Expression[] = [];
    const silent: SchemaNode[] = [];
    for (const arm of this.possible(arms, place)) {
      if (!this.coverages.adds(arm, this.settled)) silent.push(arm);
      else {
        const { mark, judging } = this.judged(arm, subject, place, holds);
        statements.push(...judging);
        accepted.push(mark);
      }
    }
    const others = silent.map((arm) => place.asTested().conditionFor(arm, subject, this.within));
    return [...statements, ...refuseUnless(or(...accepted, ...others))];
  }

  private checkOneOf(
    arms: readonly SchemaNode[],
    subject: string,
    place: Place,
    holds: Expression,
  ): Statement[] {
    const count = place.scope.local("matching");
    const tally: Statement = { kind: "plain", text: `${count}++` };
    const statements: Statement[] = [{ kind: "plain", text: `let ${count} = 0` }];
    for (const arm of this.possible(arms, place)) {
      if (this.coverages.adds(arm, this.settled)) {
        const { mark, judging } = this.judged(arm, subject, place, holds);
        statements.push(...judging, ...when(mark, [tally]));
      } else {
        statements.push(...when(place.asTested().conditionFor(arm, subject, this.within), [tally]));
      }
    }
    return [...statements, ...refuseUnless(compare(count, "===", "1"))];
  }

  private possible(arms: readonly SchemaNode[], place: Place): SchemaNode[] {
    return arms.filter((arm) => common(this.within, place.shapes.kindsOf(arm)).size > 0);
  }

  private checkChoice(node: SchemaNode, subject: string, place: Place, holds: Expression): Statement[] {
    const { mark, judging } = this.judged(node.if!, subject, place.under("if"), holds);
    const branch = (child: SchemaNode | undefined, test: Expression, hint: string): Statement[] =>
      child ? when(test, this.checkInside(child, place.under(hint), and(holds, test))) : [];
    return [...judging, ...branch(node.then, mark, "then"), ...branch(node.else, not(mark), "else")];
  }

  private checkDependent(name: string, child: SchemaNode, place: Place, holds: Expression): Statement[] {
    const mark = this.mark(`with ${name}`, place);
    const checks = this.checkInside(child, place.under(name), and(holds, local(mark)));
    return when(isPresent(member(this.whole, name)), [setting(mark), ...checks]);
  }

  private checkContains(node: SchemaNode, subject: string, place: Place, holds: Expression): Statement[] {
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
      ...(minContains > 0 ? refuseUnless(compare(`${indices}.size`, ">=", String(minContains))) : []),
      ...(maxContains === undefined
        ? []
        : refuseUnless(compare(`${indices}.size`, "<=", String(maxContains)))),
    ];
  }

  /** Statements that set a mark where `node` accepts the value, and the mark. */
  private judged(
    node: SchemaNode,
    subject: string,
    place: Place,
    holds: Expression,
  ): { mark: Expression; judging: Statement[] } {
    const name = this.mark("held", place);
    const mark = local(name);
    const tested = place.asTested();
    if (!this.coverages.varies(node, this.settled)) {
      const accepted = tested.conditionFor(node, subject, this.within);
      if (accepted.kind === "constant" && !accepted.value) return { mark: no, judging: [] };
      this.cover(node, and(holds, mark));
      return { mark, judging: when(accepted, [setting(name)]) };
    }
    const label = place.scope.local("trial");
    const checks = this.checkInside(node, tested, and(holds, mark));
    return { mark, judging: breakInstead([...checks, setting(name)], label) };
  }

  /** As `check`, for a value that may have been narrowed since. */
  private checkInside(node: SchemaNode, place: Place, holds: Expression): Statement[] {
    this.cover(node, holds);
    const subject = place.scope.local("same");
    return [{ kind: "const", name: subject, value: this.whole }, ...this.check(node, subject, place, holds)];
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
  /** The node with `if`. */
  readonly choice: SchemaNode | undefined;
  readonly dependents: readonly (readonly [string, SchemaNode])[];
  /** The node with `contains`. */
  readonly contains: SchemaNode | undefined;
}

function setting(mark: string): Statement {
  return { kind: "plain", text: `${mark} = true` };
}
