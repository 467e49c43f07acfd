/** The meaning of the exit codes, for every command. */
export const exitCodes = new Map<number, string>([
  [0, "clean"],
  [1, "findings or drift"],
  [2, "usage or configuration"],
  [3, "input cannot be read or is not what it should be"],
  [4, "network or server"],
  [70, "a bug in mcpgen"],
  [130, "ended with Ctrl-C"],
]);

/** The table as `--help` shows it. */
export function exitCodeTable(): string {
  const lines = [...exitCodes].map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return ["Exit codes:", ...lines].join("\n");
}
