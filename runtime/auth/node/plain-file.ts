import { type Stats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { unsafe } from "./store-folder.js";

/** Maximum size of a file in bytes: records of logins and locks are short. */
const mostBytes = 1_048_576;

/** Bytes to read even if the file was shorter when it was opened. */
const leastRead = 4096;

/**
 * Reads a regular file. Opens it once, so that the checked file is the one that is read. Does not follow links, and refuses
 * a pipe or device without waiting.
 *
 * @param inspect checks owner and mode before the file is read; throws to refuse it
 * @returns `undefined` if the file does not exist
 * @throws {AuthError} `auth-store`; also errors of the file system
 */
export async function readPlainFile(
  path: string,
  inspect?: (about: Stats) => void,
): Promise<string | undefined> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  let file: FileHandle;
  try {
    // A link could lead to another user's file. Without O_NONBLOCK, opening a pipe waits for a writer.
    file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw unsafe(path, "is a link");
    // A socket.
    if (code === "ENXIO") throw unsafe(path, "is not a file");
    throw error;
  }
  try {
    const about = await file.stat();
    if (!about.isFile()) throw unsafe(path, "is not a file");
    inspect?.(about);
    // A lock file may be growing at this moment. Token files are replaced, never extended.
    const bytes = Buffer.alloc(Math.min(Math.max(about.size, leastRead), mostBytes) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = (await file.read(bytes, length, bytes.length - length, length)).bytesRead;
    if (length === bytes.length) throw unsafe(path, `has more than ${bytes.length - 1} bytes`);
    return bytes.toString("utf8", 0, length);
  } finally {
    await file.close();
  }
}
