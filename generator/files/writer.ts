import { basename } from "node:path";
import { dirname, join } from "node:path/posix";
import { randomBytes } from "node:crypto";
import { CodedError } from "../diagnostics/coded-error.js";
import { type HeldFolder, type WriteRoot, Obstacle, obstacle, pathFault, folderMode } from "./held-folder.js";
import { readTextIfPresent } from "./regular-file.js";

/** A file to write, or to delete if `content` is null. */
export interface FileChange {
  /** Path below the root folder, POSIX separators. */
  readonly path: string;
  readonly content: string | Uint8Array | null;
  /** Whether only this user may read the file. Otherwise the file keeps its rights. */
  readonly isPrivate?: boolean;
}

/** Files below one root that are written together. */
export interface FileSet {
  readonly root: WriteRoot;
  /** The changes, in order. */
  readonly changes: readonly FileChange[];
  /**
   * Written before all other changes. It announces them, so that the next run can recover from an
   * interruption.
   */
  readonly announcement?: FileChange;
}

/**
 * Writes all files of all sets or none: after a failure, every file is as before.
 *
 * Each file is written under a temporary name in the same folder and renamed, so that readers find either the
 * old or the new content. Everything is synchronous, and a signal ends the process only afterwards. A killed
 * process leaves temporary files, which the next run removes unread, and possibly some of the changes. They
 * are not undone, because nothing in the folder is trusted to say how; but the announcement lets the next run
 * complete them.
 *
 * @throws CodedError MG3002 for a path that leads elsewhere, MG3003 for an error of the operating system,
 * MG3004 if another run is writing
 */
export function writeFileSets(sets: readonly FileSet[]): void {
  const filled = sets.filter(({ changes }) => changes.length > 0);
  if (filled.length === 0) return;
  const released = holdSignals();
  try {
    write(filled);
  } finally {
    released();
  }
}

/** Writes files below one root, like `writeFileSets`. */
export function writeFiles(root: WriteRoot, changes: readonly FileChange[]): void {
  writeFileSets([{ root, changes }]);
}

/**
 * Writes a text to a file, which may exist. A file with this text stays as it is.
 *
 * @param refusal the error for a file with another text that must stay; undefined if it may be replaced
 */
export function putText(
  root: WriteRoot,
  file: string,
  text: string,
  refusal: (before: string) => CodedError | undefined,
): "written" | "unchanged" {
  const before = readTextIfPresent(file);
  if (before === text) return "unchanged";
  const error = before === undefined ? undefined : refusal(before);
  if (error) throw error;
  writeFiles(root, [{ path: basename(file), content: text }]);
  return "written";
}

const held = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Defers signals until the returned function is called; a signal that arrived meanwhile then ends the
 * process. At all other times a signal ends the process at once.
 */
function holdSignals(): () => void {
  if (holds++ === 0) for (const signal of held) process.on(signal, arrived);
  const release = (): void => {
    if (--holds === 0) letThrough();
  };
  // Node.js delivers a pending signal when the event loop turns, which happens between two `setImmediate`
  // callbacks.
  return () => void setImmediate(() => setImmediate(release));
}

/** Number of writes that have begun, including those that ended in this turn of the event loop. */
let holds = 0;

function arrived(signal: NodeJS.Signals): void {
  letThrough();
  process.kill(process.pid, signal);
}

function letThrough(): void {
  for (const signal of held) process.off(signal, arrived);
}

function write(sets: readonly FileSet[]): void {
  const batches: Batch[] = [];
  try {
    for (const set of sets) batches.push(new Batch(set));
    for (const batch of batches) batch.stage();
    for (const batch of batches) batch.announce();
    for (const batch of batches) batch.replace();
  } catch (cause) {
    for (const batch of batches.toReversed()) batch.undo();
    throw refused(sets[batches.length - 1]?.root.folder ?? sets[0]!.root.folder, cause);
  } finally {
    for (const batch of batches) batch.close();
  }
}

