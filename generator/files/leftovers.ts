import { randomBytes } from "node:crypto";
import { CodedError } from "../diagnostics/coded-error.js";
import type { HeldFolder } from "./held-folder.js";

/** Names of temporary files; the id of their process and random digits follow. */
const prefix = ".mcpgen-write-";

/** A name for a temporary file of this process. */
export function temporaryName(): string {
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
export function clearLeftovers(folder: HeldFolder): void {
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
