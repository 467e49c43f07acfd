import { ts } from "ts-morph";

/** Names that lead to one another until a value is found. */
const mostNames = 20;

/** Resolves names and members to constants and functions, also in other modules. */
export class Literals {
  readonly #program: ts.Program;

  constructor(program: ts.Program) {
    this.#program = program;
  }

  get checker(): ts.TypeChecker {
    return this.#program.getTypeChecker();
  }

  /** The expression that a name refers to, without `as`, `satisfies` and parentheses. */
  resolved(expression: ts.Expression, depth = 0): ts.Node {
    const bare = bareOf(expression);
    const name = ts.isPropertyAccessExpression(bare) ? bare.name : bare;
    return (ts.isIdentifier(name) && depth < mostNames && this.declarationOf(name, depth + 1)) || bare;
  }

  /** The constant value or function that an identifier refers to. */
  declarationOf(name: ts.Identifier, depth = 0): ts.Node | undefined {
    const symbol = ts.isShorthandPropertyAssignment(name.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(name.parent)
      : this.checker.getSymbolAtLocation(name);
    const found =
      symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    const declaration = found?.valueDeclaration;
    if (!declaration) return undefined;
    if (ts.isExportAssignment(declaration)) return this.resolved(declaration.expression, depth);
    const isValue =
      ts.isVariableDeclaration(declaration) ||
      ts.isPropertyAssignment(declaration) ||
      ts.isPropertyDeclaration(declaration);
    return isValue && declaration.initializer ? this.resolved(declaration.initializer, depth) : declaration;
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

  /** The names of an object's members, including spread objects. */
  names(object: ts.ObjectLiteralExpression): string[] {
    return object.properties.flatMap((property) => {
      if (ts.isSpreadAssignment(property)) {
        const spread = this.object(property.expression);
        return spread ? this.names(spread) : [];
      }
      const { name } = property;
      return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? [name.text] : [];
    });
  }

  /** A member that is written as `true` or `false`; false if it is absent, undefined if it cannot be known. */
  flag(object: ts.ObjectLiteralExpression, name: string): boolean | undefined {
    const value = this.member(object, name);
    const kind = value && this.resolved(value).kind;
    if (kind === ts.SyntaxKind.TrueKeyword) return true;
    if (kind !== undefined) return kind === ts.SyntaxKind.FalseKeyword ? false : undefined;
    const isWhole = object.properties.every(
      (each) => !ts.isSpreadAssignment(each) || this.object(each.expression) !== undefined,
    );
    return isWhole ? false : undefined;
  }
}

/** The name of a declared function. */
export function nameOf(declared: ts.Node): string | undefined {
  return (declared as ts.NamedDeclaration).name?.getText();
}

/** The name of a called function, without the object that it is a member of. */
export function calleeName({ expression }: ts.CallExpression): ts.Identifier | undefined {
  const bare = bareOf(expression);
  if (ts.isIdentifier(bare)) return bare;
  return ts.isPropertyAccessExpression(bare) && ts.isIdentifier(bare.name) ? bare.name : undefined;
}

/** The names in a chain of members: `["context", "ask", "elicit"]`. */
export function pathOf(expression: ts.Expression): string[] | undefined {
  const bare = bareOf(expression);
  if (ts.isIdentifier(bare)) return [bare.text];
  const name = memberNameOf(bare);
  if (name === undefined) return undefined;
  const before = pathOf((bare as ts.PropertyAccessExpression).expression);
  return before && [...before, name];
}

function memberNameOf(node: ts.Expression): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)
    ? node.argumentExpression.text
    : undefined;
}

/** The name at the start of a chain of members. */
export function startOf(expression: ts.Expression): ts.Identifier | undefined {
  const bare = bareOf(expression);
  if (ts.isPropertyAccessExpression(bare) || ts.isElementAccessExpression(bare))
    return startOf(bare.expression);
  return ts.isIdentifier(bare) ? bare : undefined;
}

/** The names of a called function and the objects that it is a member of: `process.hrtime.bigint`. */
export function calledPath({ expression }: ts.CallExpression): string {
  return (pathOf(expression) ?? []).join(".").replace(/^globalThis\./, "");
}

/** The module that a name, or the object that it is a member of, is imported from; empty if it is not imported. */
export function moduleOf(expression: ts.Expression): string {
  const [root] = pathOf(expression) ?? [];
  for (const statement of root === undefined ? [] : expression.getSourceFile().statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const { name, namedBindings } = statement.importClause ?? {};
    const names =
      namedBindings === undefined
        ? []
        : ts.isNamespaceImport(namedBindings)
          ? [namedBindings.name]
          : namedBindings.elements.map((element) => element.name);
    if ([name, ...names].some((each) => each?.text === root)) return statement.moduleSpecifier.text;
  }
  return "";
}

export function visitAll(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visitAll(child, look));
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

export type FunctionNode = Exclude<ts.SignatureDeclaration, ts.JSDocSignature> & {
  readonly body?: ts.Node;
};

/** Whether a node is a function with a body, a method or an accessor. */
export function isFunction(node: ts.Node): node is FunctionNode {
  return ts.isFunctionLike(node) && "body" in node;
}

function isNamed(name: ts.PropertyName, text: string): boolean {
  return (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) && name.text === text;
}
