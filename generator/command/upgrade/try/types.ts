import { existsSync } from "node:fs";
import { join } from "node:path";
import { Project as CodeProject, ts } from "ts-morph";
import type { Finding } from "../../../diagnostics/finding.js";

/** Errors that are shown: the first ones cause most others. */
const mostErrors = 20;

const strict: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  types: [],
};

/** The errors of types in generated files, which are nowhere on disk. */
export function generatedErrors(
  files: ReadonlyMap<string, string>,
  importExtension: string,
  shown: (path: string) => string,
): Finding[] {
  const project = new CodeProject({
    useInMemoryFileSystem: true,
    compilerOptions: { ...strict, ...(importExtension === "ts" && { allowImportingTsExtensions: true }) },
  });
  project.getFileSystem().writeFileSync("/package.json", '{"type":"module"}');
  for (const [path, text] of files) if (path.endsWith(".ts")) project.createSourceFile(`/${path}`, text);
  return errorsOf(project.getProgram().compilerObject, (path) => shown(path.slice(1)));
}

/** The outcome of a check of the project against new output. */
export interface ProjectTypes {
  /** Why it was not checked, if it was not. */
  readonly unchecked?: string;
  /** Errors that the project does not have with the present output. */
  readonly errors: readonly Finding[];
}

/**
 * The errors of types that a project gets from new output. The compiler is that of mcpgen, so that no program of the project
 * runs; the new files lie over the present ones in memory.
 *
 * @param folder of the project
 * @param shown a path as messages show it
 */
export function projectErrors(
  folder: string,
  outDir: string,
  files: ReadonlyMap<string, string>,
  shown: (path: string) => string,
): ProjectTypes {
  const config = join(folder, "tsconfig.json");
  if (!existsSync(config)) return { unchecked: "it has no tsconfig.json", errors: [] };
  const programWith = (output: ReadonlyMap<string, string>): ts.Program | undefined => {
    const project = new CodeProject({ tsConfigFilePath: config, compilerOptions: { noEmit: true } });
    const own = project.getSourceFiles().filter((file) => !isBelow(file.getFilePath(), outDir));
    if (own.length === 0) return undefined;
    for (const [path, text] of output)
      if (path.endsWith(".ts")) project.createSourceFile(join(outDir, path), text, { overwrite: true });
    return project.getProgram().compilerObject;
  };
  let program: ts.Program | undefined;
  try {
    program = programWith(files);
  } catch (error) {
    return { unchecked: `its tsconfig.json cannot be read: ${(error as Error).message}`, errors: [] };
  }
  if (!program) return { unchecked: "its tsconfig.json has no TypeScript beside the output", errors: [] };
  const isOwn = ({ fileName }: ts.SourceFile): boolean => !isBelow(fileName, outDir);
  const found = errorsOf(program, shown, isOwn);
  if (found.length === 0) return { errors: [] };
  const before = new Set(errorsOf(programWith(new Map())!, shown, isOwn).map(keyOf));
  return { errors: found.filter((error) => !before.has(keyOf(error))) };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** What stays the same where lines move. */
function keyOf({ message, place }: Finding): string {
  return `${place?.file} ${message}`;
}

function errorsOf(
  program: ts.Program,
  shown: (path: string) => string,
  wants: (file: ts.SourceFile) => boolean = () => true,
): Finding[] {
  const found: Finding[] = [];
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || program.isSourceFileFromExternalLibrary(file) || !wants(file)) continue;
    for (const each of [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]) {
      if (each.category !== ts.DiagnosticCategory.Error) continue;
      const { line, character } = file.getLineAndCharacterOfPosition(each.start ?? 0);
      const text = ts.flattenDiagnosticMessageText(each.messageText, " ").replace(/\s+/g, " ");
      found.push({
        code: "MG6801",
        severity: "error",
        message: `${text} (TS${each.code})`,
        place: { file: shown(file.fileName), line: line + 1, column: character + 1 },
      });
      if (found.length >= mostErrors) return found;
    }
  }
  return found;
}
