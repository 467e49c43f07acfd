/**
 * A word as a POSIX shell takes it. `stdio:` sources quote the same way: a single quote stands in double quotes, because
 * a backslash outside of quotes is an ordinary character there. A leading `=` is quoted, which zsh would expand.
 */
export function shellWord(word: string): string {
  return /^(?!=)[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** A command line whose words are `words`. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** Words after all options of a command: where one begins with a dash, `--` keeps it from being an option. */
export function operands(words: readonly string[]): readonly string[] {
  return words.some((word) => word.startsWith("-")) ? ["--", ...words] : words;
}
