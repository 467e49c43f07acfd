import { McpError } from "../jsonrpc/errors.js";

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
