import {
  type Dirent,
  type Stats,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, homedir } from "node:os";
import { basename, dirname, join, resolve, isAbsolute, relative, sep } from "node:path";
import { invariant, CodedError } from "../diagnostics/coded-error.js";
import { type ReadOptions, readRegularFile } from "./regular-file.js";

/** What stands in the way of a folder, a file or a name: a symbolic link, or something of another kind. */
export class Obstacle extends Error {
  override readonly name = "Obstacle";
  /** The path of what stands there. */
  readonly place: string;
  readonly wanted: "file" | "folder";
  readonly found: string;

  /** @param found what stands there, with its article */
  constructor(place: string, wanted: "file" | "folder", found: string) {
    super(`expected a ${wanted}, got ${found}`);
    this.place = place;
    this.wanted = wanted;
    this.found = found;
  }
}

/**
 * A folder that is held while it is written to. Everything is done by a name in it, never by a path that leads to it: a
 * program that swaps a folder on the way for a symbolic link redirects nothing.
 *
 * This module alone opens files of the generator for writing, renames, links and deletes, and makes folders.
 *
 * Linux: the folder is open (O_DIRECTORY | O_NOFOLLOW), and names are looked up below `/proc/self/fd`. Elsewhere, and without
 * `/proc`: a folder is entered if it is no link and its real path lies directly in the real path of its parent; before each
 * act it must still have the identity (device and inode) that it had then. Windows knows neither O_NOFOLLOW nor the owner of
 * a file; junctions count as links. Everywhere files are made exclusively ("wx"): what exists is never opened for writing.
 */
export class HeldFolder {
  /** Its path as messages name it. */
  readonly path: string;
  readonly #descriptor: number | undefined;
  readonly #device: number;
  readonly #inode: number;

