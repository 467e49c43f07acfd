import { type Expression, layoutOf, not } from "./expression.js";
import {
  type Layout,
  assigned,
  flat,
  group,
  hardline,
  indent,
  join,
  line,
  softline,
  whenBroken,
} from "../../print/layout.js";

export type Statement =
  /** `if (…) { … } else { … }`; a lone `return` stays on the line of its condition where it fits. */
  | {
      readonly kind: "if";
      readonly test: Expression;
      readonly then: readonly Statement[];
      readonly else?: readonly Statement[];
    }
  | { readonly kind: "return"; readonly value: Expression }
  | { readonly kind: "const"; readonly name: string; readonly value: Layout }
  | { readonly kind: "for"; readonly head: Layout; readonly body: readonly Statement[] }
  | { readonly kind: "switch"; readonly subject: Layout; readonly cases: readonly SwitchCase[] }
  /** `label: { … }`, which a `break` may leave. */
  | { readonly kind: "labelled"; readonly label: string; readonly body: readonly Statement[] }
  | { readonly kind: "break"; readonly label: string }
  /** Any other one-line statement, without its semicolon. */
  | { readonly kind: "plain"; readonly text: string };

export interface SwitchCase {
  /** Literals; none is `default`. */
  readonly labels: readonly string[];
  readonly body: readonly Statement[];
}

export function returns(value: Expression): Statement {
  return { kind: "return", value };
}

/** Statements that leave with `false` unless the condition holds. */
export function refuseUnless(condition: Expression): Statement[] {
  if (condition.kind === "constant") return condition.value ? [] : [returns(condition)];
  return [{ kind: "if", test: not(condition), then: [returns({ kind: "constant", value: false })] }];
}

/** `body` where the condition holds. */
export function when(test: Expression, body: readonly Statement[]): Statement[] {
  if (body.length === 0) return [];
  if (test.kind === "constant") return test.value ? [...body] : [];
  return [{ kind: "if", test, then: body }];
}

/** Whether control never goes on behind the statements. */
export function leaves(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    if (statement.kind === "return" || statement.kind === "break") return true;
    if (statement.kind === "switch") {
      const { cases } = statement;
      return cases.some(({ labels }) => labels.length === 0) && cases.every(({ body }) => leaves(body));
    }
    return (
      statement.kind === "if" &&
      statement.else !== undefined &&
      leaves(statement.then) &&
      leaves(statement.else)
    );
  });
}

/**
 * The body of a function that gives a verdict: `statements`, then `true`. A last test is returned itself.
 */
export function verdict(statements: readonly Statement[]): Statement[] {
  if (leaves(statements)) return [...statements];
  const last = statements.at(-1);
  if (last?.kind === "if" && !last.else && isRefusal(last.then))
    return [...statements.slice(0, -1), returns(not(last.test))];
  return [...statements, returns({ kind: "constant", value: true })];
}

function isRefusal(statements: readonly Statement[]): boolean {
  const [only] = statements;
  return (
    statements.length === 1 && only?.kind === "return" && only.value.kind === "constant" && !only.value.value
  );
}

/** A block that is left, and nothing else, where one of `statements` would refuse. */
export function breakInstead(statements: readonly Statement[], label: string): Statement[] {
  const body = statements.map((statement) => withBreaks(statement, label));
  const breaks = body.some((statement, index) => statement !== statements[index]);
  return breaks ? [{ kind: "labelled", label, body }] : body;
}

/** The statement itself where it holds no refusal. */
function withBreaks(statement: Statement, label: string): Statement {
  const all = (body: readonly Statement[]): readonly Statement[] => {
    const changed = body.map((one) => withBreaks(one, label));
    return changed.some((one, index) => one !== body[index]) ? changed : body;
  };
  switch (statement.kind) {
    case "return":
      return { kind: "break", label };
    case "if": {
      const then = all(statement.then);
      const otherwise = statement.else && all(statement.else);
      if (then === statement.then && otherwise === statement.else) return statement;
      return { ...statement, then, ...(otherwise && { else: otherwise }) };
    }
    case "for":
    case "labelled": {
      const body = all(statement.body);
      return body === statement.body ? statement : { ...statement, body };
    }
    default:
      return statement;
  }
}

/** Statements in braces. */
export function block(body: readonly Statement[]): Layout {
  return ["{", indent(body.map((statement) => [hardline, layout(statement)])), hardline, "}"];
}

function layout(statement: Statement): Layout {
  switch (statement.kind) {
    case "if":
      return conditional(statement);
    case "return":
      return returned(statement.value);
    case "const":
      return [`const ${statement.name} =`, behindEquals(statement.value), ";"];
    case "for":
      return loop(statement);
    case "switch":
      return [
        group("switch (", indent(softline, statement.subject), softline, ")"),
        " {",
        indent(statement.cases.map(branch)),
        hardline,
        "}",
      ];
    case "labelled":
      return [`${statement.label}: `, block(statement.body)];
    case "break":
      return `break ${statement.label};`;
    case "plain":
      return statement.text + ";";
  }
}

/** A call has places to break in; before all else the line is broken behind `=`. */
function behindEquals(value: Layout): Layout {
  const isCall = flat(value).endsWith(")");
  return isCall ? assigned(value) : group(indent(line, value));
}

/** Prettier breaks a condition over lines only behind `if (`, and keeps braces where it finds them. */
function conditional(statement: Statement & { kind: "if" }): Layout {
  const test = group("if (", group(indent(softline, layoutOf(statement.test)), softline), ")");
  const short = onOneLine(statement);
  if (short) return { kind: "choice", short, long: [test, " ", block(statement.then)] };
  const alternative = statement.else ? [" else ", block(statement.else)] : "";
  return [test, " ", block(statement.then), alternative];
}

/** `if (…) return …;` or `if (…) break …;`, if that is all. */
function onOneLine(statement: Statement): Layout | undefined {
  if (statement.kind !== "if" || statement.else || statement.then.length !== 1) return undefined;
  const only = statement.then[0]!;
  if (only.kind !== "return" && only.kind !== "break") return undefined;
  return ["if (", layoutOf(statement.test), ") ", layout(only)];
}

/** A loop that only leaves under a condition is one line where it fits. */
function loop({ head, body }: Statement & { kind: "for" }): Layout {
  const start = ["for (", head, ") "];
  const long = [start, block(body)];
  const only = body.length === 1 ? onOneLine(body[0]!) : undefined;
  return only ? { kind: "choice", short: [start, only], long } : long;
}

function returned(value: Expression): Layout {
  if (value.kind !== "logic" && value.kind !== "compare") return ["return ", layoutOf(value), ";"];
  return [
    "return ",
    group(whenBroken("("), indent(softline, group(layoutOf(value))), softline, whenBroken(")")),
    ";",
  ];
}

function branch({ labels, body }: SwitchCase): Layout {
  const heads = labels.length === 0 ? ["default:"] : labels.map((label) => `case ${label}:`);
  return [hardline, join(hardline, heads), indent(body.map((statement) => [hardline, layout(statement)]))];
}
