import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { ts } from "ts-morph";

/** An import of one file by another. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether erasing types removes the import. */
  readonly typeOnly: boolean;
  /** Whether it is an `import()`, which loads the file when it is called. */
  readonly isDeferred: boolean;
}

/** The TypeScript files below a folder, with `/` between the parts of their paths, sorted. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file).split(sep).join("/"))
    .filter((file) => file.endsWith(".ts") && !/(^|\/)(node_modules|dist)\//.test(file))
    .toSorted();
}

/** Returns the imports among the files by relative specifiers: static, dynamic, and of types. */
export function importsOf(files: readonly string[]): Import[] {
  return files.flatMap((from) =>
    specifiersOf(readFileSync(from, "utf8"))
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ specifier, ...kind }) => ({
        from,
        to: normalize(join(dirname(from), specifier))
          .split(sep)
          .join("/")
          .replace(/\.js$/, ".ts"),
        ...kind,
      })),
  );
}

interface Specifier {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly isDeferred: boolean;
}

/** Specifiers by the text of a module: the checks of rooms and of packages read the same files. */
const known = new Map<string, readonly Specifier[]>();

/** Returns the specifiers of everything that a module imports or re-exports. */
export function specifiersOf(text: string): readonly Specifier[] {
  let specifiers = known.get(text);
  if (!specifiers) known.set(text, (specifiers = readSpecifiers(text)));
  return specifiers;
}

function readSpecifiers(text: string): Specifier[] {
  const found: Specifier[] = [];
  const add = (node: ts.Node | undefined, typeOnly: boolean, isDeferred = false): void => {
    if (node && ts.isStringLiteralLike(node)) found.push({ specifier: node.text, typeOnly, isDeferred });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importsTypesOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, exportsTypesOnly(node));
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false, true);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest));
  return found;
}

function importsTypesOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const { name, namedBindings } = clause;
  return !name && !!namedBindings && ts.isNamedImports(namedBindings) && allTypes(namedBindings.elements);
}

function exportsTypesOnly({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  return isTypeOnly || (!!exportClause && ts.isNamedExports(exportClause) && allTypes(exportClause.elements));
}

function allTypes(elements: readonly { readonly isTypeOnly: boolean }[]): boolean {
  return elements.length > 0 && elements.every(({ isTypeOnly }) => isTypeOnly);
}
