import { createHash } from "node:crypto";
import { Project, ts } from "ts-morph";

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  lib: ["lib.es2022.d.ts"],
  types: [],
};

/**
 * For each type that a file exports, the sha256 of its structure as the TypeScript checker resolves it:
 * aliases, `extends`, order and documentation do not show, everything that the strict `Equal` test distinguishes does.
 *
 * @param text of a file without imports
 */
export function fingerprints(text: string): Map<string, string> {
  const prints = structuralPrints(text);
  return new Map(
    [...prints].map(([name, print]) => [name, createHash("sha256").update(print).digest("hex")]),
  );
}

/** What a file's documentation marks as deprecated: `Root`, `ClientCapabilities.roots`; sorted. */
export function deprecations(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, path: string): void => {
    const name =
      (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isPropertySignature(node)) &&
      node.name;
    const here = name
      ? [path, ts.isStringLiteral(name) ? name.text : name.getText()].filter(Boolean).join(".")
      : path;
    if (name && ts.getJSDocDeprecatedTag(node)) found.push(here);
    ts.forEachChild(node, (child) => visit(child, here));
  };
  visit(ts.createSourceFile("types.ts", text, ts.ScriptTarget.ES2022, true), "");
  return found.sort();
}

/** What `fingerprints` hashes, for reading a difference. */
export function structuralPrints(text: string): Map<string, string> {
  // A project in memory brings the standard library along, without which `Record` and arrays mean nothing.
  const project = new Project({ useInMemoryFileSystem: true, compilerOptions });
  const file = project.createSourceFile("types.ts", text).compilerNode;
  const program = project.getProgram().compilerObject;
  const [problem] = program.getSemanticDiagnostics(file);
  if (problem)
    throw new Error(
      `types.ts does not compile: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`,
    );
  const checker = program.getTypeChecker();
  const exported = file.statements.filter(
    (statement): statement is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
      (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
      (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false),
  );
  const printer = new Printer(checker);
  return new Map(exported.map(({ name }) => [name.text, printer.print(checker.getTypeAtLocation(name), [])]));
}

class Printer {
  private readonly checker: ts.TypeChecker;
  /** Prints that do not depend on what stands around them. */
  private readonly known = new Map<ts.Type, string>();

  constructor(checker: ts.TypeChecker) {
    this.checker = checker;
  }

  /** @param around the object types this one stands in, outermost first; going back to one ends the recursion */
  print(type: ts.Type, around: readonly ts.Type[]): string {
    const known = this.known.get(type);
    if (known !== undefined) return known;
    if (type.isUnion()) return this.members(type.types, " | ", around);
    if (type.isIntersection()) return this.members(type.types, " & ", around);
    if (!(type.flags & ts.TypeFlags.Object)) return this.checker.typeToString(type);
    const depth = around.lastIndexOf(type);
    if (depth >= 0) return `^${around.length - depth}`;
    const print = this.object(type, [...around, type]);
    if (!print.includes("^")) this.known.set(type, print);
    return print;
  }

  private members(types: readonly ts.Type[], separator: string, around: readonly ts.Type[]): string {
    const prints = [...new Set(types.map((member) => this.print(member, around)))].sort();
    return `(${prints.join(separator)})`;
  }

  private object(type: ts.Type, around: readonly ts.Type[]): string {
    if (this.checker.isArrayType(type)) {
      return `${this.print(this.checker.getTypeArguments(type as ts.TypeReference)[0]!, around)}[]`;
    }
    const properties = this.checker
      .getPropertiesOfType(type)
      .map((property) => {
        const optional = property.flags & ts.SymbolFlags.Optional ? "?" : "";
        return `${JSON.stringify(property.name)}${optional}: ${this.print(this.checker.getTypeOfSymbol(property), around)}`;
      })
      .sort();
    const indexes = this.checker
      .getIndexInfosOfType(type)
      .map(({ keyType, type: value }) => `[${this.print(keyType, around)}]: ${this.print(value, around)}`);
    return `{ ${[...properties, ...indexes].join("; ")} }`;
  }
}