/** A file to be replaced or removed. */
interface Step {
  readonly path: string;
  readonly folder: string;
  readonly name: string;
  /** Temporary name of the new content; `undefined` if the file is removed. */
  readonly staged: string | undefined;
  /** Temporary name of the old content, once the file was changed. */
  kept?: string;
  done: boolean;
}

/** Maximum number of folders held open at the same time. */
const maxHeld = 64;

/** The changes below one root. */
class Batch {
  readonly #root: WriteRoot;
  readonly #held = new Map<string, HeldFolder>();
  /** Folders made by this run, outermost first. */
  readonly #made: string[] = [];
  readonly #cleared = new Set<string>();
  readonly #steps: Step[] = [];
  readonly #changes: readonly FileChange[];
  /** Number of changes that are announcements. */
  readonly #announced: 0 | 1;

  constructor({ root, changes, announcement }: FileSet) {
    this.#root = root;
    this.#announced = announcement ? 1 : 0;
    this.#changes = announcement ? [announcement, ...changes] : changes;
    for (const { path } of this.#changes) {
      const fault = pathFault(path);
      if (fault !== undefined) throw elsewhere(join(root.folder, path), fault);
    }
  }

  /** Writes the new content under temporary names. */
  stage(): void {
    for (const { path, content, isPrivate = false } of this.#changes) {
      const folder = dirname(path);
      const name = path.slice(folder === "." ? 0 : folder.length + 1);
      const within = this.#folder(folder, content !== null);
      if (!within) continue;
      if (!this.#cleared.has(folder)) clearLeftovers(within);
      this.#cleared.add(folder);
      const found = within.stat(name);
      if (found && !found.isFile()) throw obstacle(join(this.#root.folder, path), "file", found);
      const staged = content === null ? undefined : temporaryName();
      this.#steps.push({ path, folder, name, staged, done: false });
      if (staged === undefined) continue;
      if (found && !isPrivate) within.create(staged, content!, found.mode & 0o777, { masked: false });
      else within.create(staged, content!, isPrivate ? 0o600 : 0o666);
    }
  }

  announce(): void {
    for (const step of this.#steps.slice(0, this.#announced)) this.#take(step);
  }

  replace(): void {
    for (const step of this.#steps.slice(this.#announced)) this.#take(step);
    // From here on nothing can fail: only the old content remains to be removed.
    for (const step of this.#steps) this.#removeKept(step);
    for (const { folder, staged } of this.#steps) if (staged === undefined) this.#removeEmpty(folder);
  }

  #take(step: Step): void {
    const { folder, name, staged } = step;
    const within = this.#folder(folder, true)!;
    const found = within.stat(name);
    if (found && !found.isFile()) throw obstacle(join(this.#root.folder, step.path), "file", found);
    if (found) {
      const kept = temporaryName();
      if (staged === undefined) within.rename(name, kept);
      else within.keep(name, kept);
      step.kept = kept;
    }
    step.done = true;
    if (staged !== undefined) within.rename(staged, name);
  }

  #removeKept(step: Step): void {
    if (step.kept === undefined) return;
    try {
      this.#folder(step.folder, false)?.remove(step.kept);
    } catch {
      // The next run removes it.
    }
  }

  /** Undoes all changes. */
  undo(): void {
    for (const step of this.#steps.toReversed())
      try {
        const within = this.#folder(step.folder, false);
        if (!within) continue;
        if (step.staged !== undefined && within.stat(step.staged)) {
          within.remove(step.staged);
          // The old content is still at its path, and this is only its second name.
          if (step.kept !== undefined) within.remove(step.kept);
        } else if (step.kept !== undefined) within.rename(step.kept, step.name);
        else if (step.staged !== undefined && step.done) within.remove(step.name);
      } catch {
        // The system refuses this as well; undo the other files.
      }
    for (const folder of this.#made.toReversed()) this.#removeEmpty(folder);
  }

  close(): void {
    for (const folder of this.#held.values()) folder.close();
    this.#held.clear();
  }

  /** A folder below the root; "." is the root itself. */
  #folder(path: string, make: boolean): HeldFolder | undefined {
    const known = this.#held.get(path);
    if (known) return known;
    if (this.#held.size >= maxHeld) this.close();
    const opened = path === "." ? this.#root.open(make) : this.#child(path, make);
    if (opened) this.#held.set(path, opened);
    return opened;
  }

  #child(path: string, make: boolean): HeldFolder | undefined {
    const parent = this.#folder(dirname(path), make);
    if (!parent) return undefined;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const present = parent.child(name);
    if (present || !make) return present;
    this.#made.push(path);
    return parent.child(name, folderMode);
  }

  /** Removes a folder and its ancestors while they are empty. */
  #removeEmpty(path: string): void {
    for (let folder = path; folder !== "."; folder = dirname(folder)) {
      this.#held.get(folder)?.close();
      this.#held.delete(folder);
      const name = folder.slice(folder.lastIndexOf("/") + 1);
      try {
        if (!this.#folder(dirname(folder), false)?.removeEmpty(name)) return;
      } catch {
        // Something else has replaced the folder, so it is no longer this run's; all files were restored.
        return;
      }
    }
  }
}

function refused(folder: string, cause: unknown): unknown {
  if (cause instanceof Obstacle) return elsewhere(cause.place, cause.message, cause);
  const error = cause as NodeJS.ErrnoException;
  if (typeof error.code !== "string" || error.syscall === undefined) return cause;
  return new CodedError("MG3003", `cannot write: ${error.message}`, {
    place: { file: error.path ?? folder },
    next: "Nothing was changed. Check the permissions and the free space of the folder.",
    cause,
  });
}

function elsewhere(file: string, message: string, cause?: unknown): CodedError {
  return new CodedError("MG3002", message, {
    place: { file },
    next: "Remove what stands there, or choose another place.",
    ...(cause !== undefined && { cause }),
  });
}

/** Prefix of temporary names, followed by process id and random digits. */
const prefix = ".mcpgen-write-";

/** A name for a temporary file of this process. */
function temporaryName(): string {
  return `${prefix}${process.pid}-${randomBytes(6).toString("hex")}`;
}

/** The id of the process that wrote a temporary file; `undefined` for other names. */
function ownerOf(name: string): number | undefined {
  const id = new RegExp(`^\\${prefix}(\\d{1,10})-[0-9a-f]{12}$`).exec(name)?.[1];
  return id === undefined || Number(id) === 0 ? undefined : Number(id);
}

/** How long to wait for another writing run, in milliseconds; a run usually writes much faster. */
const maxWait = 1_000;
/** Age in milliseconds after which a temporary file counts as abandoned even if its process id is in use. */
const maxAge = 10 * 60_000;

/**
 * Removes temporary files of dead runs from `folder`. Recognises them by name and never reads them. Waits for
 * a run that is still alive.
 *
 * @throws CodedError MG3004 if another run writes there for longer than a second
 */
function clearLeftovers(folder: HeldFolder): void {
  const deadline = performance.now() + maxWait;
  for (const { name } of folder.entries()) {
    const owner = ownerOf(name);
    if (owner === undefined || owner === process.pid) continue;
    while (isBeingWritten(folder, name, owner)) {
      if (performance.now() > deadline)
        throw new CodedError("MG3004", `another run of mcpgen (process ${owner}) is writing here`, {
          place: { file: folder.path },
          next: `Wait for it to end, or delete ${name} there if no such run exists.`,
        });
      pause();
    }
    if (folder.stat(name)?.isDirectory() === false) folder.remove(name);
  }
}

function isBeingWritten(folder: HeldFolder, name: string, owner: number): boolean {
  const found = folder.stat(name);
  return found !== undefined && isAlive(owner) && Date.now() - found.ctimeMs < maxAge;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function pause(): void {
  Atomics.wait(sleeper, 0, 0, 10);
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
