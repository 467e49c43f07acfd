import { arrayLayout, stringsLayout } from "../../../print/code-layout.js";
import {
  type Layout,
  group,
  hardline,
  indent,
  line,
  print,
  softline,
  whenBroken,
} from "../../../print/layout.js";
import { stringLiteral, joinedWords } from "../../../print/text.js";
import { type Expression, and, or } from "../validators/expression.js";
import {
  type Arm,
  type Change,
  type Exit,
  type Plan,
  type Test,
  type TextBlock,
  hasMoves,
  turnsOf,
} from "./plan.js";
import { MadeCode } from "./made-code.js";
import type { Predicates } from "./predicates.js";
import { type SamePlans, groupSame } from "./same.js";
import {
  assigned,
  blockLiteral,
  braced,
  literal,
  outcomeOf,
  returning,
  where,
  called,
  conditionOf,
  fails,
  ifAll,
  ifAny,
  isUsed,
} from "./statements.js";
import { copyDeclaration } from "../copied-module.js";

const never = "() => false";

/** Prints the functions of plans, each once. */
export class PlanPrinter {
  private readonly prefix: string;
  private readonly same: ReadonlyMap<Plan, SamePlans>;
  private readonly predicates: Predicates;
  private readonly taken: Set<string>;
  private readonly names = new Map<SamePlans, string>();
  private readonly pending: SamePlans[] = [];
  /** Plans named in tables; their functions are called without the parameter `at`. */
  private readonly roots = new Set<SamePlans>();
  private readonly blocks = new Map<string, string>();
  /** The functions of `ownFunctions` in use. */
  readonly own = new Set<OwnFunction>();

  /**
   * @param prefix prefix of all names
   * @param taken names in use; the names of new functions are added
   */
  constructor(prefix: string, active: ReadonlySet<Plan>, predicates: Predicates, taken: Set<string>) {
    this.prefix = prefix;
    this.same = groupSame(active);
    this.predicates = predicates;
    for (const group of new Set(this.same.values())) this.announce(group);
    this.taken = taken;
  }

  /** The name of a plan's function; `undefined` if the plan changes nothing. */
  nameOf(any: Plan): string | undefined {
    const group = this.same.get(any);
    if (!group) return undefined;
    let name = this.names.get(group);
    if (name === undefined) {
      name = this.free(joinedWords(`${this.prefix} ${group.name}`));
      this.names.set(group, name);
      this.pending.push(group);
    }
    return name;
  }

  /** Announces the predicates of a function, so that they are named after all places that use them. */
  private announce({ first: { exits, arms }, hint }: SamePlans): void {
    for (const { unless } of exits) if (unless) this.predicates.announce(unless, hint);
    for (const { unless, changes } of arms) {
      if (unless) this.predicates.announce(unless, hint);
      for (const change of changes) {
        if (change.kind === "fitting") this.predicates.announce(change.to, `${hint} ${change.key}`);
        if (change.kind === "asText" && change.unless)
          this.predicates.announce(change.unless, `${hint} ${change.key}`);
      }
    }
  }

  /** The name of the function for a method's params or result. */
  nameOfRoot(any: Plan): string | undefined {
    const group = this.same.get(any);
    if (group) this.roots.add(group);
    return group && this.nameOf(group.first);
  }

