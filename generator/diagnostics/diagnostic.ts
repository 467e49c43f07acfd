/** The meaning of a stable code. */
export interface Diagnostic {
  /** One line that names the kind of problem. */
  readonly title: string;
  /**
   * Exit code of the process if the code is an error: 1 findings, 2 usage or configuration, 3 input, 4
   * network or server, 70 bug in mcpgen, 130 Ctrl-C. 0: the code is always a warning or informational.
   */
  readonly exit: 0 | 1 | 2 | 3 | 4 | 70 | 130;
  /** Whether findings with this code can be warnings, which do not change the exit code. */
  readonly mayWarn?: true;
  /** Whether findings with this code are informational. */
  readonly informs?: true;
  /** The explanation that `mcpgen explain CODE` prints: the cause and the correction. */
  readonly explanation: string;
}
