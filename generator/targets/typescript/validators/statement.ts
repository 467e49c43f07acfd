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
} from "../../../print/layout.js";

export type Statement =
  /** `if (…) { … } else { … }`. A single `return` stays on the line of its condition if it fits. */
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
  /** `label: { … }`, which a `break` can leave. */
  | { readonly kind: "labelled"; readonly label: string; readonly body: readonly Statement[] }
  | { readonly kind: "break"; readonly label: string }
  /** Any other one-line statement, without its semicolon. */
  | { readonly kind: "plain"; readonly text: string };

export interface SwitchCase {
  /** The case labels as literals; an empty list means `default`. */
  readonly labels: readonly string[];
  readonly body: readonly Statement[];
}

export function returns(value: Expression): Statement {
  return { kind: "return", value };
}

/** Statements that return `false` unless the condition holds. */
export function refuseUnless(condition: Expression): Statement[] {
  if (condition.kind === "constant") return condition.value ? [] : [returns(condition)];
  return [{ kind: "if", test: not(condition), then: [returns({ kind: "constant", value: false })] }];
}

/** `body`, executed only if the condition holds. */
export function when(test: Expression, body: readonly Statement[]): Statement[] {
  if (body.length === 0) return [];
  if (test.kind === "constant") return test.value ? [...body] : [];
  return [{ kind: "if", test, then: body }];
}

/** Whether the statements never continue to the next one. */
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

/** The body of a boolean function: `statements`, then `return true`. A final test is returned directly. */
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

/** A labelled block that breaks where one of `statements` would return `false`. */
export function breakInstead(statements: readonly Statement[], label: string): Statement[] {
  const body = statements.map((statement) => withBreaks(statement, label));
  const breaks = body.some((statement, index) => statement !== statements[index]);
  return breaks ? [{ kind: "labelled", label, body }] : body;
}

/** The statement with its rejections replaced by breaks. */
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

/**
 * Layout of a value after `=`: a call breaks inside its arguments; other values move to the next line first.
 */
function behindEquals(value: Layout): Layout {
  const isCall = flat(value).endsWith(")");
  return isCall ? assigned(value) : group(indent(line, value));
}

/** Prettier breaks a condition only inside `if (`, and keeps existing braces. */
function conditional(statement: Statement & { kind: "if" }): Layout {
  const test = group("if (", group(indent(softline, layoutOf(statement.test)), softline), ")");
  const short = onOneLine(statement);
  if (short) return { kind: "choice", short, long: [test, " ", block(statement.then)] };
  const alternative = statement.else ? [" else ", block(statement.else)] : "";
  return [test, " ", block(statement.then), alternative];
}

/** `if (…) return …;` or `if (…) break …;` if the statement is nothing more. */
function onOneLine(statement: Statement): Layout | undefined {
  if (statement.kind !== "if" || statement.else || statement.then.length !== 1) return undefined;
  const only = statement.then[0]!;
  if (only.kind !== "return" && only.kind !== "break") return undefined;
  return ["if (", layoutOf(statement.test), ") ", layout(only)];
}

/** A loop that only returns under a condition is printed on one line if it fits. */
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