  private constructor(path: string, descriptor: number | undefined, { dev, ino }: Stats) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#device = dev;
    this.#inode = ino;
  }

  /**
   * Opens a folder that the user has chosen: links on the way to it are the user's. Folders that are missing are made.
   *
   * @param path absolute
   * @param mode of the folders that are made; without it, `undefined` comes where there is none
   */
  static open(path: string): HeldFolder | undefined;
  static open(path: string, mode: number): HeldFolder;
  static open(path: string, mode?: number): HeldFolder | undefined {
    const missing: string[] = [];
    let present = path;
    while (!existsSync(present) && dirname(present) !== present) {
      // A link that leads nowhere.
      if (isLink(present)) throw obstacleAt(present, "folder");
      missing.unshift(basename(present));
      present = dirname(present);
    }
    if (missing.length > 0 && mode === undefined) return undefined;
    let folder = HeldFolder.#held(realpathSync.native(present), present);
    for (const name of missing) {
      const parent = folder;
      try {
        folder = parent.child(name, mode!);
      } finally {
        parent.close();
      }
    }
    return folder;
  }

  /** @param parent the folder that it must lie in, where no descriptor holds it */
  static #held(place: string, shown: string, parent?: HeldFolder): HeldFolder {
    if (holdsDescriptors) {
      const descriptor = opened(place, shown);
      return new HeldFolder(shown, descriptor, fstatSync(descriptor));
    }
    const found = lstatSync(place);
    if (!found.isDirectory()) throw obstacle(shown, "folder", found);
    if (parent && dirname(realpathSync.native(place)) !== realpathSync.native(parent.path))
      throw new Obstacle(shown, "folder", "a link to another place");
    return new HeldFolder(place, undefined, found);
  }

  /** Makes a folder for temporary files that only this user can enter. */
  static temporary(prefix: string): string {
    return mkdtempSync(join(tmpdir(), prefix));
  }

  /** Removes such a folder with the files in it, if it is still there. */
  static discard(path: string): void {
    const folder = HeldFolder.open(path);
    if (!folder) return;
    try {
      for (const entry of folder.entries()) if (!entry.isDirectory()) folder.remove(entry.name);
    } finally {
      folder.close();
    }
    const parent = HeldFolder.open(dirname(path));
    parent?.removeEmpty(basename(path));
    parent?.close();
  }

  /** Who owns the folder, and its mode. */
  get stats(): Stats {
    return this.#descriptor === undefined ? lstatSync(this.#place()) : fstatSync(this.#descriptor);
  }

  /**
   * A folder in this one.
   *
   * @param mode makes it with this mode if it is missing; without it, `undefined` comes where there is none
   * @throws {Obstacle} where a link or something else stands
   */
  child(name: string): HeldFolder | undefined;
  child(name: string, mode: number): HeldFolder;
  child(name: string, mode?: number): HeldFolder | undefined {
    const shown = join(this.path, name);
    const found = this.stat(name);
    if (!found) {
      if (mode === undefined) return undefined;
      this.#act(name, (place) => makeFolder(place, mode));
    } else if (!found.isDirectory()) throw obstacle(shown, "folder", found);
    return this.#act(name, (place) => HeldFolder.#held(place, shown, this));
  }

  /**
   * Makes a file, which must not exist.
   *
   * @param options `masked`: whether the user's mask takes rights away from the mode; default: true
   */
  create(name: string, content: string | Uint8Array, mode: number, { masked = true } = {}): void {
    this.#act(name, (place) => {
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
      const descriptor = openSync(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      try {
        if (!masked) fchmodSync(descriptor, mode);
        writeFileSync(descriptor, content);
      } finally {
        closeSync(descriptor);
      }
    });
  }

  /** Gives a file a second name, or where the file system has no hard links, makes a copy of it. */
  keep(name: string, second: string): void {
    this.#act(name, (place) => {
      const other = this.#place(second);
      try {
        linkSync(place, other);
      } catch {
        copyFileSync(place, other, constants.COPYFILE_EXCL);
      }
    });
  }

  /** Puts the file `from` in the place of `to`: whatever file or link is called so is gone afterwards, and is not followed. */
  rename(from: string, to: string): void {
    this.#act(from, (place) => renameSync(place, this.#place(to)));
  }

  /** Removes a file or a link; what a link leads to stays. */
  remove(name: string): void {
    this.#act(name, (place) => unlinkSync(place));
  }

  /** @returns whether the folder in this one was empty, and is removed */
  removeEmpty(name: string): boolean {
    try {
      this.#act(name, (place) => rmdirSync(place));
      return true;
    } catch {
      return false;
    }
  }

  /** What is called so in this folder; a link itself, not what it leads to. */
  stat(name: string): Stats | undefined {
    return this.#act(name, (place) => lstatSync(place, { throwIfNoEntry: false }));
  }

  entries(): Dirent[] {
    return this.#act(".", (place) => readdirSync(place, { withFileTypes: true }));
  }

  /** @throws CodedError as `readRegularFile`; a link is not followed */
  read(name: string, options: Pick<ReadOptions, "limit" | "inspect"> = {}): Buffer {
    return readRegularFile(this.#place(name), { ...options, shown: join(this.path, name), follow: false });
  }

  /** Takes all rights from others where they have any. */
  makePrivate(): void {
    if ((this.stats.mode & 0o077) === 0 || this.#descriptor === undefined) return;
    fchmodSync(this.#descriptor, 0o700);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  /** The path by which the operating system finds a name in this very folder. */
  #place(name = "."): string {
    invariant(name === "." || isName(name), "one name in a folder");
    if (this.#descriptor !== undefined) return `/proc/self/fd/${this.#descriptor}/${name}`;
    const { dev, ino } = lstatSync(this.path);
    if (dev !== this.#device || ino !== this.#inode) throw new Obstacle(this.path, "folder", "another one");
    return join(this.path, name);
  }

  /** Errors name the folder by its path. */
  #act<Result>(name: string, act: (place: string) => Result): Result {
    const place = this.#place(name);
    try {
      return act(place);
    } catch (cause) {
      const error = cause as NodeJS.ErrnoException;
      if (error.path === undefined || this.#descriptor === undefined) throw cause;
      error.message = error.message.replaceAll(`/proc/self/fd/${this.#descriptor}/`, `${this.path}/`);
      error.path = join(this.path, name);
      throw error;
    }
  }
}

const holdsDescriptors = process.platform === "linux" && existsSync("/proc/self/fd");

function opened(place: string, shown: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return openSync(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENOTDIR" || code === "ELOOP" ? obstacleAt(place, "folder", shown) : error;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function makeFolder(place: string, mode: number): void {
  try {
    mkdirSync(place, { mode });
  } catch (error) {
    // Another process has just made it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("\0") && basename(name) === name;
}

function obstacleAt(place: string, wanted: "file" | "folder", shown = place): Obstacle {
  return obstacle(shown, wanted, lstatSync(place));
}

/** The error for something else than what is wanted. */
export function obstacle(place: string, wanted: "file" | "folder", found: Stats): Obstacle {
  const kind = found.isSymbolicLink()
    ? "a symbolic link"
    : found.isDirectory()
      ? "a folder"
      : found.isFile()
        ? "a file"
        : "something else";
  return new Obstacle(place, wanted, kind);
}

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
