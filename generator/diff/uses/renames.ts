import { ts } from "ts-morph";

/** The names that imports and exports of a code base give to others: `import { Tool as T }`, `export { Tool as T }`. */
export class Renames {
  /** Local names by the names that they stand for. */
  readonly #named = new Map<string, Set<string>>();
  /** The other way round. */
  readonly #meant = new Map<string, Set<string>>();

  constructor(files: readonly ts.SourceFile[]) {
    for (const statement of files.flatMap(({ statements }) => [...statements])) {
      for (const { name, propertyName } of specifiersOf(statement)) {
        if (!propertyName) continue;
        add(this.#named, propertyName.text, name.text);
        add(this.#meant, name.text, propertyName.text);
      }
    }
  }

  /** A name, and all that it may be called elsewhere. */
  namesOf(name: string): string[] {
    return reached(this.#named, name);
  }

  /** A name, and all that it may stand for. */
  meantBy(name: string): string[] {
    return reached(this.#meant, name);
  }
}

function specifiersOf(statement: ts.Statement): readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] {
  const bindings = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : ts.isExportDeclaration(statement)
      ? statement.exportClause
      : undefined;
  return bindings && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings)) ? bindings.elements : [];
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

function reached(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string): string[] {
  const found = new Set([from]);
  for (const name of found) for (const next of edges.get(name) ?? []) found.add(next);
  return [...found];
}
