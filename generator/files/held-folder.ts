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

/** Thrown if a symbolic link, or something of the wrong kind, has the path of a folder or file. */
export class Obstacle extends Error {
  override readonly name = "Obstacle";
  /** The path concerned. */
  readonly place: string;
  readonly wanted: "file" | "folder";
  readonly found: string;

  /** @param found the kind of thing found, with its article */
  constructor(place: string, wanted: "file" | "folder", found: string) {
    super(`expected a ${wanted}, got ${found}`);
    this.place = place;
    this.wanted = wanted;
    this.found = found;
  }
}

/**
 * A folder that is held during writing. All operations use a name relative to it, never a path to it. A
 * program that replaces a folder on the path by a symbolic link can therefore not redirect a write.
 *
 * In the generator, only this module opens files for writing, renames, links and deletes files, and makes
 * folders.
 *
 * On Linux, the folder is kept open (O_DIRECTORY | O_NOFOLLOW), and names are resolved below `/proc/self/fd`.
 * On other systems, and without `/proc`, a folder must not be a link, and its real path must lie directly in
 * that of its parent; before each operation it must still have the same device and inode. Windows has neither
 * O_NOFOLLOW nor file owners; junctions count as links. On all systems files are created exclusively ("wx"):
 * an existing file is never opened for writing.
 */
