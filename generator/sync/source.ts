import { ts } from "ts-morph";
import type { Finding } from "../diagnostics/coded-error.js";

export type SourceFile = ts.SourceFile;

/** The syntax tree of a file, as far as it parses. */
export function parse(text: string, file: string): ts.SourceFile {
  const [script, typed] = file.endsWith("x")
    ? [ts.ScriptKind.JSX, ts.ScriptKind.TSX]
    : [ts.ScriptKind.JS, ts.ScriptKind.TS];
  const kind = /\.[cm]?jsx?$/.test(file) ? script : typed;
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
}

/** The syntax error that prevents parsing of a file; undefined if there is none. */
export function syntaxProblem(source: ts.SourceFile, file: string): Finding | undefined {
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (name) => (name === file ? source : undefined),
  };
  const program = ts.createProgram([file], { noLib: true, noResolve: true, types: [], allowJs: true }, host);
  const [first] = program.getSyntacticDiagnostics(source);
  if (!first) return undefined;
  const { line, character } = source.getLineAndCharacterOfPosition(first.start);
  return {
    code: "MG6504",
    severity: "error",
    message: `does not parse: ${ts.flattenDiagnosticMessageText(first.messageText, " ")}`,
    place: { file, line: line + 1, column: character + 1 },
    next: "Correct it and run `mcpgen sync` again; the file is unchanged.",
  };
}
