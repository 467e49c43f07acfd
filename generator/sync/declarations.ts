import { ts } from "ts-morph";
import { everyNode } from "./walk.js";

/** A declaration that can have a type and values. */
export type Variable = ts.VariableDeclaration | ts.ParameterDeclaration | ts.PropertyDeclaration;

/** The nearest declaration of a name around its use, in the same file. */
export function declarationOf(name: ts.Identifier): ts.Declaration | undefined {
  for (let scope: ts.Node | undefined = name.parent; scope; scope = scope.parent) {
    const parameter = ts.isFunctionLike(scope) && scope.parameters.find((each) => declares(each, name.text));
    if (parameter) return parameter;
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isModuleBlock(scope)) continue;
    for (const statement of scope.statements) {
      const found = declarationIn(statement, name.text);
      if (found) return found;
    }
  }
  return undefined;
}

function declarationIn(statement: ts.Statement, name: string): ts.Declaration | undefined {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.find((each) => declares(each, name));
  if (ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement))
    return statement.name?.text === name ? statement : undefined;
  return undefined;
}

function declares(
  { name: binding }: ts.VariableDeclaration | ts.ParameterDeclaration,
  name: string,
): boolean {
  if (ts.isIdentifier(binding)) return binding.text === name;
  return binding.elements.some((element) => ts.isBindingElement(element) && declares(element as never, name));
}

/** The values that a variable is assigned, at its declaration and later in the file. */
export function valuesOf(declaration: Variable): ts.Expression[] {
  const { initializer, name } = declaration;
  const values = initializer ? [initializer] : [];
  if (!ts.isIdentifier(name)) return values;
  for (const { left, right } of assignmentsIn(declaration.getSourceFile()))
    if (means(left, declaration)) values.push(right);
  return values;
}

/** The first place that adds members to the value of a variable: its literal does not contain them all. */
export function laterMember(declaration: Variable): ts.Node | undefined {
  const source = declaration.getSourceFile();
  const added = assignmentsIn(source).find(({ left }) => isInside(left, declaration));
  return added?.left ?? extensionOf(declaration, source);
}

/** `variable.a = …`, `variable.a["b"] = …`. */
function isInside(left: ts.Expression, declaration: Variable): boolean {
  if (!ts.isPropertyAccessExpression(left) && !ts.isElementAccessExpression(left)) return false;
  return means(left.expression, declaration) || isInside(left.expression, declaration);
}

/** `Object.assign(variable, …)`. */
function extensionOf(declaration: Variable, source: ts.SourceFile): ts.Node | undefined {
  let found: ts.Node | undefined;
  everyNode(source, (node) => {
    if (found || !ts.isCallExpression(node) || !node.arguments[0]) return;
    if (node.expression.getText() !== "Object.assign") return;
    if (means(node.arguments[0], declaration)) found = node;
  });
  return found;
}

function means(expression: ts.Expression, declaration: Variable): boolean {
  if (ts.isIdentifier(expression))
    return (
      ts.isIdentifier(declaration.name) &&
      expression.text === declaration.name.text &&
      declarationOf(expression) === declaration
    );
  return (
    ts.isPropertyDeclaration(declaration) &&
    ts.isPropertyAccessExpression(expression) &&
    expression.expression.kind === ts.SyntaxKind.ThisKeyword &&
    expression.name.text === declaration.name.getText() &&
    isWithin(expression, declaration.parent)
  );
}

function isWithin(node: ts.Node, outer: ts.Node): boolean {
  for (let each: ts.Node | undefined = node; each; each = each.parent) if (each === outer) return true;
  return false;
}

const known = new WeakMap<ts.SourceFile, readonly ts.BinaryExpression[]>();

/** All plain assignments in a file. */
function assignmentsIn(source: ts.SourceFile): readonly ts.BinaryExpression[] {
  let found = known.get(source);
  if (!found) {
    const all: ts.BinaryExpression[] = [];
    everyNode(source, (node) => {
      if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken)
        all.push(node);
    });
    known.set(source, (found = all));
  }
  return found;
}
