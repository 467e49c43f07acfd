import { McpError } from "@mcpgen/base";
import { win32 } from "node:path";
import { type Environment, variable } from "./client-options.js";

/** A program and its arguments, which reach the program unchanged. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * Parses a source `stdio:COMMAND arguments…`. White space separates words. A word, or a part of it, may be quoted:
 * 'no escapes' or "with \" for a quote". No shell reads the text: it has no variables, patterns or operators. A backslash
 * is an ordinary character unless a double quote follows, because Windows paths contain backslashes.
 *
 * @throws {McpError} `spawn-failed`: a quote is not closed, the text contains NUL, or it has no command
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
    if (character === "\0") throw unreadable(source, "it contains NUL");
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

interface CommandInput {
  readonly command: string;
  readonly args: readonly string[];
  readonly platform: NodeJS.Platform;
  /** Environment of the child: its PATH is searched. */
  readonly environment: Environment;
  /** Working directory of the child: a relative path of the command starts there. */
  readonly directory: string;
  /** Whether a file exists at this path. */
  readonly exists: (path: string) => boolean;
}

/** Arguments for `spawn`, without a shell. */
interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  /** On Windows: whether the arguments are already quoted (`windowsVerbatimArguments`). */
  readonly verbatim: boolean;
}

/**
 * Finds the file of a command and quotes its arguments. POSIX systems search PATH themselves. Windows finds only .exe and
 * .com files in PATH, and starts a batch file (`npx` is one) only through cmd.exe: this function searches PATH and PATHEXT,
 * and passes a batch file to cmd.exe with quoted arguments. Unlike cmd.exe, it searches the working directory only if the
 * command is a path. Not tested on Windows.
 *
 * A command that is not found is returned unchanged: `spawn` then fails with the error of the system.
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

/** Characters of the longest line that cmd.exe reads. */
const longest = 8191;

/**
 * The arguments with which cmd.exe runs a batch file (.cmd, .bat). The batch file gets `args` unchanged. Windows starts
 * batch files only through cmd.exe, which parses its arguments as a program ("BatBadBut", CVE-2024-24576). Pass the result
 * with `windowsVerbatimArguments`.
 *
 * @throws {McpError} `spawn-failed`: an argument contains a line end or NUL, or the line is longer than cmd.exe reads
 */
export function batchArguments(file: string, args: readonly string[]): string[] {
  // Autorun commands off; extensions on, for %cd:~,%; delayed expansion off, so that ! is an ordinary character.
  const line = `"${[file, ...args].map(quoted).join(" ")}"`;
  if (line.length > longest) throw impossible(`more than ${longest} characters`);
  return ["/d", "/e:on", "/v:off", "/s", "/c", line];
}

/**
 * Quotes an argument. A quote inside it is doubled: cmd.exe reads that as the end and the start of a quoted part, the parser
 * of the program as one quote. `& | < > ^ ( )` are therefore quoted both when cmd.exe reads the command line and when the
 * batch file passes on `%*`.
 */
function quoted(argument: string): string {
  if (/[\0\r\n]/.test(argument)) throw impossible("a line end or NUL");
  if (argument.length > longest) throw impossible(`more than ${longest} characters`);
  const text = argument
    // To the parser of the program, a backslash is an ordinary character except before a quote.
    .replace(
      /(\\*)("|$)/g,
      (_, backslashes: string, quote: string) => backslashes.repeat(2) + quote.repeat(2),
    )
    // cmd.exe replaces %name% even inside quotes. %cd:~,% is an empty part of a variable that always exists: it takes the
    // place of each percent sign, so that no name is left between two of them.
    .replaceAll("%", "%%cd:~,%");
  return `"${text}"`;
}

function impossible(what: string): McpError {
  return new McpError(
    "spawn-failed",
    `the arguments for a batch file contain ${what}, which cmd.exe cannot read`,
  );
}
