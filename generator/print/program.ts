import { dirname, resolve } from "node:path";

/** Matches the path by which a package manager starts mcpgen from an installation; `folder` contains `node_modules`. */
const installed = /^(?<folder>.*)[\\/]node_modules[\\/](?:\.bin[\\/])?(?:create-)?mcpgen(?:[\\/.]|$)/;

/**
 * The words that start mcpgen in `directory`, as the user would type them. Started from `node_modules` of the directory or of
 * a folder around it, or from the cache of npx, it is not on PATH: `npx` finds it.
 *
 * @param script the path of the running script, as it was started: `process.argv[1]`
 */
export function programOf(script: string, directory: string): "mcpgen" | "npx mcpgen" {
  const folder = installed.exec(script)?.groups?.["folder"];
  if (folder === undefined) return "mcpgen";
  let around = resolve(directory);
  while (around !== resolve(folder) && around !== dirname(around)) around = dirname(around);
  return around === resolve(folder) || /[\\/]_npx[\\/]/.test(folder) ? "npx mcpgen" : "mcpgen";
}

const program = programOf(process.argv[1] ?? "", process.cwd());

/**
 * Text for people in which commands of mcpgen begin as the user would type them. Such a command begins the text or follows a
 * backtick.
 */
export function asTyped(text: string, typed = program): string {
  return text.replace(/(^|`)mcpgen (?=[a-z-])/g, `$1${typed} `);
}
