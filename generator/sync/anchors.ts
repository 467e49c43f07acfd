import { ts } from "ts-morph";
import {
  type Holder,
  valuesOf,
  addedTo,
  classHolder,
  holdersOf,
  returned,
  everyNode,
  isScript,
} from "./declarations.js";
import type { HandlersType, TypeNames } from "./type-names.js";

/** A place in a file that contains handlers of a contract, recognised by its type. */
export interface Anchor {
  readonly type: HandlersType;
  readonly holder: Holder;
  /** Whether the value is only passed on here, so that handlers elsewhere need no remark. */
  readonly passing: boolean;
}

/** All places of a file that are declared to be handlers of a contract, in order. */
export function anchorsIn(source: ts.SourceFile, names: TypeNames): Anchor[] {
  const anchors: Anchor[] = [];
  const add = (type: HandlersType | undefined, holders: () => readonly Holder[], passing = false): void => {
    if (type) anchors.push(...holders().map((holder) => ({ type, holder, passing })));
  };
  const script = isScript(source);
  everyNode(source, (node) => {
    for (const { type, holders } of typedValues(node, script)) add(names.resolve(type), holders);
    if (ts.isClassLike(node))
      for (const type of implemented(node)) add(names.resolve(type), () => [classHolder(node)]);
    if (!ts.isCallExpression(node)) return;
    const creator = names.creatorIn(node.expression);
    const [handlers] = node.arguments;
    if (creator !== undefined && handlers)
      add({ handlers: names.handlersOf(creator) }, () => holdersOf(handlers, true), true);
  });
  return anchors;
}

interface TypedValue {
  readonly type: ts.TypeNode;
  /** The expressions or declarations that have the type. */
  readonly holders: () => readonly Holder[];
}

/** The types that a node declares, with the values they apply to. */
function typedValues(node: ts.Node, script: boolean): TypedValue[] {
  const found: TypedValue[] = [];
  const add = (type: ts.TypeNode | undefined, holders: () => readonly Holder[]): void => {
    if (type) found.push({ type, holders });
  };
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node)) {
    const values = (): Holder[] =>
      addedTo(
        valuesOf(node).flatMap((value) => holdersOf(value, true)),
        node,
      );
    add(node.type, values);
    if (node.type && ts.isFunctionTypeNode(node.type)) add(node.type.type, () => answersOf(node.initializer));
    if (script) for (const type of commented(node)) add(type, values);
  }
  if (ts.isSatisfiesExpression(node) || ts.isAsExpression(node) || ts.isTypeAssertionExpression(node))
    add(node.type, () => holdersOf(node.expression, true));
  if (script && (ts.isParenthesizedExpression(node) || ts.isPropertyAssignment(node))) {
    const value = ts.isPropertyAssignment(node) ? node.initializer : node.expression;
    for (const type of commented(node)) add(type, () => holdersOf(value, true));
  }
  if (script && ts.isExportAssignment(node))
    for (const type of commented(node)) add(type, () => holdersOf(node.expression, true));
  if (ts.isFunctionLike(node) && "body" in node && node.body) {
    const { body } = node;
    const answers = (): Holder[] => returned(body).flatMap((value) => holdersOf(value, true));
    add(node.type ?? (script ? ts.getJSDocReturnType(node) : undefined), answers);
  }
  return found;
}

/** The values returned by a function with a declared type. */
function answersOf(made: ts.Expression | undefined): Holder[] {
  if (!made || (!ts.isArrowFunction(made) && !ts.isFunctionExpression(made))) return [];
  return returned(made.body).flatMap((value) => holdersOf(value, true));
}

/** The types in `@type` and `@satisfies` comments. */
function commented(node: ts.Node): ts.TypeNode[] {
  const types = [ts.getJSDocType(node), ts.getJSDocSatisfiesTag(node)?.typeExpression.type];
  return types.filter((type) => type !== undefined);
}

function implemented(node: ts.ClassLikeDeclaration): readonly ts.Node[] {
  const clauses = (node.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
    .flatMap(({ types }) => [...types]);
  return [...clauses, ...ts.getJSDocImplementsTags(node).map((tag) => tag.class)];
}
