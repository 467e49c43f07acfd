// How cmd.exe and the C runtime parse a command line, by their documentation. Tests of the quoting use this model
// instead of Windows.

/** Replaces %name% and %name:~a,b% as cmd.exe does on its command line: undefined names remain. */
function expanded(line: string, variables: Readonly<Record<string, string>>): string {
  let result = "";
  for (let at = 0; at < line.length; at++) {
    const end = line[at] === "%" ? line.indexOf("%", at + 1) : -1;
    const reference = end < 0 ? undefined : /^([^:]+)(?::~(\d*),(\d*))?$/.exec(line.slice(at + 1, end));
    const value =
      reference === null || reference === undefined ? undefined : variables[reference[1]!.toUpperCase()];
    if (value === undefined) {
      result += line[at];
      continue;
    }
    // Without a number, the length of the part is 0.
    result += reference![3] === undefined ? value : value.slice(0, Number(reference![3]));
    at = end;
  }
  return result;
}

/** Throws if cmd.exe would see an operator: one of its special characters outside quotes. */
function parsed(line: string): string {
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && /[&|<>^()]/.test(character)) throw new Error(`operator ${character} in ${line}`);
  }
  if (quoted) throw new Error(`open quote in ${line}`);
  return line;
}

/** The words a program makes of its command line (Microsoft C, since 2008). */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let at = 0; at < line.length;) {
    const backslashes = /^\\*/.exec(line.slice(at))![0].length;
    at += backslashes;
    const character = line[at];
    if (character === '"') {
      word = (word ?? "") + "\\".repeat(backslashes >> 1);
      if (backslashes % 2 === 1) word += '"';
      else if (quoted && line[at + 1] === '"') {
        word += '"';
        at++;
      } else quoted = !quoted;
      at++;
      continue;
    }
    if (backslashes > 0) word = (word ?? "") + "\\".repeat(backslashes);
    if (character === undefined) break;
    if (character === " " && !quoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
    at++;
  }
  return word === undefined ? words : [...words, word];
}

/**
 * The arguments of a program that a batch file runs with `%*`, if cmd.exe gets `args`. The batch file's line is parsed
 * for operators again, but its arguments are not expanded again.
 */
export function throughBatchFile(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): string[] {
  const [line] = args.slice(-1);
  if (!args.includes("/s") || args.at(-2) !== "/c" || !/^".*"$/s.test(line!))
    throw new Error("not quoted whole");
  const commandLine = parsed(expanded(line!.slice(1, -1), variables));
  const [, ...words] = wordsOf(parsed(commandLine));
  return words;
}
