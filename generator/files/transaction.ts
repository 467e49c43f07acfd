import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";

/** One file to put in place, or to take away where `content` is null. Paths are relative, POSIX separators. */
export interface FileChange {
  readonly path: string;
  readonly content: string | Uint8Array | null;
}

/** Folder below the root that holds a run's staged and saved files while it writes; its process id follows. */
const transactionPrefix = ".mcpgen-write-";

type Journal = readonly { readonly path: string; readonly existed: boolean }[];

/**
 * Applies all `changes` below `root`, or none: on any failure every file is as it was before.
 *
 * Everything happens synchronously, and a signal that arrives in the middle ends the process only
 * afterwards. A process that is killed outright leaves a journal behind, and the next run undoes its work (see
 * `recover`).
 *
 * @throws CodedError MG3003 when the operating system refuses, MG3004 when another run is writing here
 */
export function applyChanges(root: string, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  const released = holdSignals();
  try {
    apply(root, changes);
  } finally {
    released();
  }
}

const held = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Defers signals until the returned function is called: a signal that arrived meanwhile ends the process then.
 * At all other times a signal ends the process at once.
 */
function holdSignals(): () => void {
  const arrived = (signal: NodeJS.Signals): void => {
    release();
    process.kill(process.pid, signal);
  };
  const release = (): void => held.forEach((signal) => process.off(signal, arrived));
  for (const signal of held) process.on(signal, arrived);
  // Node.js delivers a pending signal when the event loop turns, which happens between two of these.
  return () => void setImmediate(() => setImmediate(release));
}

function apply(root: string, changes: readonly FileChange[]): void {
  recover(root);
  const folder = join(root, transactionPrefix + process.pid);
  try {
    stage(root, folder, changes);
    for (const { path, content } of changes) {
      if (content === null) rmSync(join(root, path));
      else renameSync(join(folder, "new", path), join(root, path));
    }
  } catch (cause) {
    rollBack(root, folder);
    removeEmptyFolders(root, changes);
    throw cannotWrite(root, cause);
  }
  // Without its journal a transaction is done: this is the moment of commit.
  rmSync(join(folder, "journal.json"));
  rmSync(folder, { recursive: true, force: true });
  removeEmptyFolders(root, changes);
}

/**
 * Undoes what runs that died in the middle left below `root`.
 *
 * @returns the paths that were put back; undefined if there was nothing to undo
 * @throws CodedError MG3004 when such a run is still alive
 */
export function recover(root: string): readonly string[] | undefined {
  const undone: string[] = [];
  for (const { folder, owner } of transactions(root)) {
    if (!hasEnded(folder, owner)) {
      throw new CodedError("MG3004", `another run of mcpgen (process ${owner}) is writing here`, {
        place: { file: root },
        next: `Wait for it to end, or delete ${folder} if no such run exists.`,
      });
    }
    undone.push(...rollBack(root, folder));
  }
  return undone.length > 0 ? undone : undefined;
}

/** Milliseconds to wait for another run that is writing; a run usually writes much faster. */
const maxWait = 1_000;

/** Waits up to `maxWait` for another run to end, so that several runs may start at once. */
function hasEnded(folder: string, owner: number): boolean {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; existsSync(folder) && isAlive(owner); waited += 10) {
    if (waited >= maxWait) return false;
    Atomics.wait(sleeper, 0, 0, 10);
  }
  return true;
}

/** Whether a run died here in the middle, and nothing has undone its work yet. */
export function isInterrupted(root: string): boolean {
  return transactions(root).some(({ folder, owner }) => !isAlive(owner) && readJournal(folder) !== undefined);
}

function transactions(root: string): { readonly folder: string; readonly owner: number }[] {
  return namesIn(root)
    .filter((name) => name.startsWith(transactionPrefix))
    .map((name) => ({ folder: join(root, name), owner: Number(name.slice(transactionPrefix.length)) }));
}

/** A folder that may not be read is not one that a run wrote into. */
function namesIn(root: string): string[] {
  try {
    return statSync(root, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(root) : [];
  } catch {
    return [];
  }
}

/** Until its journal is written, a transaction has changed nothing. */
function rollBack(root: string, folder: string): string[] {
  const journal = readJournal(folder) ?? [];
  const undone = journal.filter(({ path, existed }) => undo(root, folder, path, existed));
  rmSync(folder, { recursive: true, force: true });
  removeEmptyFolders(root, journal);
  return undone.map(({ path }) => path);
}

function stage(root: string, folder: string, changes: readonly FileChange[]): void {
  mkdirSync(folder, { recursive: true });
  const journal: Journal = changes.map(({ path, content }) => {
    const target = join(root, path);
    const existed = existsSync(target);
    if (content !== null) {
      const staged = join(folder, "new", path);
      mkdirSync(dirname(staged), { recursive: true });
      writeFileSync(staged, content);
    }
    if (existed) keep(target, join(folder, "old", path));
    return { path, existed };
  });
  writeFileSync(join(folder, "journal.tmp"), JSON.stringify(journal));
  renameSync(join(folder, "journal.tmp"), join(folder, "journal.json"));
  for (const { path, content } of changes) {
    if (content !== null) mkdirSync(dirname(join(root, path)), { recursive: true });
  }
}

/** A second name for the same file costs nothing; file systems without hard links get a copy. */
function keep(target: string, saved: string): void {
  mkdirSync(dirname(saved), { recursive: true });
  try {
    linkSync(target, saved);
  } catch {
    copyFileSync(target, saved);
  }
}

/**
 * Takes back the change at `path`, if it had been made: may be interrupted, and done again.
 *
 * @returns whether it had been made
 */
function undo(root: string, folder: string, path: string, existed: boolean): boolean {
  if (existsSync(join(folder, "new", path))) return false;
  const saved = join(folder, "old", path);
  if (!existed) rmSync(join(root, path), { force: true });
  else if (existsSync(saved)) renameSync(saved, join(root, path));
  return true;
}

function readJournal(folder: string): Journal | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "journal.json"), "utf8")) as Journal;
  } catch {
    return undefined;
  }
}

function isAlive(id: number): boolean {
  if (id === process.pid || !Number.isInteger(id)) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Folders that the changes left empty; a folder with anything in it stays. */
function removeEmptyFolders(root: string, changes: readonly { readonly path: string }[]): void {
  for (const { path } of changes) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      try {
        rmdirSync(join(root, folder));
      } catch {
        break;
      }
    }
  }
}

function cannotWrite(root: string, cause: unknown): unknown {
  const error = cause as NodeJS.ErrnoException;
  if (typeof error.code !== "string" || error.syscall === undefined) return cause;
  return new CodedError("MG3003", `cannot write: ${error.message}`, {
    place: { file: error.path ?? root },
    next: "Nothing was changed. Check the permissions and the free space of the folder.",
    cause,
  });
}
