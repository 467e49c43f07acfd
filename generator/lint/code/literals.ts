import { ts } from "ts-morph";

/** Resolves names to constants and functions, also in other modules. */
export class Literals {
  readonly #program: ts.Program;

  constructor(program: ts.Program) {
    this.#program = program;
  }

  get checker(): ts.TypeChecker {
    return this.#program.getTypeChecker();
  }

  /** The expression that a name refers to, without `as`, `satisfies` and parentheses. */
  resolved(expression: ts.Expression): ts.Node {
    const bare = bareOf(expression);
    return (ts.isIdentifier(bare) && this.declarationOf(bare)) || bare;
  }

  /** The constant value or function that an identifier refers to. */
  declarationOf(name: ts.Identifier): ts.Node | undefined {
    const symbol = ts.isShorthandPropertyAssignment(name.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(name.parent)
      : this.checker.getSymbolAtLocation(name);
    const found =
      symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    const declaration = found?.valueDeclaration;
    if (!declaration) return undefined;
    if (ts.isVariableDeclaration(declaration) && declaration.initializer)
      return this.resolved(declaration.initializer);
    return declaration;
  }

  object(expression: ts.Expression | undefined): ts.ObjectLiteralExpression | undefined {
    const found = expression && this.resolved(expression);
    return found && ts.isObjectLiteralExpression(found) ? found : undefined;
  }

  text(expression: ts.Expression | undefined): string | undefined {
    const found = expression && this.resolved(expression);
    return found && ts.isStringLiteralLike(found) ? found.text : undefined;
  }

  /** The function that an expression is or refers to. */
  functionOf(expression: ts.Expression | undefined): HandlerFunction | undefined {
    const found = expression && this.resolved(expression);
    return found && isHandler(found) ? found : undefined;
  }

  /** The function that is a member of an object literal, as a value or method; the last one counts. */
  functionMember(object: ts.ObjectLiteralExpression, name: string): HandlerFunction | undefined {
    let found: HandlerFunction | undefined;
    for (const property of object.properties) {
      if (ts.isSpreadAssignment(property)) {
        const spread = this.object(property.expression);
        found = (spread && this.functionMember(spread, name)) ?? found;
      } else if (!isNamed(property.name, name)) continue;
      else if (ts.isMethodDeclaration(property)) found = property;
      else if (ts.isPropertyAssignment(property)) found = this.functionOf(property.initializer);
      else if (ts.isShorthandPropertyAssignment(property)) found = this.functionOf(property.name);
    }
    return found;
  }

  /** The value of a member of an object literal, including spread objects; the last one counts. */
  member(object: ts.ObjectLiteralExpression | undefined, name: string): ts.Expression | undefined {
    let value: ts.Expression | undefined;
    for (const property of object?.properties ?? []) {
      if (ts.isSpreadAssignment(property))
        value = this.member(this.object(property.expression), name) ?? value;
      else if (property.name === undefined || !isNamed(property.name, name)) continue;
      else if (ts.isPropertyAssignment(property)) value = property.initializer;
      else if (ts.isShorthandPropertyAssignment(property)) value = property.name;
    }
    return value;
  }
}

/** An expression without parentheses, `as`, `satisfies` and `!`. */
export function bareOf(expression: ts.Expression): ts.Expression {
  let bare = expression;
  while (
    ts.isParenthesizedExpression(bare) ||
    ts.isAsExpression(bare) ||
    ts.isSatisfiesExpression(bare) ||
    ts.isNonNullExpression(bare)
  )
    bare = bare.expression;
  return bare;
}

/** A function with a body. */
export type HandlerFunction =
  ts.ArrowFunction | ts.FunctionExpression | ts.FunctionDeclaration | ts.MethodDeclaration;

function isHandler(node: ts.Node): node is HandlerFunction {
  return (
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node)
  );
}

function isNamed(name: ts.PropertyName, text: string): boolean {
  return (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) && name.text === text;
}

/** A tool in a server's code whose calls may run as tasks. */
export interface TaskTool {
  /** The name as written in code: a string without quotes, or an expression. */
  readonly name: string;
  readonly support: string | undefined;
  /** The member `support`, or the call that registers the tool. */
  readonly at: ts.Node;
  /** The handler, if it was found and the task is run again after the process has ended. */
  readonly replayed: HandlerFunction | undefined;
}

/** The tools that a file registers with `task`: `server.tool(name, { task }, handler)`. */
export function taskTools(file: ts.SourceFile, literals: Literals): TaskTool[] {
  const tools: TaskTool[] = [];
  const visit = (node: ts.Node): void => {
    const tool = ts.isCallExpression(node) ? taskTool(node, literals) : undefined;
    if (tool) tools.push(tool);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return tools;
}

function taskTool(call: ts.CallExpression, literals: Literals): TaskTool | undefined {
  const { expression, arguments: args } = call;
  const [name, definition, handler] = args;
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== "tool") return undefined;
  if (!name || !definition || !handler) return undefined;
  const task = literals.object(literals.member(literals.object(definition), "task"));
  if (!task) return undefined;
  const support = literals.member(task, "support");
  const isReplayed = literals.text(literals.member(task, "onRestart")) === "replay";
  return {
    name: literals.text(name) ?? name.getText(),
    support: literals.text(support),
    at: support?.parent ?? call,
    replayed: isReplayed ? literals.functionOf(handler) : undefined,
  };
}
