import type { Stats } from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname, join, isAbsolute } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { HeldFolder, Obstacle } from "./held-folder.js";
import { homedir } from "node:os";

/**
 * Files that mcpgen stores for one user, in a folder of the state folder: trust, logins, tasks, the cache.
 * Files have mode 600, folders 700. Files that another user owns or could have written are rejected, because
 * their content is trusted.
 */
export class StateFiles {
  /** Path of the folder, for messages. */
  readonly folder: string;
  readonly #base: string;
  readonly #names: readonly string[];

  /** @param names the folder's path below the state folder */
  constructor(env: Readonly<Record<string, string | undefined>>, ...names: readonly string[]) {
    const state = stateFolder(env);
    this.#base = dirname(state);
    this.#names = ["mcpgen", ...names];
    this.folder = join(state, ...names);
  }

  /** The subfolder `name`, under the same rules. */
  in(name: string): StateFiles {
    return new StateFiles({ XDG_STATE_HOME: this.#base }, ...this.#names.slice(1), name);
  }

  /**
   * Reads a file; `undefined` if there is none.
   *
   * @throws CodedError MG3008 if other users own or can write the file or folder, MG1001 if it cannot be read
   */
  read(name: string): string | undefined {
    return this.#opened((folder) => {
      if (!folder.stat(name)) return undefined;
      const inspect = (about: Stats): void => refuseOthers(join(this.folder, name), about);
      return folder.read(name, { inspect }).toString("utf8");
    });
  }

  /**
   * Writes a file atomically: a reader finds either the old or the new text.
   *
   * @throws CodedError MG3008 as `read`; errors of the operating system
   */
  write(name: string, text: string): void {
    this.#opened((folder) => {
      const temporary = `.${randomBytes(8).toString("hex")}.tmp`;
      folder.create(temporary, text, 0o600);
      try {
        folder.rename(temporary, name);
      } catch (error) {
        folder.remove(temporary);
        throw error;
      }
    }, true);
  }

  /** Removes a file, if there is one. */
  delete(name: string): void {
    this.#opened((folder) => {
      if (folder.stat(name)) folder.remove(name);
    });
  }

  /** Removes the oldest files if there are more than `limit`. */
  keepNewest(limit: number): void {
    this.#opened((folder) => {
      const files = folder.entries().filter((entry) => entry.isFile());
      if (files.length <= limit) return;
      const written = files.map(({ name }) => ({ name, at: folder.stat(name)?.mtimeMs ?? 0 }));
      for (const { name } of written.sort((one, other) => other.at - one.at).slice(limit))
        folder.remove(name);
    });
  }

  /** The names in the folder, unordered, without unfinished files. */
  names(): string[] {
    return (
      this.#opened((folder) =>
        folder
          .entries()
          .map(({ name }) => name)
          .filter((name) => !name.startsWith(".")),
      ) ?? []
    );
  }

  /** Returns `undefined` if the folder does not exist, unless `make` is set. */
  #opened<Result>(act: (folder: HeldFolder) => Result, make = false): Result | undefined {
    let folder: HeldFolder | undefined;
    try {
      folder = make ? HeldFolder.open(this.#base, 0o700) : HeldFolder.open(this.#base);
      if (folder) refuseBase(folder);
      for (const name of this.#names) {
        if (!folder) return undefined;
        const parent: HeldFolder = folder;
        folder = undefined;
        try {
          folder = make ? parent.child(name, 0o700) : parent.child(name);
        } finally {
          parent.close();
        }
        if (!folder) return undefined;
        refuseOthers(folder.path, folder.stats, "folder");
        folder.makePrivate();
      }
      return folder && act(folder);
    } catch (error) {
      if (!(error instanceof Obstacle)) throw error;
      // A file in place of the folder means that nothing is stored. A link could lead to another user's
      // folder, so it is an error.
      if (!make && error.found === "a file") return undefined;
      throw unsafe(error.place, `is ${error.found}, not a ${error.wanted}`, error);
    } finally {
      folder?.close();
    }
  }
}

/**
 * Checks that the parent folder belongs to the user or the system, and that others cannot replace its
 * subfolders.
 */
function refuseBase({ path, stats }: HeldFolder): void {
  if (process.getuid === undefined) return;
  const { uid, mode } = stats;
  if (uid !== process.getuid() && uid !== 0) throw unsafe(path, "belongs to another user");
  if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) throw unsafe(path, "can be changed by every user");
}

/**
 * Rejects a file that other users could have changed. A folder with excessive rights is corrected
 * (`makePrivate`).
 */
function refuseOthers(path: string, { uid, mode }: Stats, kind: "file" | "folder" = "file"): void {
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) throw unsafe(path, "belongs to another user");
  if ((mode & 0o022) !== 0 && kind === "file") throw unsafe(path, "can be changed by other users");
}

function unsafe(place: string, why: string, cause?: unknown): CodedError {
  return new CodedError("MG3008", `the state folder cannot be used: ${place} ${why}`, {
    place: { file: place },
    next: "Remove it, or name another folder by XDG_STATE_HOME.",
    ...(cause !== undefined && { cause }),
  });
}

/**
 * The folder for mcpgen's state (XDG Base Directory Specification). A relative path in XDG_STATE_HOME is
 * ignored, as the specification requires: it would lead to the working directory, whose content others may
 * control.
 */
export function stateFolder({ XDG_STATE_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
  const home = absolute(HOME) ?? homedir();
  return join(absolute(XDG_STATE_HOME) ?? join(home, ".local/state"), "mcpgen");
}

function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}
