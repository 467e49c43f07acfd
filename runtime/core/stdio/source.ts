import { McpError } from "../jsonrpc/errors.js";

/** A program and its arguments, each one exactly as the program gets it. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * The argument vector of a source `stdio:COMMAND arguments…`. Words are separated by white space and may be
 * quoted, in part as well: 'as it is' or "with \" for a quote". No shell reads it: there are no variables,
 * patterns or operators, and a backslash is an ordinary character unless a double quote follows, since paths
 * on Windows hold many.
 *
 * Throws `spawn-failed` for a quote that is not closed, for NUL, and where there is no command.
 */
export function parseStdioSource(source: string): Command {
  const [program, ...args] = wordsOf(source.replace(/^stdio:/, ""), source);
  if (program === undefined || program === "") throw unreadable(source, "there is no command");
  return [program, ...args];
}

function wordsOf(text: string, source: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === "\0") throw unreadable(source, "it holds NUL");
    if (character === "\\" && text[at + 1] === '"' && quote !== "'") {
      word = (word ?? "") + '"';
      at++;
    } else if (character === quote) {
      quote = "";
    } else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== "") throw unreadable(source, `a quote (${quote}) is not closed`);
  return word === undefined ? words : [...words, word];
}

function unreadable(source: string, why: string): McpError {
  return new McpError("spawn-failed", `${JSON.stringify(source)}: ${why}; expected stdio:COMMAND arguments…`);
}
