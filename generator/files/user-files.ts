import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRegularText } from "./regular-file.js";

/** Folders without code written by people. */
const skipped = /^(?:\..*|node_modules|dist|coverage)$/;

const code = /(?<!\.d)\.[cm]?[jt]sx?$/;
/** Files that decide how imports resolve, and whether the code is a worker. */
const settings = /^(?:(?:package|[tj]sconfig.*)\.json|wrangler\.(?:toml|jsonc?))$/;

export interface UserFiles {
  /** TypeScript and JavaScript files in a fixed order, each once even if several links lead to it. */
  readonly code: readonly string[];
  readonly settings: readonly string[];
}

/**
 * Lists the files below `folder` that may contain handlers, and the settings that decide how their imports
 * resolve.
 *
 * @param without generated folders, which are skipped
 */
export function userFiles(folder: string, without: ReadonlySet<string>): UserFiles {
  const found = { code: [] as string[], linked: [] as string[], settings: [] as string[] };
  const known = new Set<string>([...without].map(realPath));
  collect(folder, known, found);
  const real = new Set(found.code.map(realPath));
  const linked = found.linked.filter((path) => !real.has(realPath(path)) && real.add(realPath(path)));
  const all = [...found.code, ...linked].sort((a, b) => (a < b ? -1 : 1));
  const names = new Set(all);
  return { code: all.filter((path) => !isCompiled(path, names)), settings: found.settings };
}

/** @param known real paths of folders that were visited or are to be skipped */
function collect(
  folder: string,
  known: Set<string>,
  found: { readonly code: string[]; readonly linked: string[]; readonly settings: string[] },
): void {
  const real = realPath(folder);
  if (known.has(real)) return;
  known.add(real);
  const entries = readable(folder).sort((a, b) => (a.name < b.name ? -1 : 1));
  const links: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const kind = entry.isSymbolicLink() ? kindOf(path) : entry;
    if (kind?.isDirectory() && !skipped.test(entry.name)) {
      // Visit links last, so that a folder is listed under its own name rather than the link's.
      if (entry.isSymbolicLink()) links.push(path);
      else collect(path, known, found);
    }
    if (!kind?.isFile()) continue;
    if (settings.test(entry.name)) found.settings.push(path);
    if (code.test(entry.name)) (entry.isSymbolicLink() ? found.linked : found.code).push(path);
  }
  for (const path of links)
    if (!/[\\/]node_modules(?:[\\/]|$)/.test(realPath(path))) collect(path, known, found);
}

function kindOf(path: string): Pick<Dirent, "isFile" | "isDirectory"> | undefined {
  try {
    return statSync(path);
  } catch {
    // A broken or circular link.
    return undefined;
  }
}

/** The text of a file; empty if it cannot be read, as for a link to a pipe. */
export function textIn(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    return "";
  }
}

/** Whether a JavaScript file lies beside the TypeScript file that it was compiled from. */
function isCompiled(path: string, names: ReadonlySet<string>): boolean {
  const typed = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  return typed !== path && (names.has(typed) || names.has(typed.replace(/\.ts$/, ".tsx")));
}

/** The target of a path with links; a broken path is returned unchanged. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The entries of a folder; none if it cannot be read. */
function readable(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
