import { type Stats, constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { unsafe } from "./store-folder.js";

/** Bytes of a file at most: records of logins and locks are short. */
const mostBytes = 1_048_576;

/** Bytes that are read even of a file that was shorter when it was opened. */
const leastRead = 4096;

/**
 * The text of a regular file, which is opened once: what was judged is what is read. Links are not followed, and a pipe or a
 * device is refused without waiting for it.
 *
 * @param inspect judges the owner and the mode of the file before it is read; throws to refuse it
 * @returns `undefined` if there is no such file
 * @throws {AuthError} `auth-store`; and errors of the file system
 */
export async function readPlainFile(
  path: string,
  inspect?: (about: Stats) => void,
): Promise<string | undefined> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  let file: FileHandle;
  try {
    // A link could lead to a file of another user. Without O_NONBLOCK, opening a pipe waits for its writer.
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
    // A lock may be written just now; files of tokens are replaced, never extended.
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
