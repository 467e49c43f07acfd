import { flat } from "../../print/layout.js";
import type { Expression } from "./expression.js";
import { withArguments, withContainers } from "./asserted.js";
import {
  type Flow,
  type Known,
  equalTo,
  isComparable,
  isOnly,
  isTracked,
  agrees,
  joined,
  knownOf,
  lost,
  notEqualTo,
  notOfKind,
  ofKind,
} from "./flow.js";
import { type Kind, everyKind } from "./kind.js";
import type { Statement } from "./statement.js";

/** Functions that are type predicates, and the kinds of value that their types may have. */
export type Proving = ReadonlyMap<string, ReadonlySet<Kind>>;

/**
 * Writes assertions where TypeScript, which narrows the type of a value with each test, would not take what a
 * function does next: a comparison that can only fail, say. Schemas that lead to such code are valid, and
 * the code emitted for every valid schema must compile. Functions that compile as they are stay as they are.
 */
export function withAssertions(statements: readonly Statement[], proving: Proving): readonly Statement[] {
  return new Narrowing(proving).block(statements, new Map([["value", undefined]])).statements;
}

/** The code after a test, and the test as it is to be written. */
interface Tested {
  readonly expression: Expression;
  readonly whenTrue: Flow | undefined;
  readonly whenFalse: Flow | undefined;
}

interface Block {
  readonly statements: readonly Statement[];
  /** The facts behind the block; `undefined` if control never gets there. */
  readonly end: Flow | undefined;
}

const callText = /^(?:yield )?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\((.*)\)$/s;

class Narrowing {
  private readonly proving: Proving;
  /** The facts at the places where labelled blocks are left. */
  private readonly breaks = new Map<string, (Flow | undefined)[]>();

  constructor(proving: Proving) {
    this.proving = proving;
  }

  block(statements: readonly Statement[], start: Flow | undefined): Block {
    let flow = start;
    let changed = false;
    const result = statements.map((statement) => {
      // Unreachable code is pruned.
      if (!flow) return statement;
      const [written, end] = this.statement(statement, flow);
      flow = end;
      changed ||= written !== statement;
      return written;
    });
    return { statements: changed ? result : statements, end: flow };
  }

  private statement(statement: Statement, flow: Flow): readonly [Statement, Flow | undefined] {
    switch (statement.kind) {
      case "return": {
        const { expression } = this.test(statement.value, flow);
        return [expression === statement.value ? statement : { ...statement, value: expression }, undefined];
      }
      case "const":
        return this.constant(statement, flow);
      case "if":
        return this.conditional(statement, flow);
      case "for":
        return this.loop(statement, flow);
      case "switch":
        return this.switch(statement, flow);
      case "labelled": {
        const { statements, end } = this.block(statement.body, flow);
        const ends = [end, ...(this.breaks.get(statement.label) ?? [])];
        this.breaks.delete(statement.label);
        return [withPart(statement, "body", statements), ends.reduce(joined)];
      }
      case "break":
        this.breaks.set(statement.label, [...(this.breaks.get(statement.label) ?? []), flow]);
        return [statement, undefined];
      case "plain":
        return [statement, flow];
    }
  }

  private constant(statement: Statement & { kind: "const" }, flow: Flow): readonly [Statement, Flow] {
    const written = flat(statement.value);
    const known = isTracked(flow, written) ? knownOf(flow, written) : undefined;
    const value = withContainers(written, flow);
    const end = new Map([...flow, [statement.name, value === written ? known : undefined]]);
    return [value === written ? statement : { ...statement, value }, end];
  }

  private conditional(
    statement: Statement & { kind: "if" },
    flow: Flow,
  ): readonly [Statement, Flow | undefined] {
    const { expression, whenTrue, whenFalse } = this.test(statement.test, flow);
    const then = this.block(statement.then, whenTrue);
    const otherwise = statement.else && this.block(statement.else, whenFalse);
    const end = joined(then.end, otherwise ? otherwise.end : whenFalse);
    const same =
      expression === statement.test &&
      then.statements === statement.then &&
      otherwise?.statements === statement.else;
    if (same) return [statement, end];
    const others = otherwise && { else: otherwise.statements };
    return [{ ...statement, test: expression, then: then.statements, ...others }, end];
  }

  private loop(statement: Statement & { kind: "for" }, flow: Flow): readonly [Statement, Flow] {
    const written = flat(statement.head);
    const head = withContainers(written, flow);
    const inside = (start: Flow): Flow => new Map([...start, ...declaredBy(written)]);
    // What one round leaves is what the next one may start with. A second look where that is the same would take loops
    // inside loops time that doubles with each.
    const first = this.block(statement.body, inside(flow));
    const start = joined(flow, first.end)!;
    const { statements, end } = agrees(flow, start) ? first : this.block(statement.body, inside(start));
    const whole = withPart(statement, "body", statements);
    return [head === written ? whole : { ...whole, head }, joined(flow, end)!];
  }

  private switch(
    statement: Statement & { kind: "switch" },
    flow: Flow,
  ): readonly [Statement, Flow | undefined] {
    const written = flat(statement.subject);
    let subject = withContainers(written, flow);
    const isReference = subject === written && isTracked(flow, written);
    const known = isReference ? knownOf(flow, written) : undefined;
    const labels = statement.cases.flatMap((one) => one.labels);
    const isCast = isReference && !labels.every((label) => isComparable(known, label));
    if (isCast) subject = `(${written} as unknown)`;
    let end: Flow | undefined;
    const cases = statement.cases.map((one) => {
      const isNarrowed = isReference && !isCast && one.labels.length > 0;
      const narrowed = isNarrowed ? one.labels.map((label) => equalTo(flow, written, label)) : [flow];
      const start = narrowed.reduce<Flow | undefined>(joined, undefined);
      const body = this.block(one.body, start);
      end = joined(end, body.end);
      return withPart(one, "body", body.statements);
    });
    const same = subject === written && cases.every((one, index) => one === statement.cases[index]);
    return [
      same ? statement : { ...statement, subject: subject === written ? statement.subject : subject, cases },
      end,
    ];
  }

