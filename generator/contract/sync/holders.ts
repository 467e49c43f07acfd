import { ts } from "ts-morph";

/** Where members stand, or could. */
export type Holder =
  | { readonly kind: "literal"; readonly node: ts.ObjectLiteralExpression; readonly typed: boolean }
  | { readonly kind: "class"; readonly node: ts.ClassLikeDeclaration; readonly typed: false }
  | {
      readonly kind: "unknown";
      readonly node: ts.Node;
      /** Why nobody can know what it holds without running it. */
      readonly why: string;
      /** It is declared in another file, which may have been read as well. */
      readonly elsewhere: boolean;
    };

/** Calls that give back what they are given. */
const freezing = new Set(["Object.freeze", "Object.seal"]);

/**
 * The literals and classes that the value of `expression` may be.
 *
 * @param typed whether a type reaches it that gives parameters of methods theirs
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

export function classHolder(node: ts.ClassLikeDeclaration): Holder {
  return { kind: "class", node, typed: false };
}

function ofName(name: ts.Identifier, follow: (next: ts.Expression, typed?: boolean) => Holder[]): Holder[] {
  const declared = declarationOf(name);
  if (declared && ts.isVariableDeclaration(declared) && declared.initializer)
    return follow(declared.initializer, declared.type !== undefined);
  const elsewhere = declared === undefined;
  const why = elsewhere
    ? `${name.text} is declared elsewhere`
    : `${name.text} gets its value when the code runs`;
  return [{ kind: "unknown", node: name, why, elsewhere }];
}

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

/** What a function gives back, functions inside of it left out. */
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
