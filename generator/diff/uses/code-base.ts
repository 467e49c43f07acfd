import { statSync } from "node:fs";
import { dirname, extname } from "node:path";
import { Project, ts } from "ts-morph";
import { type Finding as Remark, CodedError } from "../../diagnostics/coded-error.js";
import { textIn, userFiles } from "../../files/user-files.js";
import { isInside } from "./origins.js";

/** The user's code as the TypeScript compiler reads it. */
export interface CodeBase {
  readonly program: ts.Program;
  /** The files to search, in a fixed order. */
  readonly files: readonly ts.SourceFile[];
}

/**
 * Opens a code base: the files of a tsconfig file, or those of a folder with the options of the nearest
 * tsconfig.json. In a folder these are TypeScript files and handwritten JavaScript; without TypeScript, all
 * JavaScript. The code is not type-checked: the compiler resolves only the names that are asked for.
 *
 * @param path absolute path
 * @throws CodedError MG3209 if it is neither, contains no code, or its configuration cannot be read
 */
export function openCodeBase(path: string): CodeBase {
  const { files, options } = isFolder(path) ? folderProject(path) : configured(path);
  // The compiler comes from ts-morph, which includes the types of the language.
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

/** A remark with the syntax error that prevents parsing of a file. */
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
  const { code } = userFiles(folder, new Set());
  const scripts = code.filter(isScript);
  const typed = code.filter((file) => !isScript(file));
  const files =
    typed.length === 0 ? scripts : [...typed, ...scripts.filter((file) => isWritten(file, options))];
  // With JavaScript, `allowJs` is needed to resolve the types of packages.
  return { files: files.sort(), options: files.some(isScript) ? { ...options, allowJs: true } : options };
}

/** Whether a JavaScript file beside TypeScript is handwritten. Compilers and bundlers write most of them. */
function isWritten(file: string, { allowJs, outDir, declarationDir }: ts.CompilerOptions): boolean {
  const isOutput = [outDir, declarationDir].some((folder) => folder !== undefined && isInside(folder, file));
  if (isOutput) return false;
  const text = textIn(file);
  return !bundledLine.test(text) && (allowJs === true || importsMcp.test(text));
}

/** A line of such length was written by a minifying bundler. */
const bundledLine = /[^\n]{5000}/;

const importsMcp = /["'](?:@mcpgen|@modelcontextprotocol)\//;

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
  // Ignore problems of individual options, which the compiler itself reports to its users.
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
  // JavaScript is included only with `allowJs`.
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

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
