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
