import { existsSync, readdirSync, statSync, type Dirent } from "node:fs";
import { dirname, extname, join } from "node:path";
import { Project, ts } from "ts-morph";
import { type Finding as Remark, CodedError } from "../../diagnostics/coded-error.js";
import { readRegularText } from "../../files/regular-file.js";
import { isInside } from "./origins.js";

/** The user's TypeScript, as its compiler sees it. */
export interface CodeBase {
  readonly program: ts.Program;
  /** The files to look through, in a fixed order. */
  readonly files: readonly ts.SourceFile[];
}

/**
 * Reads the TypeScript files of a folder and the JavaScript that people write beside it, or where it has no TypeScript all its JavaScript, with
 * the options of the nearest tsconfig.json; or the files of a tsconfig file.
 * Nothing is checked: the compiler finds out what it is asked for, and no more.
 *
 * @param path absolute
 * @throws CodedError MG3209 if it is neither, holds no code, or the configuration cannot be read
 */
export function openCodeBase(path: string): CodeBase {
  const { files, options } = isFolder(path) ? folderProject(path) : configured(path);
  // From ts-morph, which brings the types of the language along.
  const project = new Project({
    compilerOptions: { ...options, noEmit: true },
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
  });
  for (const file of files) project.addSourceFileAtPathIfExists(file);
  if (files.length === 0)
    throw new CodedError("MG3209", "has neither TypeScript nor JavaScript files", {
      place: { file: path },
      next: "Name the folder of your code, or its tsconfig.json.",
    });
  const program = project.getProgram().compilerObject;
  return { program, files: files.flatMap((file) => program.getSourceFile(file) ?? []) };
}

/** The syntax error that makes a file no TypeScript. */
export function syntaxRemark(
  program: ts.Program,
  file: ts.SourceFile,
  shown: (file: string) => string,
): Remark[] {
  const [first] = program.getSyntacticDiagnostics(file);
  if (!first) return [];
  const { line, character } = file.getLineAndCharacterOfPosition(first.start);
  return [
    {
      code: "MG3210",
      severity: "warning",
      message: `does not parse: ${ts.flattenDiagnosticMessageText(first.messageText, " ")}`,
      place: { file: shown(file.fileName), line: line + 1, column: character + 1 },
      next: "Correct it and run the command again: the report may lack uses in this file.",
    },
  ];
}

interface Configured {
  readonly files: readonly string[];
  readonly options: ts.CompilerOptions;
}

function folderProject(folder: string): Configured {
  const config = ts.findConfigFile(folder, ts.sys.fileExists);
  const options = config === undefined ? standard : configured(config).options;
  const typed = filesIn(folder, typeScript);
  const scripts = filesIn(folder, javaScript);
  const files =
    typed.length === 0 ? scripts : [...typed, ...scripts.filter((file) => isWritten(file, options))];
  // The types of packages are known in JavaScript, too.
  return { files: files.sort(), options: files.some(isScript) ? { ...options, allowJs: true } : options };
}

/** Whether people write a JavaScript file that lies beside TypeScript: compilers and bundlers write most of them. */
function isWritten(file: string, { allowJs, outDir, declarationDir }: ts.CompilerOptions): boolean {
  const isOutput = [outDir, declarationDir].some((folder) => folder !== undefined && isInside(folder, file));
  const stem = file.slice(0, -extname(file).length);
  const isCompiled = [".ts", ".tsx", ".mts", ".cts"].some((extension) => existsSync(stem + extension));
  if (isOutput || isCompiled) return false;
  const text = readText(file);
  return !bundledLine.test(text) && (allowJs === true || importsMcp.test(text));
}

/** Such lines are written by bundlers that leave out white space. */
const bundledLine = /[^\n]{5000}/;

const importsMcp = /["'](?:@mcpgen|@modelcontextprotocol)\//;

function readText(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    return "";
  }
}

const standard: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
};

function configured(file: string): Configured {
  if (extname(file) !== ".json" || !ts.sys.fileExists(file))
    throw new CodedError("MG3209", "is neither a folder nor a tsconfig file", {
      place: { file },
      next: "Name the folder of your code, or its tsconfig.json.",
    });
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile) as ReturnType<typeof ts.readConfigFile>;
  if (error)
    throw new CodedError("MG3209", ts.flattenDiagnosticMessageText(error.messageText, " "), {
      place: { file },
      next: "Correct the file, or name the folder of your code instead.",
    });
  // The compiler itself reports problems of single options to its users.
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
  // JavaScript is among them with `allowJs` alone.
  const files = fileNames.filter((name) => typeScript.test(name) || javaScript.test(name)).sort();
  return { files, options };
}

const typeScript = /(?<!\.d)\.[cm]?tsx?$/;
const javaScript = /\.[cm]?jsx?$/;

function isScript(file: string): boolean {
  return javaScript.test(file);
}

export function isJavaScript({ fileName }: ts.SourceFile): boolean {
  return isScript(fileName);
}

/** Folders that hold no code that people write. */
const skipped = /^(?:\..*|node_modules|dist|coverage)$/;

function filesIn(folder: string, kind: RegExp): string[] {
  const entries = readable(folder).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.test(entry.name) ? [] : filesIn(path, kind);
    return entry.isFile() && kind.test(entry.name) ? [path] : [];
  });
}

function readable(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
