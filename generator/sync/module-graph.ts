import { FileExports } from "./file-exports.js";
import { type Exports, type LookIn, noExports, serverExports, unknownExports } from "./meanings.js";
import { type SourceFile, parse } from "./source.js";
import { TypeNames } from "./type-names.js";

/** The file that a module specifier resolves to. */
export type Target =
  /** to the `server` module of the contract in `file` */
  | { readonly kind: "server"; readonly contract: string }
  /** to a handwritten file */
  | { readonly kind: "file"; readonly path: string }
  /** to another package */
  | { readonly kind: "foreign" }
  | { readonly kind: "unknown" };

/** Finds and reads modules. */
interface ModuleHost {
  resolve(path: string, specifier: string): Target;
  /** Undefined if there is no such file, or if it is no text. */
  read(path: string): string | undefined;
}

/** Names that may be another's for handlers, besides those that files export. */
const seeds = /Handlers|create\w+Server|server(?:\.[cm]?[jt]sx?)?["'`]/;

/** Follows handlers through the files that export them under their own names or others. */
export class ModuleGraph {
  private readonly host: ModuleHost;
  private readonly sources = new Map<string, SourceFile | undefined>();
  private readonly exports = new Map<string, Exports>();
  private names: ReadonlySet<string> = new Set();

  constructor(host: ModuleHost) {
    this.host = host;
  }

  /**
   * The files among `paths` that may concern handlers: a file is read for them only if it contains a name under which
   * handlers are exported somewhere.
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

  /** How the file at `path` finds what others export of one contract's handlers. */
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
    // Other modules import a default export under any name.
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
