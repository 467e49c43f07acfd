import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";

/** One file to put in place, or to take away where `content` is null. Paths are relative, POSIX separators. */
export interface FileChange {
  readonly path: string;
  readonly content: string | Uint8Array | null;
}

/** Folder below the root that holds a run's staged and saved files while it writes. */
export const transactionFolder = ".mcpgen-write";

interface Journal {
  readonly process: number;
  readonly changes: readonly { readonly path: string; readonly existed: boolean }[];
}

/**
 * Applies all `changes` below `root`, or none: on any failure every file is as it was before.
 *
 * Everything happens synchronously, so that a signal handler written in JavaScript cannot run in the
 * middle. A process that is killed outright leaves a journal behind, and the next run undoes its work
 * (see `recover`).
 */
export function applyChanges(root: string, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  const folder = join(root, transactionFolder);
  recover(root);
  try {
    stage(root, folder, changes);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw cannotWrite(root, cause);
  }
  try {
    for (const { path, content } of changes) {
      if (content === null) rmSync(join(root, path));
      else renameSync(join(folder, "new", path), join(root, path));
    }
  } catch (cause) {
    recover(root, { own: true });
    throw cannotWrite(root, cause);
  }
  // Without its journal a transaction is done: this is the moment of commit.
  rmSync(join(folder, "journal.json"));
  rmSync(folder, { recursive: true, force: true });
  removeEmptyFolders(root, changes);
}

/**
 * Undoes what a run that died in the middle left below `root`.
 *
 * @returns the paths that were put back, in the order they had been written; undefined if there was nothing to undo
 * @throws CodedError when that run is still alive
 */
export function recover(root: string, { own = false } = {}): readonly string[] | undefined {
  const folder = join(root, transactionFolder);
  if (!existsSync(folder)) return undefined;
  const journal = readJournal(folder);
  if (journal && !own && isAlive(journal.process)) {
    throw new CodedError("MG3004", `another run of mcpgen (process ${journal.process}) is writing here`, {
      place: { file: root },
      next: `Wait for it to end, or delete ${folder} if no such run exists.`,
    });
  }
  const undone = journal?.changes.filter(({ path, existed }) => undo(root, folder, path, existed)) ?? [];
  rmSync(folder, { recursive: true, force: true });
  if (journal) removeEmptyFolders(root, journal.changes);
  return undone.length > 0 ? undone.map(({ path }) => path) : undefined;
}

/** Whether a run died here in the middle, and nothing has undone its work yet. */
export function isInterrupted(root: string): boolean {
  return existsSync(join(root, transactionFolder, "journal.json"));
}

function stage(root: string, folder: string, changes: readonly FileChange[]): void {
  mkdirSync(folder, { recursive: true });
  const entries = changes.map(({ path, content }) => {
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
  const journal: Journal = { process: process.pid, changes: entries };
  writeFileSync(join(folder, "journal.tmp"), JSON.stringify(journal));
  renameSync(join(folder, "journal.tmp"), join(folder, "journal.json"));
  for (const { path, content } of changes)
    if (content !== null) mkdirSync(dirname(join(root, path)), { recursive: true });
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

/** Whether the change at `path` had been made and was taken back. */
function undo(root: string, folder: string, path: string, existed: boolean): boolean {
  const made = !existsSync(join(folder, "new", path));
  if (!made) return false;
  if (existed) renameSync(join(folder, "old", path), join(root, path));
  else rmSync(join(root, path), { force: true });
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
  if (id === process.pid) return false;
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
