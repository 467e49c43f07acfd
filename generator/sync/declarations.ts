import { ts } from "ts-morph";

/** A declaration that can have a type and values. */
type Variable = ts.VariableDeclaration | ts.ParameterDeclaration | ts.PropertyDeclaration;

/** The nearest declaration of a name around its use, in the same file. */
function declarationOf(name: ts.Identifier): ts.Declaration | undefined {
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

/** The values assigned to a variable, at its declaration or later in the file. */
export function valuesOf(declaration: Variable): ts.Expression[] {
  const { initializer, name } = declaration;
  const values = initializer ? [initializer] : [];
  if (!ts.isIdentifier(name)) return values;
  for (const { left, right } of assignmentsIn(declaration.getSourceFile()))
    if (means(left, declaration)) values.push(right);
  return values;
}

/** The first place that adds members to a variable's value, so that its literal is incomplete. */
function laterMember(declaration: Variable): ts.Node | undefined {
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

/** An object literal or class with members, or an expression whose members are unknown. */
export type Holder =
  | {
      readonly kind: "literal";
      readonly node: ts.ObjectLiteralExpression;
      readonly typed: boolean;
      /** A place where code adds members. */
      readonly later?: ts.Node;
    }
  | { readonly kind: "class"; readonly node: ts.ClassLikeDeclaration; readonly typed: false }
  | {
      readonly kind: "unknown";
      readonly node: ts.Node;
      /** Why its members are unknown without running the code. */
      readonly why: string;
      /** Whether the missing members may be in another file, which may have been read as well. */
      readonly elsewhere: boolean;
    };

/** Calls that return their argument. */
const freezing = new Set(["Object.freeze", "Object.seal"]);

/**
 * The literals and classes that can be the value of `expression`.
 *
 * @param typed whether a contextual type gives the parameters of methods their types
 */
export function holdersOf(
  expression: ts.Expression,
  typed: boolean,
  seen: ReadonlySet<ts.Node> = new Set(),
): Holder[] {
  if (seen.has(expression)) return [];
  const follow = (next: ts.Expression, nextTyped = typed): Holder[] =>
    holdersOf(next, nextTyped, new Set([...seen, expression]));
  if (ts.isObjectLiteralExpression(expression)) return [{ kind: "literal", node: expression, typed }];
  if (
    ts.isParenthesizedExpression(expression) ||
    ts.isNonNullExpression(expression) ||
    ts.isAwaitExpression(expression)
  )
    return follow(expression.expression);
  const given = givenUp(expression);
  if (given !== undefined)
    return [{ kind: "unknown", node: expression, why: `"as ${given}" removes its type`, elsewhere: true }];
  if (
    ts.isSatisfiesExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isTypeAssertionExpression(expression)
  )
    return follow(expression.expression, typed || expression.type.getText() !== "const");
  if (ts.isConditionalExpression(expression))
    return [...follow(expression.whenTrue), ...follow(expression.whenFalse)];
  if (
    ts.isCallExpression(expression) &&
    freezing.has(expression.expression.getText()) &&
    expression.arguments[0]
  )
    return follow(expression.arguments[0], false);
  if (ts.isNewExpression(expression) && ts.isIdentifier(expression.expression)) {
    const declared = declarationOf(expression.expression);
    if (declared && ts.isClassLike(declared)) return [classHolder(declared)];
  }
  if (ts.isClassExpression(expression)) return [classHolder(expression)];
  if (ts.isIdentifier(expression)) return ofName(expression, follow);
  return [{ kind: "unknown", node: expression, why: "it is computed", elsewhere: false }];
}

/** Why missing members are intended, e.g. in a test double; undefined otherwise. */
function givenUp(expression: ts.Expression): string | undefined {
  if (!ts.isAsExpression(expression) && !ts.isTypeAssertionExpression(expression)) return undefined;
  return /^(?:any|unknown|never)$/.exec(expression.type.getText())?.[0];
}

export function classHolder(node: ts.ClassLikeDeclaration): Holder {
  return { kind: "class", node, typed: false };
}

function ofName(name: ts.Identifier, follow: (next: ts.Expression, typed?: boolean) => Holder[]): Holder[] {
  const declared = declarationOf(name);
  if (declared && ts.isVariableDeclaration(declared) && ts.isIdentifier(declared.name)) {
    const values = valuesOf(declared);
    const typed = (declared.type ?? ts.getJSDocType(declared)) !== undefined;
    const found = values.flatMap((value) => follow(value, typed));
    if (found.length > 0) return addedTo(found, declared);
  }
  const elsewhere = declared === undefined;
  const why = elsewhere
    ? `${name.text} is declared elsewhere`
    : `${name.text} gets its value when the code runs`;
  return [{ kind: "unknown", node: name, why, elsewhere }];
}

/** `holders` of a variable's values, with the place that adds members to them. */
export function addedTo(holders: readonly Holder[], declaration: Variable): Holder[] {
  const later = laterMember(declaration);
  if (!later) return [...holders];
  return holders.map((holder) => (holder.kind === "literal" ? { ...holder, later } : holder));
}

/** The values that a function returns, without those of functions inside it. */
export function returned(body: ts.ConciseBody): ts.Expression[] {
  if (!ts.isBlock(body)) return [body];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

/** Visits every node of a file; in JavaScript also those in JSDoc comments, which contain types. */
export function everyNode(source: ts.SourceFile, see: (node: ts.Node) => void): void {
  const scripted = isScript(source);
  const visit = (node: ts.Node): void => {
    see(node);
    if (scripted) for (const comment of commentsOf(node)) visit(comment);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Whether a file is JavaScript, where types are in comments. */
export function isScript(source: ts.SourceFile): boolean {
  return /\.[cm]?jsx?$/.test(source.fileName);
}

function commentsOf(node: ts.Node): readonly ts.Node[] {
  return (node as { readonly jsDoc?: readonly ts.JSDoc[] }).jsDoc ?? [];
}
