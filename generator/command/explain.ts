import { type DiagnosticCode, catalogue } from "../diagnostics/catalogue.js";
import type { Diagnostic } from "../diagnostics/catalogue.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import { columns } from "./columns.js";
import type { RunCommand } from "./context.js";
import { exitCodes } from "./exit-codes.js";

const codes: ReadonlyMap<string, Diagnostic> = new Map(Object.entries(catalogue));

export const explain: RunCommand = async (args) => {
  const code = args.string("code")?.toUpperCase();
  if (code === undefined) {
    const rows = [...codes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { title }]) => [name, title]);
    return { text: columns(rows), data: { codes: catalogue } };
  }
  const diagnostic = codes.get(code);
  if (!diagnostic) throw unknownCode(code);
  const { title, exit, explanation } = diagnostic;
  const meaning = `Exit code ${exit}: ${exitCodes.get(exit)}.`;
  return {
    text: `${code}: ${title}\n\n${wrapped(explanation)}\n\n${meaning}`,
    data: { code, title, exitCode: exit, explanation },
  };
};

function unknownCode(code: string): CodedError {
  const suggestion = closest(code, codes.keys() as Iterable<DiagnosticCode>);
  return new CodedError("MG2006", `there is no code ${JSON.stringify(code)}`, {
    next: suggestion === undefined ? "`mcpgen explain` lists all codes." : `Did you mean ${suggestion}?`,
  });
}

/** Lines of at most 90 characters. */
function wrapped(text: string): string {
  return text.replace(/(?![^\n]{1,90}$)([^\n]{1,90})\s/g, "$1\n");
}
