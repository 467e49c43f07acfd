import { contractDiagnostics } from "./catalogue/contract.js";
import { devDiagnostics } from "./catalogue/dev.js";
import { diffDiagnostics } from "./catalogue/diff.js";
import { hostDiagnostics } from "./catalogue/hosts.js";
import { initDiagnostics } from "./catalogue/init.js";
import { inputDiagnostics } from "./catalogue/input.js";
import { lintDiagnostics } from "./catalogue/lint.js";
import { outputDiagnostics } from "./catalogue/output.js";
import { packageDiagnostics } from "./catalogue/package.js";
import { serverDiagnostics } from "./catalogue/server.js";
import { syncDiagnostics } from "./catalogue/sync.js";
import { usageDiagnostics } from "./catalogue/usage.js";

/** What a stable code means. */
export interface Diagnostic {
  /** One line: what kind of problem it is. */
  readonly title: string;
  /**
   * Exit code of the process where the code is an error: 1 findings, 2 usage or configuration, 3 input, 4 network or
   * server, 70 our bug, 130 Ctrl-C. 0: the code is always a warning, or informs.
   */
  readonly exit: 0 | 1 | 2 | 3 | 4 | 70 | 130;
  /** Some findings with this code are warnings, which do not change the exit code. */
  readonly mayWarn?: true;
  /** Findings with this code ask for no change. */
  readonly informs?: true;
  /** The long form that `mcpgen explain CODE` prints: why it happens and how to mend it. */
  readonly explanation: string;
}

/** Every code mcpgen can report. Codes are never reused. */
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

/** The codes of warnings; some of them are codes of errors, too. */
export type CodeOfWarning = Exclude<CodeWith<{ readonly exit: 0 } | { readonly mayWarn: true }>, CodeOfInfo>;

/** The codes of findings that ask for no change. */
export type CodeOfInfo = CodeWith<{ readonly informs: true }>;
