import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { getLibFiles } from "@ts-morph/common";
import { ts } from "ts-morph";
import type { Finding } from "../diagnostics/finding.js";
import { entryOf } from "./watched-files.js";

/** The result of one compilation. */
export interface Compiled {
  /** Errors of types and syntax; with any, nothing is written. */
  readonly errors: readonly Finding[];
  /** Paths of the files that were written. */
  readonly written: readonly string[];
}

/** The folder of the compiler's own libraries: they are not on the disk. */
const libraryFolder = "/node_modules/typescript/lib";

/** Errors that are shown: the first ones cause most others. */
const mostErrors = 20;

/**
 * Compiles a project of TypeScript again and again, in this process. Only files that changed are read and parsed, and
 * only what depends on them is checked.
 */
export class Compiler {
  readonly #file: string;
  readonly #shown: (path: string) => string;
  readonly #sources = new Map<string, { readonly entry: string; readonly source: ts.SourceFile }>();
  #program: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;
  #host: ts.CompilerHost | undefined;
  #settings = "";
  #names = "";

  /**
   * @param file the absolute path of tsconfig.json
   * @param shown a path as messages show it
   */
  constructor(file: string, shown: (path: string) => string) {
    this.#file = file;
    this.#shown = shown;
  }

  /** Checks the project, and writes what the settings ask for if it has no errors. */
  compile(): Compiled {
    const { options, fileNames, errors } = this.#parsed();
    if (errors.length > 0) return { errors: errors.map((each) => this.#finding(each)), written: [] };
    const program = this.#next(options, fileNames);
    const found = [
      ...program.getConfigFileParsingDiagnostics(),
      ...program.getOptionsDiagnostics(),
      ...program.getSyntacticDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...program.getSemanticDiagnostics(),
      ...(options.declaration ? program.getDeclarationDiagnostics() : []),
    ].filter(({ category }) => category === ts.DiagnosticCategory.Error);
    if (found.length > 0) {
      const unique = ts.sortAndDeduplicateDiagnostics(found);
      return { errors: unique.slice(0, mostErrors).map((each) => this.#finding(each)), written: [] };
    }
    const written: string[] = [];
    if (!options.noEmit)
      program.emit(undefined, (path, text, bom) => {
        if (ts.sys.readFile(path) === text) return;
        mkdirSync(dirname(path), { recursive: true });
        ts.sys.writeFile(path, text, bom);
        written.push(path);
      });
    return { errors: [], written };
  }

  /** The JavaScript that the compiler makes of a source file; the file itself where it makes none. */
  outputOf(source: string): string {
    const { options, fileNames, ...rest } = this.#parsed();
    const own = fileNames.find((each) => resolve(each) === resolve(source));
    if (own === undefined || options.noEmit) return source;
    const all = ts.getOutputFileNames(
      { options, fileNames, ...rest },
      own,
      !ts.sys.useCaseSensitiveFileNames,
    );
    return all.find((path) => /\.[cm]?js$/.test(path)) ?? source;
  }

  #parsed(): ts.ParsedCommandLine {
    const errors: ts.Diagnostic[] = [];
    const host: ts.ParseConfigFileHost = {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (each) => void errors.push(each),
    };
    const parsed = ts.getParsedCommandLineOfConfigFile(this.#file, {}, host);
    return parsed
      ? { ...parsed, errors: [...errors, ...parsed.errors] }
      : { options: {}, fileNames: [], errors };
  }

  #next(
    options: ts.CompilerOptions,
    fileNames: readonly string[],
  ): ts.EmitAndSemanticDiagnosticsBuilderProgram {
    const settings = JSON.stringify(options);
    if (settings !== this.#settings || !this.#host) {
      this.#settings = settings;
      this.#program = undefined;
      this.#sources.clear();
      this.#host = this.#hostFor(options);
    }
    const names = fileNames.join("\n");
    const sameNames = names === this.#names;
    this.#names = names;
    // A file that appeared may be what an import did not find before.
    this.#host.hasInvalidatedResolutions = (path) => !sameNames && !path.includes("/node_modules/");
    this.#program = ts.createEmitAndSemanticDiagnosticsBuilderProgram(
      fileNames,
      options,
      this.#host,
      this.#program,
    );
    return this.#program;
  }

  #hostFor(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createIncrementalCompilerHost(options);
    host.getDefaultLibLocation = () => libraryFolder;
    host.getDefaultLibFileName = (used) => `${libraryFolder}/${ts.getDefaultLibFileName(used)}`;
    const [exists, text] = [host.fileExists.bind(host), host.readFile.bind(host)];
    host.fileExists = (path) => libraryText(path) !== undefined || exists(path);
    host.readFile = (path) => libraryText(path) ?? text(path);
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (path, ...rest) => {
      const entry = libraryText(path) === undefined ? entryOf(path) : "library";
      const kept = this.#sources.get(path);
      if (entry !== undefined && kept?.entry === entry) return kept.source;
      const source = read(path, ...rest);
      if (source && entry !== undefined) this.#sources.set(path, { entry, source });
      else this.#sources.delete(path);
      return source;
    };
    return host;
  }

  #finding({ file, start = 0, messageText, code }: ts.Diagnostic): Finding {
    const at = file && ts.getLineAndCharacterOfPosition(file, start);
    return {
      code: "MG6801",
      severity: "error",
      message: `${ts.flattenDiagnosticMessageText(messageText, " ").replace(/\s+/g, " ")} (TS${code})`,
      place: file
        ? { file: this.#shown(file.fileName), line: at!.line + 1, column: at!.character + 1 }
        : { file: this.#shown(this.#file) },
    };
  }
}

let libraries: ReadonlyMap<string, string> | undefined;

function libraryText(path: string): string | undefined {
  if (!path.startsWith(libraryFolder)) return undefined;
  libraries ??= new Map(getLibFiles().map(({ fileName, text }) => [`${libraryFolder}/${fileName}`, text]));
  return libraries.get(path);
}
