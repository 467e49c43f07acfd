import { type Layout, group, indent, line, print, softline, whenBroken } from "../../../print/layout.js";
import { type Statement, block, leaves } from "./statement.js";
import type { Expression } from "./expression.js";

/** The head of an emitted function. Its first parameter is the value to validate. */
export interface Head {
  /** Keywords and name. */
  readonly name: string;
  /** Parameters after the value. */
  readonly more: readonly string[];
  /** The type that the function proves as a type predicate; without it, the function returns `result`. */
  readonly proves?: string;
  readonly result: string;
}

/** The head of an ordinary function. */
export function plainHead(name: string): Head {
  return { name: `function ${name}`, more: [], result: "boolean" };
}

/** The head of a recursive function. It counts the depth, and may postpone parts. */
export function walkerHead(name: string, keeps: boolean): Head {
  const more = ["depth: number", ...(keeps ? ["later?: unknown[]"] : [])];
  return { name: `function ${name}`, more, result: "boolean" };
}

/**
 * The head of a generator function, which asks the driver of an explicit stack for the results that it needs.
 */
export function judgeHead(name: string): Head {
  return { name: `function* ${name}`, more: [], result: "Generator<unknown, boolean, boolean>" };
}

/** An emitted function. */
export interface Printed {
  /** Empty for an alias. */
  readonly name: string;
  readonly text: string;
  /** The text after the opening brace; undefined for an alias. */
  readonly body?: string;
  /** Names that the body uses. */
  readonly used: ReadonlySet<string>;
}

export function printFunction(head: Head, statements: readonly Statement[]): Printed {
  const { statements: kept, used } = prune(statements);
  // An underscore marks an unused parameter, for readers and for `noUnusedParameters`.
  const value = used.has("value") ? "value" : "_value";
  const more = head.more.map((parameter) =>
    used.has(/^\w+/.exec(parameter)![0]) ? parameter : `_${parameter}`,
  );
  const result = head.proves === undefined ? head.result : `${value} is ${head.proves}`;
  const start = print([signature(head.name, [`${value}: unknown`, ...more], result), " {"]);
  const body = print(block(kept)).slice(1);
  return { name: /[\w$]+$/.exec(head.name)![0], text: start + body, body, used };
}

function signature(name: string, parameters: readonly string[], result: string): Layout {
  const list = parameters.flatMap((parameter, index) => (index === 0 ? [parameter] : [",", line, parameter]));
  return group(name, "(", indent(softline, ...list, whenBroken(",")), softline, "): ", result);
}

/**
 * Removes unreachable statements, statements without effect and unused constants. Also returns the names in
 * use.
 */
function prune(statements: readonly Statement[]): {
  statements: Statement[];
  used: ReadonlySet<string>;
} {
  const used = new Set<string>();
  return { statements: pruneBlock(statements, used), used };
}

/** @param used names that are read after the block; the names that the block reads are added */
function pruneBlock(statements: readonly Statement[], used: Set<string>): Statement[] {
  const end = statements.findIndex((statement) => leaves([statement]));
  const reached = end < 0 ? statements : statements.slice(0, end + 1);
  const kept: Statement[] = [];
  for (const statement of [...reached].reverse()) {
    if (statement.kind === "const" && !used.has(statement.name)) continue;
    const pruned = pruneStatement(statement, used);
    if (pruned) kept.push(pruned);
  }
  return kept.reverse();
}

/** Returns `undefined` for a loop or `if` without effect. */
function pruneStatement(statement: Statement, used: Set<string>): Statement | undefined {
  switch (statement.kind) {
    case "const":
      readIn(statement.value, used);
      return statement;
    case "return":
      readInExpression(statement.value, used);
      return statement;
    case "plain": {
      const written = /^(?:(?:let|const) )?([\w$]+)(?: = |\+\+$|\.add\()/.exec(statement.text)?.[1];
      if (written !== undefined && !used.has(written)) return undefined;
      readIn(statement.text, used);
      return statement;
    }
    case "break":
      return statement;
    case "labelled": {
      const body = pruneBlock(statement.body, used);
      return body.length === 0 ? undefined : { ...statement, body };
    }
    case "for": {
      const body = pruneBlock(statement.body, used);
      if (body.length === 0) return undefined;
      const head = readHead(statement.head, used);
      readIn(head, used);
      return { ...statement, head, body };
    }
    case "switch": {
      const cases = statement.cases.map((one) => ({ ...one, body: pruneBlock(one.body, used) }));
      readIn(statement.subject, used);
      return { ...statement, cases };
    }
    case "if": {
      const then = pruneBlock(statement.then, used);
      const otherwise = statement.else && { else: pruneBlock(statement.else, used) };
      if (then.length === 0 && !otherwise?.else.length) return undefined;
      readInExpression(statement.test, used);
      return { ...statement, then, ...otherwise };
    }
  }
}

/** The head of a loop. An unused loop variable gets an underscore. */
function readHead(head: Layout, used: ReadonlySet<string>): Layout {
  if (typeof head !== "string") return head;
  const [, index, item, items] = /^const \[([\w$]+), ([\w$]+)\] of (.*)\.entries\(\)$/.exec(head) ?? [];
  if (item !== undefined && !used.has(item)) return `const ${index} of ${items}.keys()`;
  const [, declared] = /^const ([\w$]+) (?:in|of) /.exec(head) ?? [];
  return declared === undefined || used.has(declared) ? head : head.replace(declared, `_${declared}`);
}

function readInExpression(expression: Expression, used: Set<string>): void {
  if (expression.kind === "logic") for (const part of expression.parts) readInExpression(part, used);
  else if (expression.kind === "compare") readIn([expression.left, " ", expression.right], used);
  else if (expression.kind === "call") readIn(expression.call, used);
}

function readIn(layout: Layout, used: Set<string>): void {
  if (typeof layout === "string") addIdentifiers(layout, used);
  else if (Array.isArray(layout)) for (const part of layout as readonly Layout[]) readIn(part, used);
  else if ("of" in layout) readIn(layout.of, used);
}

const word = /^[A-Za-z_$][\w$]*$/;
const identifierOrString = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_$][\w$]*/g;

/** Adds the identifiers in a piece of emitted code; ignores string literals. */
function addIdentifiers(code: string, names: Set<string>): void {
  if (word.test(code)) names.add(code);
  else for (const found of code.match(identifierOrString) ?? []) if (!/^["']/.test(found)) names.add(found);
}
