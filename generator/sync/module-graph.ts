import { ts } from "ts-morph";
import {
  type Exports,
  type LookIn,
  type Meaning,
  noExports,
  serverExports,
  unknownExports,
} from "./meanings.js";
import { type SourceFile, parse } from "./source.js";
import { TypeNames } from "./type-names.js";

/** The file that a module specifier resolves to. */
export type Target =
  /** the `server` module generated from the contract in `file` */
  | { readonly kind: "server"; readonly contract: string }
  /** a handwritten file */
  | { readonly kind: "file"; readonly path: string }
  /** another package */
  | { readonly kind: "foreign" }
  | { readonly kind: "unknown" };

/** Finds and reads modules. */
interface ModuleHost {
  resolve(path: string, specifier: string): Target;
  /** Undefined if there is no such file, or if it is not text. */
  read(path: string): string | undefined;
}

/** Matches names that may be re-exported handlers, besides those that files export. */
const seeds = /Handlers|create\w+Server|server(?:\.[cm]?[jt]sx?)?["'`]/;

/** Follows handlers through the files that re-export them, possibly renamed. */
export class ModuleGraph {
  private readonly host: ModuleHost;
  private readonly sources = new Map<string, SourceFile | undefined>();
  private readonly exports = new Map<string, Exports>();
  private names: ReadonlySet<string> = new Set();

  constructor(host: ModuleHost) {
    this.host = host;
  }

  /**
   * The files among `paths` that may concern handlers: those with a name under which some file exports
   * handlers.
   */
  concerned(paths: readonly string[], contracts: readonly string[]): string[] {
    for (let known = -1; this.names.size > known;) {
      known = this.names.size;
      this.exports.clear();
      const found = this.candidates(paths).flatMap((path) =>
        contracts.flatMap((contract) => this.exportsOf(path, contract).names()),
      );
      this.names = new Set([...this.names, ...found]);
    }
    return this.candidates(paths);
  }

  /** Returns how the file at `path` finds the exports of other modules for one contract. */
  lookIn(path: string, contract: string): LookIn {
    return (specifier) => {
      const target = this.host.resolve(path, specifier);
      if (target.kind === "server") return target.contract === contract ? serverExports : noExports;
      if (target.kind === "file") return this.exportsOf(target.path, contract);
      return target.kind === "unknown" ? unknownExports : noExports;
    };
  }

  private candidates(paths: readonly string[]): string[] {
    return paths.filter((path) => this.mentions(this.host.read(path) ?? ""));
  }

  private mentions(text: string): boolean {
    if (seeds.test(text)) return true;
    // A default export can be imported under any name.
    if (this.names.has("default") && /\bimport\b/.test(text)) return true;
    return [...this.names].some((name) => text.includes(name));
  }

  private exportsOf(path: string, contract: string): Exports {
    const key = `${contract}\n${path}`;
    let exports = this.exports.get(key);
    if (!exports) this.exports.set(key, (exports = this.read(path, contract)));
    return exports;
  }

  private read(path: string, contract: string): Exports {
    const text = this.host.read(path);
    if (text === undefined) return unknownExports;
    if (!this.mentions(text) && !/\bexport\s*\*/.test(text)) return noExports;
    if (!this.sources.has(path)) this.sources.set(path, parse(text, path));
    const source = this.sources.get(path)!;
    const lookIn = this.lookIn(path, contract);
    return new FileExports(source, new TypeNames(source, lookIn, "Handlers"), lookIn);
  }
}

/** The exports of a user's file that concern one contract's handlers. */
class FileExports implements Exports {
  private readonly source: ts.SourceFile;
  private readonly typeNames: TypeNames;
  private readonly lookIn: LookIn;
  /** Names being resolved, because modules may re-export from each other in a cycle. */
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

  /** The meaning of a name in the file: an import, or a declared type. */
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

/** The names under which a statement exports possible handlers. */
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
