import { ts } from "ts-morph";
import type { Origins } from "./origins.js";

/**
 * What a file imports from generated code or the runtime that is not there: the exported name by the local one.
 *
 * @returns undefined where all of it is there
 */
export function unresolvedNames(
  file: ts.SourceFile,
  program: ts.Program,
  origins: Origins,
): ReadonlyMap<string, string> | undefined {
  const names = new Map<string, string>();
  let any = false;
  const checker = program.getTypeChecker();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (!origins.isNamed(statement.moduleSpecifier.text, file.fileName)) continue;
    if (checker.getSymbolAtLocation(statement.moduleSpecifier)) continue;
    any = true;
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements) names.set(name.text, (propertyName ?? name).text);
  }
  return any ? names : undefined;
}
