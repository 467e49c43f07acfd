import { AuthError } from "../shared/errors.js";

/**
 * Runs what reads or writes files of a store; an error of the file system becomes one of the store.
 *
 * @throws {AuthError} `auth-store`, and what `run` throws
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