  private test(expression: Expression, flow: Flow | undefined): Tested {
    if (!flow) return { expression, whenTrue: undefined, whenFalse: undefined };
    switch (expression.kind) {
      case "constant":
        return {
          expression,
          whenTrue: expression.value ? flow : undefined,
          whenFalse: expression.value ? undefined : flow,
        };
      case "logic":
        return this.logic(expression, flow);
      case "compare":
        return this.comparison(expression, flow);
      case "call":
        return this.call(expression, flow);
    }
  }

  private logic(expression: Expression & { kind: "logic" }, flow: Flow): Tested {
    const conjunction = expression.operator === "&&";
    let going: Flow | undefined = flow;
    let left: Flow | undefined;
    const parts = expression.parts.map((part) => {
      const tested = this.test(part, going);
      left = joined(left, conjunction ? tested.whenFalse : tested.whenTrue);
      going = conjunction ? tested.whenTrue : tested.whenFalse;
      return tested.expression;
    });
    const same = parts.every((part, index) => part === expression.parts[index]);
    const written = same ? expression : { ...expression, parts };
    return {
      expression: written,
      whenTrue: conjunction ? going : left,
      whenFalse: conjunction ? left : going,
    };
  }

  private comparison(expression: Expression & { kind: "compare" }, flow: Flow): Tested {
    const { operator, right } = expression;
    const written = flat(expression.left);
    const left = withArguments(withContainers(written, flow), flow);
    const as = (changed: string): Expression =>
      changed === written ? expression : { ...expression, left: changed };
    const unchanged = (changed: string): Tested => ({
      expression: as(changed),
      whenTrue: flow,
      whenFalse: flow,
    });
    if (left !== written)
      return unchanged(isOrdering(operator) && isMember(left) ? `(${left} as number)` : left);
    const equal = operator === "===";
    const [, kindOf] = /^typeof (.*)$/.exec(written) ?? [];
    if (kindOf !== undefined && isTracked(flow, kindOf)) {
      const kind = right.slice(1, -1) as Kind;
      const [is, isNot] = [ofKind(flow, kindOf, kind), notOfKind(flow, kindOf, kind)];
      return { expression, whenTrue: equal ? is : isNot, whenFalse: equal ? isNot : is };
    }
    if (!isTracked(flow, written)) return unchanged(written);
    const known = knownOf(flow, written);
    if (isOrdering(operator)) {
      return unchanged(isOnly(known, "number") ? written : `(${written} as unknown as number)`);
    }
    // Anything can be compared with these.
    if (right === "undefined") return unchanged(written);
    if (!isComparable(known, right)) return unchanged(`(${written} as unknown)`);
    const [is, isNot] = [equalTo(flow, written, right), notEqualTo(flow, written, right)];
    return { expression, whenTrue: equal ? is : isNot, whenFalse: equal ? isNot : is };
  }

  private call(expression: Expression & { kind: "call" }, flow: Flow): Tested {
    const written = flat(expression.call);
    const changed = withArguments(withContainers(written, flow), flow);
    const call = changed === written ? expression : { ...expression, call: changed };
    const [, callee, argument] = callText.exec(changed) ?? [];
    const tested = (is: Flow, isNot: Flow): Tested =>
      expression.negated
        ? { expression: call, whenTrue: isNot, whenFalse: is }
        : { expression: call, whenTrue: is, whenFalse: isNot };
    if (callee === undefined || !isTracked(flow, argument!)) return tested(flow, flow);
    const kind = predicates.get(callee);
    if (kind !== undefined) return tested(ofKind(flow, argument!, kind), notOfKind(flow, argument!, kind));
    if (!this.proving.has(callee) && callee !== "isStrings") return tested(flow, flow);
    // A value that is not `unknown` is nothing.
    const isEvery = this.proving.get(callee)?.size === everyKind.size;
    const open = knownOf(flow, argument!) === undefined && !isEvery;
    const is = new Map<string, Known | undefined>([...flow, [argument!, lost]]);
    return tested(is, open ? flow : is);
  }
}

/** The locals that the head of a loop declares and that are followed: keys are strings, items anything. */
function declaredBy(head: string): readonly (readonly [string, Known | undefined])[] {
  const [, key] = /^const ([\w$]+) in /.exec(head) ?? [];
  if (key !== undefined) return [[key, new Map([["string", "all" as const]])]];
  const [, item] = /^const (?:\[[\w$]+, )?([\w$]+)\]? of /.exec(head) ?? [];
  return item === undefined ? [] : [[item, undefined]];
}

/** The predicates that distinguish kinds. */
const predicates: ReadonlyMap<string, Kind> = new Map([
  ["Array.isArray", "array"],
  ["isObject", "object"],
]);

function withPart<T, K extends keyof T>(whole: T, key: K, part: T[K]): T {
  return whole[key] === part ? whole : { ...whole, [key]: part };
}

function isOrdering(operator: string): boolean {
  return operator !== "===" && operator !== "!==";
}

/** A value read from an asserted container: it has no facts. */
function isMember(written: string): boolean {
  return written.endsWith("]");
}
