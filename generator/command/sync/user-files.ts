import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/** Folders that hold no code that people write. */
const skipped = /^(?:\..*|node_modules|dist|coverage)$/;

const code = /(?<!\.d)\.[cm]?[jt]sx?$/;
/** The files that decide how imports resolve. */
const settings = /^(?:package|[tj]sconfig.*)\.json$/;

export interface UserFiles {
  /** TypeScript and JavaScript, in a fixed order; each once, however many links lead to it. */
  readonly code: readonly string[];
  readonly settings: readonly string[];
}

/**
 * The files below `folder` that may hold handlers, and those that say where their imports lead.
 *
 * @param without folders that are generated
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

/** @param known real paths of folders that were looked into, or are not to be */
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
      // A folder is looked into under its own name rather than under that of a link.
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
    // It leads nowhere, or back to itself.
    return undefined;
  }
}

/** JavaScript beside the TypeScript that it was made of. */
function isCompiled(path: string, names: ReadonlySet<string>): boolean {
  const typed = path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  return typed !== path && (names.has(typed) || names.has(typed.replace(/\.ts$/, ".tsx")));
}

/** Where links lead; a path that leads nowhere stays as it is. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A folder that may not be read holds no handlers. */
function readable(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
