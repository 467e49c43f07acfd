import { ts } from "ts-morph";
import { type Exports, type LookIn, type Meaning, noExports } from "./meanings.js";
import type { TypeNames } from "./type-names.js";

/** The exports of a user's file that concern one contract's handlers: under their names in the file, or others. */
export class FileExports implements Exports {
  private readonly source: ts.SourceFile;
  private readonly typeNames: TypeNames;
  private readonly lookIn: LookIn;
  /** Names that are being followed: modules may export from each other in a circle. */
  private readonly asked = new Set<string>();

  constructor(source: ts.SourceFile, typeNames: TypeNames, lookIn: LookIn) {
    this.source = source;
    this.typeNames = typeNames;
    this.lookIn = lookIn;
  }

  of(name: string): Meaning | undefined {
    if (this.asked.has(name)) return undefined;
    this.asked.add(name);
    try {
      for (const statement of this.source.statements) {
        const found = this.exported(statement, name);
        if (found) return found;
      }
      return this.throughStars(name);
    } finally {
      this.asked.delete(name);
    }
  }

  names(): readonly string[] {
    if (this.asked.has("*")) return [];
    this.asked.add("*");
    try {
      const own = this.source.statements.flatMap(namesOf).filter((name) => this.of(name));
      return [...new Set([...own, ...this.stars().flatMap((exports) => exports.names())])];
    } finally {
      this.asked.delete("*");
    }
  }

  private exported(statement: ts.Statement, name: string): Meaning | undefined {
    if (ts.isExportAssignment(statement))
      return name === "default" && !statement.isExportEquals
        ? this.local(statement.expression.getText())
        : undefined;
    if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement))
      return namesOf(statement).includes(name) ? this.local(statement.name.text) : undefined;
    if (!ts.isExportDeclaration(statement) || !statement.exportClause) return undefined;
    const { exportClause, moduleSpecifier } = statement;
    const from = moduleSpecifier && this.exportsAt(moduleSpecifier);
    if (ts.isNamespaceExport(exportClause))
      return exportClause.name.text === name && from ? { kind: "module", exports: from } : undefined;
    const element = exportClause.elements.find((each) => each.name.text === name);
    if (!element) return undefined;
    const inner = (element.propertyName ?? element.name).text;
    return from ? from.of(inner) : this.local(inner);
  }

  /** A name of the file's own: an import of it, or a type that it declares. */
  private local(name: string): Meaning | undefined {
    const meaning = this.typeNames.meaningOf(name);
    if (meaning) return meaning;
    if (!this.typeNames.declared.includes(name)) return undefined;
    const type = this.typeNames.resolveName(name);
    if (!type) return undefined;
    const { section, part } = type;
    return {
      kind: "handlers",
      alias: true,
      ...(section && { section }),
      ...(part !== undefined && { part }),
    };
  }

  private throughStars(name: string): Meaning | undefined {
    if (name === "default") return undefined;
    for (const exports of this.stars()) {
      const found = exports.of(name);
      if (found) return found;
    }
    return undefined;
  }

  private stars(): Exports[] {
    return this.source.statements.flatMap((statement) =>
      ts.isExportDeclaration(statement) && !statement.exportClause && statement.moduleSpecifier
        ? [this.exportsAt(statement.moduleSpecifier)]
        : [],
    );
  }

  private exportsAt(specifier: ts.Expression): Exports {
    return ts.isStringLiteralLike(specifier) ? this.lookIn(specifier.text) : noExports;
  }
}

/** The names under which a statement exports what may be handlers. */
function namesOf(statement: ts.Statement): string[] {
  if (ts.isExportAssignment(statement)) return ["default"];
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement;
    if (!exportClause) return [];
    if (ts.isNamespaceExport(exportClause)) return [exportClause.name.text];
    return exportClause.elements.map(({ name }) => name.text);
  }
  if (!ts.isTypeAliasDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) return [];
  const kinds = new Set(statement.modifiers?.map(({ kind }) => kind));
  if (!kinds.has(ts.SyntaxKind.ExportKeyword)) return [];
  return [kinds.has(ts.SyntaxKind.DefaultKeyword) ? "default" : statement.name.text];
}
