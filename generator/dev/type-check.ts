import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Finding } from "../diagnostics/finding.js";
import { readRegularText } from "../files/regular-file.js";

interface TypeCheckOptions {
  /** The absolute path of tsconfig.json. */
  readonly file: string;
  /** Whether the compiler also writes its output, if there are no errors. */
  readonly writes: boolean;
  /** A path as messages show it. */
  readonly shown: (path: string) => string;
  readonly signal: AbortSignal;
}

/** Errors that are shown: the first ones cause most others. */
const mostErrors = 20;

/** Bytes of the compiler's output that are read. */
const maxOutput = 16 * 1024 * 1024;

/**
 * Checks the types of a project with its own TypeScript, in another process: the answer is that of `npm run build`, and
 * messages flow meanwhile.
 */
export async function checkTypes({ file, writes, shown, signal }: TypeCheckOptions): Promise<Finding[]> {
  const program = compilerOf(file);
  if (program === undefined) return [notInstalled(shown(file))];
  const folder = dirname(file);
  const words = ["-p", file, "--pretty", "false", writes ? "--noEmitOnError" : "--noEmit"];
  const { failed, output } = await run([program, ...words], folder, signal);
  const findings = errorsIn(output, folder, shown, file);
  if (findings.length > 0 || !failed || signal.aborted) return findings.slice(0, mostErrors);
  const [line = "tsc ended without a message"] = output.trim().split("\n");
  return [compileError(line, { file: shown(file) })];
}

/** The program of the TypeScript that a project has installed. */
function compilerOf(file: string): string | undefined {
  try {
    const manifest = createRequire(file).resolve("typescript/package.json");
    const { bin } = JSON.parse(readRegularText(manifest)) as {
      readonly bin?: { readonly tsc?: string };
    };
    const program = bin?.tsc === undefined ? undefined : join(dirname(manifest), bin.tsc);
    return program !== undefined && existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

async function run(
  words: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, words, { cwd, signal, maxBuffer: maxOutput }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

/** The errors in the output of the compiler: one a line, and indented lines that continue it. */
function errorsIn(
  output: string,
  folder: string,
  shown: (path: string) => string,
  settings: string,
): Finding[] {
  const joined = output.replaceAll("\r\n", "\n").replaceAll(/\n +/g, " ");
  return joined.split("\n").flatMap((line) => {
    const match = /^(?:(.+)\((\d+),(\d+)\): )?error (TS\d+): (.+)$/.exec(line);
    if (!match) return [];
    const [, path, at, column, code, text] = match;
    const place =
      path === undefined
        ? { file: shown(settings) }
        : { file: shown(resolve(folder, path)), line: Number(at), column: Number(column) };
    return [compileError(`${text} (${code})`, place)];
  });
}

function compileError(message: string, place: NonNullable<Finding["place"]>): Finding {
  return { code: "MG6801", severity: "error", message, place };
}

function notInstalled(file: string): Finding {
  return {
    code: "MG6803",
    severity: "warning",
    message: "types are not checked: the project has no TypeScript installed",
    place: { file },
    next: "Install it: `npm install --save-dev typescript`.",
  };
}
