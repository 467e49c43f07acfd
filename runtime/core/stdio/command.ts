import { McpError } from "../jsonrpc/errors.js";
import { win32 } from "node:path";
import { variable, type Environment } from "./environment.js";

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

export interface CommandInput {
  readonly command: string;
  readonly args: readonly string[];
  readonly platform: NodeJS.Platform;
  /** The child's environment: its PATH is searched. */
  readonly environment: Environment;
  /** The child's working directory, to which a relative path of the command refers. */
  readonly directory: string;
  /** Whether there is a file of this path. */
  readonly exists: (path: string) => boolean;
}

/** What to give to `spawn`, never with a shell. */
export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows: the arguments are quoted already. */
  readonly verbatim: boolean;
}

/**
 * How to start a command. POSIX systems search the PATH themselves. Windows finds only .exe and .com there,
 * and starts no batch file (`npx` is one) without cmd.exe: here PATH and PATHEXT are searched, and a batch
 * file is run through cmd.exe with its arguments quoted. Unlike cmd.exe this never takes a program from the
 * working directory unless the command is a path. Untested on Windows itself.
 *
 * A command that is not found is returned as it is: starting it fails with the system's own words, and a
 * batch file with Node's, which starts none.
 */
export function invocationOf(input: CommandInput): Invocation {
  const { command, args, platform, environment } = input;
  if (platform !== "win32") return { file: command, args, verbatim: false };
  const file = findOnWindows(input);
  if (file === undefined) return { file: command, args, verbatim: false };
  // Windows drops dots and spaces at the end of a name, so "x.bat." is a batch file, too.
  if (!/\.(cmd|bat)[. ]*$/i.test(file)) return { file, args, verbatim: false };
  const system = variable(environment, "SYSTEMROOT", platform) ?? "C:\\Windows";
  return {
    file: win32.join(system, "System32", "cmd.exe"),
    args: batchArguments(file, args),
    verbatim: true,
  };
}

function findOnWindows(input: CommandInput): string | undefined {
  const { command, environment, directory, exists } = input;
  const extensions = (variable(environment, "PATHEXT", "win32") ?? ".COM;.EXE;.BAT;.CMD")
    .split(";")
    .filter((extension) => extension !== "")
    .map((extension) => extension.toLowerCase());
  const isPath = /[\\/]/.test(command) || /^[a-z]:/i.test(command);
  const folders = isPath ? [directory] : searchPath(environment);
  const named = extensions.some((extension) => command.toLowerCase().endsWith(extension));
  const extended = extensions.map((extension) => command + extension);
  const names = named ? [command, ...extended] : isPath ? [...extended, command] : extended;
  return folders
    .flatMap((folder) =>
      names.map((name) => (isPath ? win32.resolve(folder, name) : win32.join(folder, name))),
    )
    .find(exists);
}

function searchPath(environment: Environment): string[] {
  const folders = (variable(environment, "PATH", "win32") ?? "").split(";");
  // An empty entry or "." would be the working directory.
  return folders
    .map((folder) => folder.replace(/^"(.*)"$/, "$1"))
    .filter((folder) => win32.isAbsolute(folder));
}

/** What cmd.exe takes as one line; it would cut or refuse a longer one. */
const longest = 8191;

/**
 * The arguments for cmd.exe that run a batch file (.cmd, .bat) with `args`, each of which arrives as it is.
 * Windows has no other way to start one, and cmd.exe parses what it is given as a program ("BatBadBut",
 * CVE-2024-24576 and its kin). Pass them verbatim (`windowsVerbatimArguments`).
 *
 * Throws `spawn-failed` for what no quoting can carry: line ends, NUL, and more than cmd.exe reads.
 */
export function batchArguments(file: string, args: readonly string[]): string[] {
  // Autorun commands off; extensions on, for %cd:~,%; delayed expansion off, so that ! is an ordinary character.
  const line = `"${[file, ...args].map(quoted).join(" ")}"`;
  if (line.length > longest) throw impossible(`more than ${longest} characters`);
  return ["/d", "/e:on", "/v:off", "/s", "/c", line];
}

/**
 * Quotes are never left open: a quote inside is doubled, which cmd.exe reads as closing and opening again
 * and the program's own parser as a quote. So `& | < > ^ ( )` stand inside quotes at both readings, that of
 * the command line and that of the batch file when it passes on its `%*`.
 */
function quoted(argument: string): string {
  if (/[\0\r\n]/.test(argument)) throw impossible("a line end or NUL");
  if (argument.length > longest) throw impossible(`more than ${longest} characters`);
  const text = argument
    // A backslash means itself to the program's parser, except before a quote.
    .replace(
      /(\\*)("|$)/g,
      (_, backslashes: string, quote: string) => backslashes.repeat(2) + quote.repeat(2),
    )
    // %name% is replaced even inside quotes. %cd:~,% is an empty part of a variable that is always there; it
    // takes part in what would be a name, and leaves the other percent sign alone.
    .replaceAll("%", "%%cd:~,%");
  return `"${text}"`;
}

function impossible(what: string): McpError {
  return new McpError(
    "spawn-failed",
    `the arguments for a batch file hold ${what}, which cmd.exe cannot be given`,
  );
}
