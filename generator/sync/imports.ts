import { ts } from "ts-morph";
import type { LookIn, Meaning } from "./meanings.js";
import { everyNode, isScript } from "./walk.js";

/** A name that an import binds: what it means is asked for when it is used. */
export interface Binding {
  readonly node: ts.Node;
  readonly meaning: () => Meaning | undefined;
}

/** The names that the imports of a file bind, with those of JSDoc and aliases of namespaces' members. */
export function bindingsOf(source: ts.SourceFile, lookIn: LookIn): Map<string, Binding> {
  const bindings = new Map<string, Binding>();
  const bind = (local: ts.Identifier, specifier: ts.Expression, imported: string | undefined): void => {
    if (!ts.isStringLiteralLike(specifier)) return;
    const once = lazily(() => {
      const exports = lookIn(specifier.text);
      return imported === undefined ? ({ kind: "module", exports } as const) : exports.of(imported);
    });
    bindings.set(local.text, { node: local, meaning: once });
  };
  const read = ({ importClause, moduleSpecifier }: ts.ImportDeclaration | ts.JSDocImportTag): void => {
    if (!importClause) return;
    const { name, namedBindings } = importClause;
    if (name) bind(name, moduleSpecifier, "default");
    if (!namedBindings) return;
    if (ts.isNamespaceImport(namedBindings)) return bind(namedBindings.name, moduleSpecifier, undefined);
    for (const each of namedBindings.elements)
      bind(each.name, moduleSpecifier, (each.propertyName ?? each.name).text);
  };
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) read(statement);
    if (ts.isImportEqualsDeclaration(statement)) {
      const { moduleReference, name } = statement;
      if (ts.isExternalModuleReference(moduleReference)) bind(name, moduleReference.expression, undefined);
    }
  }
  if (isScript(source)) everyNode(source, (node) => void (ts.isJSDocImportTag(node) && read(node)));
  return bindings;
}

/** A module that is imported where code runs gives its members to a pattern, or to a name. */
export function dynamicBindings(source: ts.SourceFile, lookIn: LookIn): Map<string, Binding> {
  const bindings = new Map<string, Binding>();
  everyNode(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !node.initializer) return;
    const specifier = importedBy(node.initializer);
    if (specifier !== undefined) bindPattern(node.name, specifier, lookIn, bindings);
  });
  return bindings;
}

function bindPattern(
  name: ts.BindingName,
  specifier: string,
  lookIn: LookIn,
  bindings: Map<string, Binding>,
): void {
  if (ts.isIdentifier(name)) {
    bindings.set(name.text, { node: name, meaning: () => ({ kind: "module", exports: lookIn(specifier) }) });
    return;
  }
  if (!ts.isObjectBindingPattern(name)) return;
  for (const { name: local, propertyName } of name.elements) {
    if (!ts.isIdentifier(local)) continue;
    const imported = propertyName === undefined ? local.text : propertyName.getText();
    bindings.set(local.text, { node: local, meaning: lazily(() => lookIn(specifier).of(imported)) });
  }
}

/** The specifier in `await import("…")` or `require("…")`. */
export function importedBy(expression: ts.Node): string | undefined {
  if (ts.isAwaitExpression(expression) || ts.isParenthesizedExpression(expression))
    return importedBy(expression.expression);
  if (!ts.isCallExpression(expression)) return undefined;
  const { expression: called, arguments: given } = expression;
  const imports =
    called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === "require");
  const [specifier] = given;
  return imports && specifier && ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
