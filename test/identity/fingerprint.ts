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
 * @param text of a file without imports; with `imports`, of a module, and `A & B` is then an object with the members of both
 */
export function fingerprints(text: string, imports?: Imports): Map<string, string> {
  const prints = structuralPrints(text, imports);
  return new Map(
    [...prints].map(([name, print]) => [name, createHash("sha256").update(print).digest("hex")]),
  );
}

/** Rewrites the text of a module: messages that are intersections with their base become interfaces that extend it. */
export function withExtends(text: string): string {
  return text.replace(
    /^export type (\w+) =\s+(JSONRPCRequest|JSONRPCNotification) & \{/gm,
    "export interface $1 extends $2 {",
  );
}

/** The names that a file's documentation marks as deprecated: `Root`, `ClientCapabilities.roots`; sorted. */
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

/** The path of a module of an extension, and the modules that it imports, by path. */
export interface Imports {
  readonly path: string;
  readonly files: { readonly [path: string]: string };
}

/** The texts that `fingerprints` hashes, to show a difference. */
export function structuralPrints(text: string, imports?: Imports): Map<string, string> {
  const { path, files } = imports ?? { path: "types.ts", files: {} };
  // A project in memory contains the standard library, which defines `Record` and arrays.
  const project = new Project({ useInMemoryFileSystem: true, compilerOptions });
  for (const [other, content] of Object.entries(files))
    project.createSourceFile(other, content, { overwrite: true });
  const file = project.createSourceFile(path, text, { overwrite: true }).compilerNode;
  const program = project.getProgram().compilerObject;
  const [problem] = program.getSemanticDiagnostics(file);
  if (problem)
    throw new Error(
      `${path} does not compile: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`,
    );
  const checker = program.getTypeChecker();
  const exported = file.statements.filter(
    (statement): statement is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
      (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
      (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false),
  );
  const printer = new Printer(checker, imports !== undefined);
  return new Map(exported.map(({ name }) => [name.text, printer.print(checker.getTypeAtLocation(name), [])]));
}

function isObject(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Object) !== 0;
}

class Printer {
  private readonly checker: ts.TypeChecker;
  /** Intersections of objects are printed as one object. */
  private readonly flat: boolean;
  /** Prints of types that do not depend on the types around them. */
  private readonly known = new Map<ts.Type, string>();

  constructor(checker: ts.TypeChecker, flat: boolean) {
    this.checker = checker;
    this.flat = flat;
  }

  /** @param around the object types around this one, outermost first; a reference to one of them ends the recursion */
  print(type: ts.Type, around: readonly ts.Type[]): string {
    const known = this.known.get(type);
    if (known !== undefined) return known;
    if (type.isUnion()) return this.members(type.types, " | ", around);
    const isFlat = this.flat && type.isIntersection() && type.types.every(isObject);
    if (type.isIntersection() && !isFlat) return this.members(type.types, " & ", around);
    if (!isFlat && !isObject(type)) return this.checker.typeToString(type);
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
