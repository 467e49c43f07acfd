import { win32 } from "node:path";
import { batchArguments } from "./batch.js";
import { variable, type Environment } from "./environment.js";

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
