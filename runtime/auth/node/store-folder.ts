import { lstat, mkdir } from "node:fs/promises";
import { AuthError } from "../shared/errors.js";

/**
 * Runs a function that reads or writes files of a store, and converts file system errors.
 *
 * @throws {AuthError} `auth-store`; also other errors of `run`
 */
export async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    if (typeof errno !== "number") throw error;
    throw new AuthError("auth-store", `tokens: ${folder} cannot be used (${code}): check its permissions`);
  }
}

/**
 * Creates or checks the folder of a store. Only this user may own or change it.
 *
 * @returns whether the folder exists
 * @throws {AuthError} `auth-store`
 */
export async function preparedFolder(folder: string, make: boolean): Promise<boolean> {
  if (make) await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return false;
  if (!found.isDirectory()) throw unsafe(folder, "is not a folder");
  expectOwn(folder, found, 0o700);
  return true;
}

/**
 * Refuses a file or folder that another user owns or can read.
 *
 * @throws {AuthError} `auth-store`
 */
export function expectOwn(
  path: string,
  { mode, uid }: { readonly mode: number; readonly uid: number },
  wanted: number,
): void {
  if (process.platform === "win32") return;
  if (uid !== process.getuid!()) throw unsafe(path, "belongs to another user");
  if ((mode & 0o077) !== 0)
    throw unsafe(path, `can be read by others: remove it and log in again, or chmod ${wanted.toString(8)}`);
}

export function unsafe(path: string, why: string): AuthError {
  return new AuthError("auth-store", `tokens: ${path} ${why}`);
}
