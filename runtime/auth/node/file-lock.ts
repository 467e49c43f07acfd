import { randomUUID } from "node:crypto";
import { open, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { attempts, growing } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import { readPlainFile } from "./plain-file.js";

/** How often a holder shows that it lives, and after how long a lock of a holder that does not is void. */
const beatMs = 2000;
const voidAfterMs = 15_000;

/**
 * Takes a lock that one process holds at a time. A process that was killed leaves a file behind, which the next one
 * removes: its holder runs no more, or has not shown that it lives for 15 seconds.
 *
 * @returns the function that ends the lock
 */
export async function lockFile(path: string, signal?: AbortSignal): Promise<() => Promise<void>> {
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  const pauses = growing({ first: 5, factor: 1.5, most: 100, spread: [0.5, 1.5] });
  for await (const _ of attempts({ pauses, signal })) {
    if (await created(path, mine)) break;
    await removeVoid(path);
  }
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), beatMs);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if ((await textOf(path)) === mine) await rm(path, { force: true });
  };
}

async function created(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(text);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a holder that is gone. One process at a time does so, or it could remove the lock of the next. */
async function removeVoid(path: string): Promise<void> {
  const before = await textOf(path);
  if (before === undefined || !(await isVoid(path, before))) return;
  const guard = `${path}.void`;
  if (!(await created(guard, ""))) {
    if (await isOld(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if ((await textOf(path)) === before) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function isVoid(path: string, text: string): Promise<boolean> {
  if (await isOld(path)) return true;
  try {
    const { pid, host } = JSON.parse(text) as { pid: number; host: string };
    // Another machine or container counts its processes otherwise.
    if (host === hostname()) process.kill(pid, 0);
    return false;
  } catch (error) {
    // Without the process; a text that is not whole yet is being written.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > voidAfterMs;
}

/** The text of a lock; a file that cannot be read now is about to change. @throws {AuthError} `auth-store`: it is no file */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readPlainFile(path);
  } catch (error) {
    if (error instanceof AuthError) throw error;
    return undefined;
  }
}
