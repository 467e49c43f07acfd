import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sha256, readRegularFile } from "../files/regular-file.js";

/** The files to watch, as paths. The list is made again at each check, because files come and go. */
export interface Inputs {
  readonly files: readonly string[];
  /** Folders in which new files may appear. */
  readonly folders: readonly string[];
}

/** Time in milliseconds to wait after the last event, because editors write several times on saving. */
const quiet = 25;

/**
 * Time in milliseconds before a missing file counts as removed, or an empty one as emptied. Some editors
 * rename or empty the file before they write it.
 */
const grace = 120;

const emptyHash = sha256("");

/**
 * Interval in milliseconds between checks without an event, because not every file system reports changes.
 */
const pollInterval = 2_000;

/**
 * Watches files by content. File system events only trigger a check, and each check examines all files. Saves
 * by rename, lost events and files that were only touched thus give correct results.
 */
export class WatchedFiles {
  readonly #list: () => Inputs;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #read = new Map<string, { readonly entry: string; readonly hash: string }>();
  #known: ReadonlyMap<string, string>;
  #timer: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #closed = false;

  /** @param list returns the inputs; must not throw */
  constructor(list: () => Inputs) {
    this.#list = list;
    this.#known = this.#look();
  }

  /** The absolute paths that changed, appeared or disappeared since the last call; empty after `close`. */
  async changes(): Promise<readonly string[]> {
    while (!this.#closed) {
      const changed = await this.#settled();
      if (changed.length > 0) return changed;
      await this.#event();
    }
    return [];
  }

  /** Accepts the present content of files that this program has written. */
  accept(paths: readonly string[]): void {
    const known = new Map(this.#known);
    for (const path of paths) {
      const hash = this.#hashOf(path);
      if (hash !== undefined) known.set(path, hash);
    }
    this.#known = known;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#poll);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#wake?.();
  }

  /** The differences from the last known state, once no file is being written. */
  async #settled(): Promise<readonly string[]> {
    let now = this.#look();
    const isUnsaved = ([path, hash]: readonly [string, string]): boolean =>
      !now.has(path) || (now.get(path) === emptyHash && hash !== emptyHash);
    if ([...this.#known].some(isUnsaved)) {
      await pause(grace);
      now = this.#look();
    }
    const before = this.#known;
    this.#known = now;
    return [...new Set([...before.keys(), ...now.keys()])].filter(
      (path) => before.get(path) !== now.get(path),
    );
  }

  #look(): ReadonlyMap<string, string> {
    const { files, folders } = this.#list();
    this.#watch(new Set([...folders, ...files.map((file) => dirname(file))]));
    return new Map(
      files.flatMap((path) => {
        const hash = this.#hashOf(path);
        return hash === undefined ? [] : [[path, hash] as const];
      }),
    );
  }

  /** The hash of a file; reads it only if its directory entry has changed. */
  #hashOf(path: string): string | undefined {
    const entry = entryOf(path);
    const read = this.#read.get(path);
    if (entry !== undefined && read?.entry === entry) return read.hash;
    const hash = entry === undefined ? undefined : hashOf(path);
    if (hash === undefined) this.#read.delete(path);
    else this.#read.set(path, { entry: entry!, hash });
    return hash;
  }

  /** Waits for an event and a quiet period after it, or for the next poll. */
  async #event(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#poll = setTimeout(resolve, pollInterval);
    });
    this.#wake = undefined;
    clearTimeout(this.#poll);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #happened = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake?.(), quiet);
  };

  #watch(folders: ReadonlySet<string>): void {
    if (this.#closed) return;
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue;
      const watcher = watcherOf(folder, this.#happened);
      if (watcher) this.#watchers.set(folder, watcher);
      // The folder may be gone or replaced when the error is reported; the next check watches it again.
      watcher?.on("error", () => {
        watcher.close();
        this.#watchers.delete(folder);
        this.#happened();
      });
    }
  }
}

/** Watches a folder; undefined if that is not possible. Polling then detects changes. */
function watcherOf(folder: string, happened: () => void): FSWatcher | undefined {
  try {
    return watch(folder, happened);
  } catch {
    return undefined;
  }
}

/** The status of a file as text. It changes with each write and each replacement. */
export function entryOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

function hashOf(path: string): string | undefined {
  try {
    return sha256(readRegularFile(path, { limit: Infinity }));
  } catch {
    return undefined;
  }
}
