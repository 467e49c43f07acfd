import { contractDiagnostics, inputDiagnostics } from "./catalogue/input.js";
import {
  devDiagnostics,
  hostDiagnostics,
  initDiagnostics,
  packageDiagnostics,
  usageDiagnostics,
} from "./catalogue/usage.js";
import { diffDiagnostics, lintDiagnostics, outputDiagnostics, syncDiagnostics } from "./catalogue/output.js";
import { serverDiagnostics } from "./catalogue/server.js";
import type { Diagnostic } from "./diagnostic.js";

/** Every code that mcpgen can report. Codes are never reused. */
export const catalogue = {
  ...inputDiagnostics,
  ...usageDiagnostics,
  ...outputDiagnostics,
  ...diffDiagnostics,
  ...contractDiagnostics,
  ...serverDiagnostics,
  ...hostDiagnostics,
  ...initDiagnostics,
  ...lintDiagnostics,
  ...packageDiagnostics,
  ...syncDiagnostics,
  ...devDiagnostics,
} satisfies Record<string, Diagnostic>;

export type DiagnosticCode = keyof typeof catalogue;

/** The codes whose entries have these members. */
type CodeWith<Members> = {
  [Code in DiagnosticCode]: (typeof catalogue)[Code] extends Members ? Code : never;
}[DiagnosticCode];

/** The codes of errors. */
export type CodeOfError = Exclude<DiagnosticCode, CodeWith<{ readonly exit: 0 }>>;

/** The codes of warnings; some of them can also be errors. */
export type CodeOfWarning = Exclude<CodeWith<{ readonly exit: 0 } | { readonly mayWarn: true }>, CodeOfInfo>;

/** The codes of informational findings. */
export type CodeOfInfo = CodeWith<{ readonly informs: true }>;
