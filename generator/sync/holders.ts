import { ts } from "ts-morph";
import { type Variable, declarationOf, laterMember, valuesOf } from "./declarations.js";

/** An object literal or a class that holds members, or a place where one could be. */
export type Holder =
  | {
      readonly kind: "literal";
      readonly node: ts.ObjectLiteralExpression;
      readonly typed: boolean;
      /** A place where code adds members to it. */
      readonly later?: ts.Node;
    }
  | { readonly kind: "class"; readonly node: ts.ClassLikeDeclaration; readonly typed: false }
  | {
      readonly kind: "unknown";
      readonly node: ts.Node;
      /** Why its content is unknown without running the code. */
      readonly why: string;
      /** Absent members may be in another file, which may have been read as well. */
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

/** A test's double, say, is meant to lack what it lacks. */
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

/** `holders` of a variable's values, with the place where members are added to them. */
export function addedTo(holders: readonly Holder[], declaration: Variable): Holder[] {
  const later = laterMember(declaration);
  if (!later) return [...holders];
  return holders.map((holder) => (holder.kind === "literal" ? { ...holder, later } : holder));
}

/** The values that a function returns; functions inside it are left out. */
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