export class HeldFolder {
  /** Its path in messages. */
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
   * Opens a folder chosen by the user, following links on its path. Makes missing folders.
   *
   * @param path absolute
   * @param mode mode of new folders; without it, returns `undefined` if there is no folder
   */
  static open(path: string): HeldFolder | undefined;
  static open(path: string, mode: number): HeldFolder;
  static open(path: string, mode?: number): HeldFolder | undefined {
    const missing: string[] = [];
    let present = path;
    while (!existsSync(present) && dirname(present) !== present) {
      // A broken link.
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

  /** @param parent the folder that must contain it, where no descriptor holds it */
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
  static temporary(prefix: string, below = tmpdir()): string {
    return mkdtempSync(join(below, prefix));
  }

  /** Removes such a folder with all that it contains, if it still exists. Links are removed, not followed. */
  static discard(path: string): void {
    const folder = HeldFolder.open(path);
    if (!folder) return;
    folder.#clear();
    const parent = HeldFolder.open(dirname(path));
    parent?.removeEmpty(basename(path));
    parent?.close();
  }

  /** Removes everything in the folder, and closes it. */
  #clear(): void {
    try {
      for (const entry of this.entries()) {
        if (!entry.isDirectory()) this.remove(entry.name);
        else {
          const folder = this.child(entry.name);
          if (folder) folder.#clear();
          this.removeEmpty(entry.name);
        }
      }
    } finally {
      this.close();
    }
  }

  /** Owner and mode of the folder. */
  get stats(): Stats {
    return this.#descriptor === undefined ? lstatSync(this.#place()) : fstatSync(this.#descriptor);
  }

  /**
   * Opens a subfolder.
   *
   * @param mode mode of a new folder; without it, returns `undefined` if there is none
   * @throws {Obstacle} if a link or something else has the name
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
   * Creates a file, which must not exist.
   *
   * @param options `masked`: whether the umask reduces the mode; default: true
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

  /** Gives a file a second name: a hard link, or a copy if the file system has no hard links. */
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

  /** Renames the file `from` to `to`. A file or link of that name is replaced, without following it. */
  rename(from: string, to: string): void {
    this.#act(from, (place) => renameSync(place, this.#place(to)));
  }

  /** Removes a file or a link, not the link's target. */
  remove(name: string): void {
    this.#act(name, (place) => unlinkSync(place));
  }

  /** @returns whether the subfolder was empty and was removed */
  removeEmpty(name: string): boolean {
    try {
      this.#act(name, (place) => rmdirSync(place));
      return true;
    } catch {
      return false;
    }
  }

  /** The status of a name in this folder; for a link, of the link itself. */
  stat(name: string): Stats | undefined {
    return this.#act(name, (place) => lstatSync(place, { throwIfNoEntry: false }));
  }

  entries(): Dirent[] {
    return this.#act(".", (place) => readdirSync(place, { withFileTypes: true }));
  }

  /** @throws CodedError as `readRegularFile`; does not follow links */
  read(name: string, options: Pick<ReadOptions, "limit" | "inspect"> = {}): Buffer {
    return readRegularFile(this.#place(name), { ...options, shown: join(this.path, name), follow: false });
  }

  /** Removes all rights of other users. */
  makePrivate(): void {
    if ((this.stats.mode & 0o077) === 0 || this.#descriptor === undefined) return;
    fchmodSync(this.#descriptor, 0o700);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  /** The path by which the operating system finds a name in this folder. */
  #place(name = "."): string {
    invariant(name === "." || isName(name), "one name in a folder");
    if (this.#descriptor !== undefined) return `/proc/self/fd/${this.#descriptor}/${name}`;
    const { dev, ino } = lstatSync(this.path);
    if (dev !== this.#device || ino !== this.#inode) throw new Obstacle(this.path, "folder", "another one");
    return join(this.path, name);
  }

  /** Runs an operation; errors name the folder by its path. */
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
    // Another process has created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("\0") && basename(name) === name;
}

function obstacleAt(place: string, wanted: "file" | "folder", shown = place): Obstacle {
  return obstacle(shown, wanted, lstatSync(place));
}

/** The error for something of the wrong kind. */
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
 * A folder that a command may write below: inside the project, or named by the user on the command line. No
 * link is followed from the root folder downwards; links on the path to the root are the user's
 * responsibility.
 */
export class WriteRoot {
  /** Absolute path of the folder. */
  readonly folder: string;
  readonly #root: string;
  readonly #names: readonly string[];

  private constructor(root: string, names: readonly string[]) {
    this.folder = join(root, ...names);
    this.#root = root;
    this.#names = names;
  }

  /**
   * A root whose path comes from a file of the project: a configuration, a contract, tsconfig.json.
   *
   * @param project the folder of the configuration; its Git repository counts as the project
   * @throws CodedError MG3009 for a folder outside the project
   */
  static ofProject(folder: string, project: string, { force = false } = {}): WriteRoot {
    const root = projectRoot(project);
    const names = namesBelow(root, folder);
    if (names) return new WriteRoot(root, outsideGit(names, folder));
    if (force) return WriteRoot.#ofUser(folder);
    throw outside(folder, `expected a folder below ${root}, got one outside of it`);
  }

  /** The project around a folder as the root. */
  static project(folder: string): WriteRoot {
    return new WriteRoot(projectRoot(folder), []);
  }

  /**
   * A root named by the user on the command line. Links below the working directory belong to the project and
   * are not followed; other links are the user's.
   *
   * @param folder absolute path
   * @param directory the working directory
   */
  static named(folder: string, directory: string): WriteRoot {
    const root = projectRoot(directory);
    const names = namesBelow(root, folder);
    return names ? new WriteRoot(root, outsideGit(names, folder)) : WriteRoot.#ofUser(folder);
  }

  /** The folder of a file named on the command line, as a root. */
  static ofFile(file: string, directory: string): WriteRoot {
    return WriteRoot.named(dirname(file), directory);
  }

  /** A new folder for temporary files that only this user can enter, as a root. */
  static temporary(): WriteRoot {
    return new WriteRoot(HeldFolder.temporary("mcpgen-"), []);
  }

  static #ofUser(folder: string): WriteRoot {
    outsideGit(namesBelow(resolve("/"), folder) ?? [], folder);
    return new WriteRoot(folder, []);
  }

  /** Whether a path is below the folder, judged by names alone. */
  holds(path: string): boolean {
    return namesBelow(this.folder, path) !== undefined;
  }

  /**
   * The file's path relative to the folder, with POSIX separators.
   *
   * @throws CodedError MG3009 for a file outside the folder
   */
  pathOf(file: string): string {
    const names = namesBelow(this.folder, file);
    if (names && names.length > 0) return names.join("/");
    throw outside(file, `expected a file below ${this.folder}, got one outside of it`);
  }

  /**
   * Opens the folder, without following links below the fixed root.
   *
   * @param make whether to make missing folders; if false, returns `undefined` without a folder
   * @throws {Obstacle} if a link or something else is in the way
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

/** Mode of new folders, reduced by the umask. */
export const folderMode = 0o777;

function outside(file: string, message: string): CodedError {
  return new CodedError("MG3009", message, {
    place: { file },
    next: "Choose a place in the project, or name it on the command line; `mcpgen generate --force` writes elsewhere, too.",
  });
}

/** @throws CodedError MG3002 for a path into `.git` */
function outsideGit(names: readonly string[], folder: string): readonly string[] {
  if (!names.some(isGitFolder)) return names;
  throw new CodedError("MG3002", "expected a folder outside of .git", {
    place: { file: folder },
    next: "Choose another folder.",
  });
}

/**
 * The root of the Git repository that contains `folder`, else `folder` itself. The home folder and its
 * ancestors never count as a project, although some users keep them in Git.
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
 * The path from `folder` to `path` as a list of names: empty if they are equal, `undefined` if `path` is
 * outside. Does not resolve links.
 *
 * @param folder absolute path
 * @param path absolute path
 */
function namesBelow(folder: string, path: string): readonly string[] | undefined {
  const way = relative(folder, path);
  if (way === "") return [];
  const names = way.split(sep);
  return isAbsolute(way) || names[0] === ".." ? undefined : names;
}

/**
 * The fault of a relative path from a file of the project (POSIX separators); `undefined` if it may be
 * written.
 */
export function pathFault(path: string): string | undefined {
  const names = path.split("/");
  if (/[\\\0]/.test(path) || /^[a-z]:/i.test(path) || names.some((name) => /^(?:|\.|\.\.)$/.test(name)))
    return "expected a path below the output folder";
  return names.some(isGitFolder) ? "expected a path outside of .git" : undefined;
}

/** Characters that HFS+ ignores in names: `.g\u200cit` is the folder `.git`. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether a file system may treat `name` as `.git`: ignoring case, with trailing spaces or dots, with a
 * stream name (NTFS), or as a short name (FAT). Git runs and reads files in that folder.
 */
function isGitFolder(name: string): boolean {
  const [plain = ""] = name.replace(ignored, "").toLowerCase().split(":");
  return /^(?:\.git|git~\d+)[. ]*$/.test(plain);
}
