import { randomUUID } from "node:crypto";
import { open, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { attempts, growing, systemClock } from "@mcpgen/base";
import { AuthError } from "../shared/errors.js";
import { readPlainFile } from "./plain-file.js";

/** Heartbeat interval of a lock's holder, and the time after which a lock without heartbeat is stale; in milliseconds. */
const beatMs = 2000;
const voidAfterMs = 15_000;

/**
 * Takes a lock that only one process holds at a time. A killed process leaves its lock file behind. The next process removes
 * it if the holder no longer runs, or has sent no heartbeat for 15 seconds.
 *
 * @returns the function that releases the lock
 */
export async function lockFile(path: string, signal?: AbortSignal): Promise<() => Promise<void>> {
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  const pauses = growing({ first: 5, factor: 1.5, most: 100, spread: [0.5, 1.5] });
  const isStill = stillness();
  for await (const _ of attempts({ pauses, signal })) {
    if (await created(path, mine)) break;
    await removeVoid(path, isStill);
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

/** Removes a stale lock. Only one process at a time does so, or it could remove the next holder's lock. */
async function removeVoid(path: string, isStill: Stillness): Promise<void> {
  const before = await textOf(path);
  if (before === undefined || !((await isStill(path)) || isOfDead(before))) return;
  const guard = `${path}.void`;
  if (!(await created(guard, ""))) {
    if (await isStill(guard)) await rm(guard, { force: true });
    return;
  }
  try {
    if ((await textOf(path)) === before) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

function isOfDead(text: string): boolean {
  try {
    const { pid, host } = JSON.parse(text) as { pid: number; host: string };
    // On another machine or container, process ids mean nothing here.
    if (host === hostname()) process.kill(pid, 0);
    return false;
  } catch (error) {
    // ESRCH: the process does not exist. An incomplete text is still being written.
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Whether a file has not changed for 15 seconds. */
type Stillness = (path: string) => Promise<boolean>;

/**
 * Watches files from the first question on. Their times are not compared with the clock of the machine: it may be set, and goes on
 * while the machine sleeps and no holder sends heartbeats.
 */
function stillness(): Stillness {
  const seen = new Map<string, { readonly mark: string; readonly since: number }>();
  return async (path) => {
    const found = await stat(path).catch(() => undefined);
    const mark = `${found?.ino} ${found?.mtimeMs}`;
    const before = seen.get(path);
    const now = systemClock.now();
    if (before?.mark !== mark) seen.set(path, { mark, since: now });
    return found !== undefined && before?.mark === mark && now - before.since > voidAfterMs;
  };
}

/**
 * Reads a lock file; `undefined` if it cannot be read now, since it is then about to change. @throws {AuthError}
 * `auth-store`: it is not a regular file
 */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readPlainFile(path);
  } catch (error) {
    if (error instanceof AuthError) throw error;
    return undefined;
  }
}
