import { dirname, resolve, join } from "node:path";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { ts } from "ts-morph";
import type { Finding } from "../diagnostics/coded-error.js";
import { WriteRoot } from "../files/held-folder.js";
import { type FileChange, writeFiles } from "../files/writer.js";
import { entryOf } from "./watched-files.js";
import { readRegularText } from "../files/regular-file.js";

/** The result of one compilation. */
export interface Compiled {
  /** Errors of syntax and settings. If there are any, nothing is written. */
  readonly errors: readonly Finding[];
  /** Paths of the written files. */
  readonly written: readonly string[];
}

/** Maximum number of errors shown; the first ones cause most of the others. */
export const mostErrors = 20;

/**
 * Repeatedly compiles a TypeScript project to JavaScript without type checks. Reads, parses and writes only
 * changed files.
 */
export class Compiler {
  readonly #file: string;
  readonly #shown: (path: string) => string;
  readonly #sources = new Map<string, { readonly entry: string; readonly source: ts.SourceFile }>();
  #program: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;
  #host: ts.CompilerHost | undefined;
  #settings = "";

  /**
   * @param file absolute path of tsconfig.json
   * @param shown formats a path for messages
   */
  constructor(file: string, shown: (path: string) => string) {
    this.#file = file;
    this.#shown = shown;
  }

  /** Whether the settings compile no file of the project, because Node.js runs the sources. */
  get runsSources(): boolean {
    return this.#parsed().options.noEmit === true;
  }

  /** Whether the JavaScript of each file depends only on that file, and nothing else is written. */
  get isPerFile(): boolean {
    const { isolatedModules, verbatimModuleSyntax, declaration, composite, outFile } = this.#parsed().options;
    const separate = isolatedModules === true || verbatimModuleSyntax === true;
    return separate && !declaration && !composite && outFile === undefined;
  }

