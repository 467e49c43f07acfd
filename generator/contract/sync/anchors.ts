import { ts } from "ts-morph";
import { type Holder, classHolder, holdersOf, returned } from "./holders.js";
import type { HandlersType, TypeNames } from "./type-names.js";

/** A place in a file that holds handlers of a contract, known by its type. */
export interface Anchor {
  readonly type: HandlersType;
  readonly holder: Holder;
  /** It is only handed on here; that its handlers stand elsewhere is no cause for a remark. */
  readonly passing: boolean;
}

/** Everything in a file that is declared to be handlers of a contract, in the order of the file. */
export function anchorsIn(source: ts.SourceFile, names: TypeNames): Anchor[] {
  const anchors: Anchor[] = [];
  const add = (type: HandlersType | undefined, holders: readonly Holder[], passing = false): void => {
    if (type) anchors.push(...holders.map((holder) => ({ type, holder, passing })));
  };
  const visit = (node: ts.Node): void => {
    const [type, value] = typedValue(node);
    if (type && value) {
      const resolved = names.resolve(type);
      if (resolved) for (const expression of value()) add(resolved, holdersOf(expression, true));
    }
    if (ts.isClassLike(node))
      for (const type of implemented(node)) add(names.resolve(type), [classHolder(node)]);
    if (ts.isCallExpression(node)) {
      const creator = names.creatorIn(node.expression);
      const [handlers] = node.arguments;
      if (creator !== undefined && handlers)
        add({ handlers: names.handlersOf(creator) }, holdersOf(handlers, true), true);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return anchors;
}

/** The type that a node declares, and the expressions that it declares it of. */
function typedValue(node: ts.Node): [(ts.TypeNode | undefined)?, (() => readonly ts.Expression[])?] {
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node))
    return [node.type, () => (node.initializer ? [node.initializer] : [])];
  if (ts.isSatisfiesExpression(node) || ts.isAsExpression(node) || ts.isTypeAssertionExpression(node))
    return [node.type, () => [node.expression]];
  if (ts.isFunctionLike(node) && "body" in node && node.body) {
    const { body } = node;
    return [node.type, () => returned(body)];
  }
  return [];
}

function implemented(node: ts.ClassLikeDeclaration): readonly ts.Node[] {
  return (node.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
    .flatMap(({ types }) => [...types]);
}
