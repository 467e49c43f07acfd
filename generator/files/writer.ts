import { dirname, join } from "node:path/posix";
import { randomBytes } from "node:crypto";
import { CodedError } from "../diagnostics/coded-error.js";
import { type HeldFolder, type WriteRoot, Obstacle, obstacle, pathFault, folderMode } from "./held-folder.js";

/** One file to put in place, or to take away where `content` is null. */
export interface FileChange {
  /** Below the folder that is written, POSIX separators. */
  readonly path: string;
  readonly content: string | Uint8Array | null;
  /** Only this user may read the file. Without it the file keeps the rights that it has. */
  readonly isPrivate?: boolean;
}

/** Files of one folder that are written together. */
export interface FileSet {
  readonly root: WriteRoot;
  /** They are put in place in this order. */
  readonly changes: readonly FileChange[];
  /** Is put in place before anything else changes: it says what is about to change, for a run that dies in the middle. */
  readonly announcement?: FileChange;
}

/**
 * Writes all files of all sets, or none: on any failure every file is as it was before.
 *
 * Each file is written beside its place under a temporary name, and renamed: who reads it finds the old content or the new.
 * Everything happens synchronously, and a signal that arrives in the middle ends the process only afterwards. A process that
 * is killed outright leaves temporary files, which the next run removes unread, and perhaps a part of the changes: nothing
 * that lies in the folder is believed to say how to undo them. From the announcement the next run knows what to finish.
 *
 * @throws CodedError MG3002 for a path that leads elsewhere, MG3003 when the operating system refuses, MG3004 when another
 *   run is writing here
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

/** Writes the files of one folder, as `writeFileSets` does. */
export function writeFiles(root: WriteRoot, changes: readonly FileChange[]): void {
  writeFileSets([{ root, changes }]);
}

const held = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Defers signals until the returned function is called: a signal that arrived meanwhile ends the process then.
 * At all other times a signal ends the process at once.
 */
function holdSignals(): () => void {
  if (holds++ === 0) for (const signal of held) process.on(signal, arrived);
  const release = (): void => {
    if (--holds === 0) letThrough();
  };
  // Node.js delivers a pending signal when the event loop turns, which happens between two of these.
  return () => void setImmediate(() => setImmediate(release));
}

/** Writes that have begun, and those that have ended in this turn of the event loop. */
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

/** A file that is about to be replaced or removed. */
interface Step {
  readonly path: string;
  readonly folder: string;
  readonly name: string;
  /** The temporary name of its new content; `undefined` where it is removed. */
  readonly staged: string | undefined;
  /** The temporary name of its old content, once it has changed. */
  kept?: string;
  done: boolean;
}

/** Folders that are held open at once, at most. */
const maxHeld = 64;

/** The changes below one root. */
class Batch {
  readonly #root: WriteRoot;
  readonly #held = new Map<string, HeldFolder>();
  /** Folders that this run has made, outer ones first. */
  readonly #made: string[] = [];
  readonly #cleared = new Set<string>();
  readonly #steps: Step[] = [];
  readonly #changes: readonly FileChange[];
  /** How many of the changes are announcements. */
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

  /** Writes new content beside its place. */
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
    // From here on nothing fails: only the old content is left to be removed.
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

  /** Takes back what was done: every file is as it was. */
  undo(): void {
    for (const step of this.#steps.toReversed())
      try {
        const within = this.#folder(step.folder, false);
        if (!within) continue;
        if (step.staged !== undefined && within.stat(step.staged)) {
          within.remove(step.staged);
          // The old content is still in its place, and this is its second name.
          if (step.kept !== undefined) within.remove(step.kept);
        } else if (step.kept !== undefined) within.rename(step.kept, step.name);
        else if (step.staged !== undefined && step.done) within.remove(step.name);
      } catch {
        // The system refuses this, too: the others are still taken back.
      }
    for (const folder of this.#made.toReversed()) this.#removeEmpty(folder);
  }

  close(): void {
    for (const folder of this.#held.values()) folder.close();
    this.#held.clear();
  }

  /** A folder below the root; "." is the root. */
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

  /** Removes a folder and those around it that are empty; one with anything in it stays. */
  #removeEmpty(path: string): void {
    for (let folder = path; folder !== "."; folder = dirname(folder)) {
      this.#held.get(folder)?.close();
      this.#held.delete(folder);
      const name = folder.slice(folder.lastIndexOf("/") + 1);
      try {
        if (!this.#folder(dirname(folder), false)?.removeEmpty(name)) return;
      } catch {
        // Something else stands there now: the folder is no longer this run's, and all files are as they should be.
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

/** Names of temporary files; the id of their process and random digits follow. */
const prefix = ".mcpgen-write-";

/** A name for a temporary file of this process. */
function temporaryName(): string {
  return `${prefix}${process.pid}-${randomBytes(6).toString("hex")}`;
}

/** The process that a temporary file belongs to; `undefined` for the name of another file. */
function ownerOf(name: string): number | undefined {
  const id = new RegExp(`^\\${prefix}(\\d{1,10})-[0-9a-f]{12}$`).exec(name)?.[1];
  return id === undefined || Number(id) === 0 ? undefined : Number(id);
}

/** Milliseconds to wait for another run that is writing; a run usually writes much faster. */
const maxWait = 1_000;
/** Milliseconds after which a temporary file is left over, although a process has its owner's id. */
const maxAge = 10 * 60_000;

/**
 * Removes temporary files in `folder` that runs have left which died. Their names say so; they are never read. Waits
 * for a run that is alive.
 *
 * @throws CodedError MG3004 when another run writes there for longer than a second
 */
function clearLeftovers(folder: HeldFolder): void {
  const deadline = Date.now() + maxWait;
  for (const { name } of folder.entries()) {
    const owner = ownerOf(name);
    if (owner === undefined || owner === process.pid) continue;
    while (isBeingWritten(folder, name, owner)) {
      if (Date.now() > deadline)
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
