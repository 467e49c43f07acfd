import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, isAbsolute, relative, sep } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { HeldFolder } from "./held-folder.js";

/**
 * A folder that a command may write below: in the project, or one that the user named on the command line. From the root to
 * the folder, and below it, no link is followed; links on the way to the root are the user's.
 */
export class WriteRoot {
  /** The folder, absolute. */
  readonly folder: string;
  readonly #root: string;
  readonly #names: readonly string[];

  private constructor(root: string, names: readonly string[]) {
    this.folder = join(root, ...names);
    this.#root = root;
    this.#names = names;
  }

  /**
   * A folder whose path comes from a file of the project: a configuration, a contract, tsconfig.json.
   *
   * @param project the folder of the configuration; what Git keeps together with it counts as the project, too
   * @throws CodedError MG3009 for a folder outside of the project
   */
  static ofProject(folder: string, project: string, { force = false } = {}): WriteRoot {
    const root = projectRoot(project);
    const names = namesBelow(root, folder);
    if (names) return new WriteRoot(root, outsideGit(names, folder));
    if (force) return WriteRoot.#ofUser(folder);
    throw outside(folder, `expected a folder below ${root}, got one outside of it`);
  }

  /** The whole project around a folder. */
  static project(folder: string): WriteRoot {
    return new WriteRoot(projectRoot(folder), []);
  }

  /**
   * A folder that the user named on the command line. Below the folder where the command runs, links are those of the
   * project, which are not followed; elsewhere they are the user's.
   *
   * @param folder absolute
   * @param directory the folder where the command runs
   */
  static named(folder: string, directory: string): WriteRoot {
    const root = projectRoot(directory);
    const names = namesBelow(root, folder);
    return names ? new WriteRoot(root, outsideGit(names, folder)) : WriteRoot.#ofUser(folder);
  }

  /** The same for the folder of a file that is named. */
  static ofFile(file: string, directory: string): WriteRoot {
    return WriteRoot.named(dirname(file), directory);
  }

  /** A new folder for temporary files, which only this user can enter. */
  static temporary(): WriteRoot {
    return new WriteRoot(HeldFolder.temporary("mcpgen-"), []);
  }

  static #ofUser(folder: string): WriteRoot {
    outsideGit(namesBelow(resolve("/"), folder) ?? [], folder);
    return new WriteRoot(folder, []);
  }

  /** Whether a path leads below the folder, as far as its names say. */
  holds(path: string): boolean {
    return namesBelow(this.folder, path) !== undefined;
  }

  /**
   * The path of a file below the folder, POSIX separators.
   *
   * @throws CodedError MG3009 for a file elsewhere
   */
  pathOf(file: string): string {
    const names = namesBelow(this.folder, file);
    if (names && names.length > 0) return names.join("/");
    throw outside(file, `expected a file below ${this.folder}, got one outside of it`);
  }

  /**
   * Opens the folder, without following links from the root on.
   *
   * @param make makes what is missing; without, `undefined` comes where there is no folder
   * @throws {Obstacle} where a link or something else stands
   */
  open(make: boolean): HeldFolder | undefined {
    let folder = make ? HeldFolder.open(this.#root, folderMode) : HeldFolder.open(this.#root);
    for (const name of this.#names) {
      if (!folder) return undefined;
      const parent: HeldFolder = folder;
      try {
        folder = make ? parent.child(name, folderMode) : parent.child(name);
      } finally {
        parent.close();
      }
    }
    return folder;
  }
}

/** The rights of new folders, less those that the user's mask takes away. */
export const folderMode = 0o777;

function outside(file: string, message: string): CodedError {
  return new CodedError("MG3009", message, {
    place: { file },
    next: "Choose a place in the project, or name it on the command line; `mcpgen generate --force` writes elsewhere, too.",
  });
}

/** @throws CodedError MG3002 for a way into `.git` */
function outsideGit(names: readonly string[], folder: string): readonly string[] {
  if (!names.some(isGitFolder)) return names;
  throw new CodedError("MG3002", "expected a folder outside of .git", {
    place: { file: folder },
    next: "Choose another folder.",
  });
}

/**
 * The folder that Git keeps as one with `folder`, or `folder` itself. The home folder and those above it are no project,
 * although some users keep it in Git.
 */
export function projectRoot(folder: string): string {
  for (let root = folder; !holdsHome(root); root = dirname(root))
    if (existsSync(join(root, ".git"))) return root;
  return folder;
}

function holdsHome(folder: string): boolean {
  return dirname(folder) === folder || namesBelow(folder, homedir()) !== undefined;
}

/**
 * The names that lead from `folder` to `path`; none where they are the same, `undefined` where `path` lies elsewhere. No link
 * is looked at.
 *
 * @param folder absolute
 * @param path absolute
 */
function namesBelow(folder: string, path: string): readonly string[] | undefined {
  const way = relative(folder, path);
  if (way === "") return [];
  const names = way.split(sep);
  return isAbsolute(way) || names[0] === ".." ? undefined : names;
}

/**
 * What is wrong with a path below a folder, as a file of the project may give it; `undefined` for a path that may be written.
 * Its separators are POSIX ones.
 */
export function pathFault(path: string): string | undefined {
  const names = path.split("/");
  if (/[\\\0]/.test(path) || /^[a-z]:/i.test(path) || names.some((name) => /^(?:|\.|\.\.)$/.test(name)))
    return "expected a path below the output folder";
  return names.some(isGitFolder) ? "expected a path outside of .git" : undefined;
}

/** Characters that HFS+ ignores in names, so that `.g\u200cit` is the folder `.git`. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether a file system takes `name` for `.git`: without regard to case, with spaces and dots at the end or a stream's name
 * (NTFS), by its short name (FAT). What Git runs and reads lies there.
 */
function isGitFolder(name: string): boolean {
  const [plain = ""] = name.replace(ignored, "").toLowerCase().split(":");
  return /^(?:\.git|git~\d+)[. ]*$/.test(plain);
}
