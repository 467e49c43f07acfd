import { ts } from "ts-morph";
import type { Origins } from "./origins.js";

/** Names that a file imports from what is not there: exported names by local ones. */
export interface Unresolved {
  /** From generated code or the runtime; undefined where all of it is there. */
  readonly generated: ReadonlyMap<string, string> | undefined;
  /** From official SDKs. */
  readonly sdk: ReadonlyMap<string, string> | undefined;
}

export function unresolvedNames(file: ts.SourceFile, program: ts.Program, origins: Origins): Unresolved {
  return {
    generated: namesFrom(file, program, (specifier) => origins.isNamed(specifier, file.fileName)),
    sdk: namesFrom(file, program, (specifier) => origins.isOfSdk(specifier)),
  };
}

function namesFrom(
  file: ts.SourceFile,
  program: ts.Program,
  isNamed: (specifier: string) => boolean,
): ReadonlyMap<string, string> | undefined {
  const names = new Map<string, string>();
  let any = false;
  const checker = program.getTypeChecker();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    if (!isNamed(statement.moduleSpecifier.text)) continue;
    if (checker.getSymbolAtLocation(statement.moduleSpecifier)) continue;
    any = true;
    const bindings = statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements) names.set(name.text, (propertyName ?? name).text);
  }
  return any ? names : undefined;
}