  /**
   * Writes the JavaScript of changed files, unless a file has a syntax error.
   *
   * @throws CodedError MG3009 if the settings put output outside the project, MG3002, MG3003
   */
  compile(): Compiled {
    const { options, fileNames, errors } = this.#parsed();
    if (errors.length > 0) return { errors: errors.map((each) => this.#finding(each)), written: [] };
    const program = this.#next(options, fileNames);
    const found = program
      .getSyntacticDiagnostics()
      .filter(({ category }) => category === ts.DiagnosticCategory.Error);
    if (found.length > 0) {
      const unique = ts.sortAndDeduplicateDiagnostics(found);
      return { errors: unique.slice(0, mostErrors).map((each) => this.#finding(each)), written: [] };
    }
    const root = WriteRoot.project(dirname(this.#file));
    const changes = new Map<string, FileChange>();
    if (!options.noEmit)
      program.emit(undefined, (path, text, bom) => {
        if (ts.sys.readFile(path) === text) return;
        changes.set(path, { path: root.pathOf(resolve(path)), content: bom ? `\ufeff${text}` : text });
      });
    writeFiles(root, [...changes.values()]);
    return { errors: [], written: [...changes.keys()] };
  }

  /** The JavaScript file of a source file; the file itself if the compiler writes none. */
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
    settings: ts.CompilerOptions,
    fileNames: readonly string[],
  ): ts.EmitAndSemanticDiagnosticsBuilderProgram {
    const options = withoutTypes(settings);
    const text = JSON.stringify(options);
    if (text !== this.#settings || !this.#host) {
      this.#settings = text;
      this.#program = undefined;
      this.#sources.clear();
      this.#host = this.#hostFor(options);
    }
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
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (path, ...rest) => {
      const entry = entryOf(path);
      const kept = this.#sources.get(path);
      if (entry !== undefined && kept?.entry === entry) return kept.source;
      const source = read(path, ...rest);
      if (source && entry !== undefined) this.#sources.set(path, { entry, source });
      else this.#sources.delete(path);
      return source;
    };
    return host;
  }

  #finding(diagnostic: ts.Diagnostic): Finding {
    return diagnosticFinding(diagnostic, this.#shown, this.#file);
  }
}

/**
 * An error of the TypeScript compiler as a finding.
 *
 * @param shown formats a path for messages
 * @param settings the file of an error that is in no source file
 */
export function diagnosticFinding(
  { file, start = 0, messageText, code }: ts.Diagnostic,
  shown: (path: string) => string,
  settings: string,
): Finding {
  const text = ts.flattenDiagnosticMessageText(messageText, " ").replace(/\s+/g, " ");
  const at = file && ts.getLineAndCharacterOfPosition(file, start);
  const place = at && { line: at.line + 1, column: at.character + 1 };
  return compileError(`${text} (TS${code})`, { file: shown(file?.fileName ?? settings), ...place });
}

/** Compiler options with which neither imports nor libraries are read. */
function withoutTypes(options: ts.CompilerOptions): ts.CompilerOptions {
  const { incremental: _incremental, tsBuildInfoFile: _file, lib: _lib, types: _types, ...rest } = options;
  return { ...rest, types: [], noCheck: true, noResolve: true, noLib: true };
}

interface TypeCheckOptions {
  /** Absolute path of tsconfig.json. */
  readonly file: string;
  /** Whether the compiler also writes its output if there are no errors. */
  readonly writes: boolean;
  /** Formats a path for messages. */
  readonly shown: (path: string) => string;
  readonly signal: AbortSignal;
}

/** Maximum size in bytes of the compiler's output. */
const maxOutput = 16 * 1024 * 1024;

/**
 * Type-checks a project with its own TypeScript in another process. The result equals that of `npm run
 * build`, and MCP messages are processed meanwhile.
 */
export async function checkTypes({ file, writes, shown, signal }: TypeCheckOptions): Promise<Finding[]> {
  const program = compilerOf(file);
  if (program === undefined) return [notInstalled(shown(file))];
  const folder = dirname(file);
  const words = ["-p", file, "--pretty", "false", writes ? "--noEmitOnError" : "--noEmit"];
  const { failed, output } = await run([program, ...words], folder, signal);
  const findings = errorsIn(output, folder, shown, file);
  if (findings.length > 0 || !failed || signal.aborted) return findings.slice(0, mostErrors);
  const [line = "tsc ended without a message"] = output.trim().split("\n");
  return [compileError(line, { file: shown(file) })];
}

/** The compiler program installed in a project; undefined if there is none. */
function compilerOf(file: string): string | undefined {
  try {
    const manifest = createRequire(file).resolve("typescript/package.json");
    const { bin } = JSON.parse(readRegularText(manifest)) as {
      readonly bin?: { readonly tsc?: string };
    };
    const program = bin?.tsc === undefined ? undefined : join(dirname(manifest), bin.tsc);
    return program !== undefined && existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

async function run(
  words: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, words, { cwd, signal, maxBuffer: maxOutput }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

/** Parses the errors in the compiler's output: one per line, with indented continuation lines. */
function errorsIn(
  output: string,
  folder: string,
  shown: (path: string) => string,
  settings: string,
): Finding[] {
  const joined = output.replaceAll("\r\n", "\n").replaceAll(/\n +/g, " ");
  return joined.split("\n").flatMap((line) => {
    const match = /^(?:(.+)\((\d+),(\d+)\): )?error (TS\d+): (.+)$/.exec(line);
    if (!match) return [];
    const [, path, at, column, code, text] = match;
    const place =
      path === undefined
        ? { file: shown(settings) }
        : { file: shown(resolve(folder, path)), line: Number(at), column: Number(column) };
    return [compileError(`${text} (${code})`, place)];
  });
}

function compileError(message: string, place: NonNullable<Finding["place"]>): Finding {
  return { code: "MG6801", severity: "error", message, place };
}

function notInstalled(file: string): Finding {
  return {
    code: "MG6803",
    severity: "warning",
    message: "types are not checked: the project has no TypeScript installed",
    place: { file },
    next: "Install it: `npm install --save-dev typescript`.",
  };
}