  private free(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.taken.has(name); number++) name = `${wanted}${number}`;
    this.taken.add(name);
    return name;
  }

  /** Prints all named functions and the functions that they call. */
  print(): string[] {
    const texts: string[] = [];
    for (let next = this.pending.shift(); next; next = this.pending.shift()) texts.push(this.function(next));
    return [...texts, ...this.blockTexts()];
  }

  private function(same: SamePlans): string {
    const { first, hint } = same;
    const statements = [...this.exits(first.exits, hint), ...this.arms(first.arms, hint)];
    const leaves = first.exits.some(({ test, unless }) => !conditionOf(test) && !unless);
    const body = leaves ? statements : returning(statements);
    const text = print(body);
    const parameter = (name: string, type: string): string => (isUsed(name, text) ? type : `_${type}`);
    const parameters = [
      parameter("value", "value: unknown"),
      parameter("report", "report: StepReport"),
      parameter("at", this.roots.has(same) ? 'at = ""' : "at: string"),
    ];
    const list = parameters.flatMap((each, index) => (index === 0 ? [each] : [",", line, each]));
    const head = group(
      `function ${this.names.get(same)!}(`,
      indent(softline, ...list, whenBroken(",")),
      softline,
      "): unknown {",
    );
    return print([head, indent(body.map((statement) => [hardline, statement])), hardline, "}"]);
  }

  /** Statements for the exits. Exits with the same outcome share one condition. */
  private exits(exits: readonly Exit[], hint: string): Layout[] {
    const byOutcome = new Map<string, { body: Layout[]; conditions: Expression[] }>();
    for (const { test, unless, outcome } of exits) {
      if (outcome.how === "pass") continue;
      const failed = unless && fails(this.predicates.of(unless, hint));
      const parts = [conditionOf(test), failed].filter((part) => part !== undefined);
      const key = JSON.stringify(outcomeOf(outcome));
      const same = byOutcome.get(key);
      if (same) same.conditions.push(and(...parts));
      else byOutcome.set(key, { body: outcomeOf(outcome), conditions: [and(...parts)] });
    }
    const left = [...byOutcome.values()].flatMap(({ body, conditions }) => {
      const condition = or(...conditions);
      return condition.kind === "constant" ? body : [braced(ifAll([condition])!, body)];
    });
    return [
      ...exits.flatMap((exit) => (exit.step ? this.passed(exit.test, exit.step) : [])),
      ...exits.flatMap(({ single }) => (single ? this.single(single) : [])),
      ...left,
    ];
  }

  /** Returns early a value that has another form in the target, converted by its step if it has one. */
  private passed(test: Test, plan: Plan): Layout[] {
    const name = this.nameOf(plan);
    const value = name === undefined ? "value" : called(name, "value", ...where);
    return [braced(ifAll([conditionOf(test)])!, [["return ", value, ";"]])];
  }

  /** Replaces an array that has one item by the item. */
  private single(plan: Plan): Layout[] {
    const name = this.nameOf(plan);
    const item = name === undefined ? "value[0]" : called(name, "value[0]", "report", "`${at}/0`");
    return [braced("if (Array.isArray(value) && value.length === 1)", [["return ", item, ";"]])];
  }

  private arms(arms: readonly Arm[], hint: string): Layout[] {
    // Renaming may change the discriminator, so tests read the original value.
    const isKept = hasMoves(arms) && arms.some(({ test }) => conditionOf(test));
    const isRead = isKept || arms.some(({ changes }) => changes.some(({ kind }) => kind === "reshaped"));
    const statements = turnsOf(arms).flatMap((turn) => this.turn(turn, hint, isKept ? given : "value"));
    return isRead && statements.length > 0 ? [`const ${given} = value;`, ...statements] : statements;
  }

  /** Statements for one turn. A change that several arms share is printed once. */
  private turn(arms: readonly Arm[], hint: string, tested: string): Layout[] {
    const byStatement = new Map<string, { statement: Layout; tests: (Expression | undefined)[] }>();
    for (const { test, unless, changes } of arms) {
      const failed = unless && fails(this.predicates.of(unless, hint));
      const parts = [conditionOf(test, tested), failed].filter((part) => part !== undefined);
      const condition = parts.length > 0 ? and(...parts) : undefined;
      for (const statement of changes.flatMap((change) => this.change(change, hint))) {
        const text = print(statement);
        const same = byStatement.get(text);
        if (same) same.tests.push(condition);
        else byStatement.set(text, { statement, tests: [condition] });
      }
    }
    const byTest = new Map<string, { head: Layout | undefined; body: Layout[] }>();
    for (const { statement, tests } of byStatement.values()) {
      const head = tests.includes(undefined) ? undefined : ifAny(tests as Expression[]);
      const key = head ? print(head) : "";
      const same = byTest.get(key);
      if (same) same.body.push(statement);
      else byTest.set(key, { head, body: [statement] });
    }
    return [...byTest.values()].flatMap(({ head, body }) => (head ? [braced(head, body)] : body));
  }

  private change(change: Change, hint: string): Layout[] {
    switch (change.kind) {
      case "member":
        return this.member(change.key, change.plan);
      case "items":
        return this.called(change.plan, (name) => called("items", "value", name, ...where));
      case "others": {
        const known = stringsLayout(change.known);
        return this.called(change.plan, (name) => called("others", "value", known, name, ...where));
      }
      case "fitting": {
        const test = this.predicates.of(change.to, `${hint} ${change.key}`);
        return [assigned(called("fitting", "value", stringLiteral(change.key), test, ...where))];
      }
      case "without":
        return [assigned(called("without", "value", stringsLayout(change.keys), ...where))];
      case "renamed": {
        const names = [change.from, change.to].map(stringLiteral);
        return [assigned(called("renamed", "value", ...names, ...where))];
      }
      case "wrapped":
      case "unwrapped": {
        const words = ["value", stringLiteral(change.key), stringsLayout(change.outside)];
        this.own.add(change.kind);
        return [assigned(called(change.kind, ...words, ...(change.kind === "wrapped" ? [] : where)))];
      }
      case "reshaped": {
        const { make } = new MadeCode((plan) => this.nameOf(plan), change);
        const keys = stringsLayout(change.keys);
        return [assigned(called("reshaped", "value", given, keys, make, ...where))];
      }
      case "joined":
      case "split": {
        const pairs = change.members.map((pair) => arrayLayout(pair.map(stringLiteral)));
        this.own.add(change.kind);
        // Break only the list; the call around it stays on its line.
        const head = `${change.kind}(value, ${stringLiteral(change.key)}, `;
        return [assigned([head, arrayLayout(pairs, true), ")"])];
      }
      case "limited":
        return [assigned(called("limited", "value", String(change.most), ...where))];
      case "alsoText": {
        const names = [change.key, change.into].map(stringLiteral);
        return [assigned(called("alsoText", "value", ...names, this.blockFunction(change.block)))];
      }
      case "asText":
        return [assigned(this.asText(change, hint))];
      case "filled":
        return [assigned(called("filled", "value", stringLiteral(change.key), literal(change.value)))];
      case "required": {
        const { code, reason } = change.outcome;
        const said = [code, reason].map(stringLiteral);
        return [[called("required", "value", stringLiteral(change.key), ...where, ...said), ";"]];
      }
    }
  }

  /** A plan that only converts the items of a list is called inline, without a function for the list. */
  private member(key: string, plan: Plan): Layout[] {
    const [arm, second] = plan.arms;
    const [only, more] = arm?.changes ?? [];
    const isList =
      plan.exits.length === 0 &&
      !second &&
      !more &&
      only?.kind === "items" &&
      !conditionOf(arm!.test) &&
      !arm!.unless;
    const [callee, inner] = isList ? ["list", only.plan] : ["member", plan];
    return this.called(inner, (name) => called(callee, "value", stringLiteral(key), name, ...where));
  }

  private called(plan: Plan, make: (name: string) => Layout): Layout[] {
    const name = this.nameOf(plan);
    return name === undefined ? [] : [assigned(make(name))];
  }

  private asText({ key, unless, into, block }: Change & { kind: "asText" }, hint: string): Layout {
    const test = unless ? this.predicates.of(unless, `${hint} ${key}`) : never;
    const words = [stringLiteral(key), test, stringLiteral(into), this.blockFunction(block)];
    return called("asText", "value", ...words, ...where);
  }

  private blockFunction(block: TextBlock): string {
    const key = JSON.stringify(block);
    let name = this.blocks.get(key);
    if (name === undefined)
      this.blocks.set(key, (name = this.free(joinedWords(`${this.prefix} text block`))));
    return name;
  }

  private blockTexts(): string[] {
    return [...this.blocks].map(([block, name]) => {
      const literal = blockLiteral(JSON.parse(block) as TextBlock, "text");
      return print([
        `function ${name}(text: string): object {`,
        indent(hardline, "return ", literal, ";"),
        hardline,
        "}",
      ]);
    });
  }
}

/** Name of the variable with the original value. */
const given = "given";

/** Helper functions that a file of steps includes only if it calls them; few files do. */
export const ownFunctions = ["joined", "split", "unwrapped", "wrapped"] as const;

type OwnFunction = (typeof ownFunctions)[number];

export function ownFunctionText(name: OwnFunction): string {
  return copyDeclaration("moves", name);
}
