import { type Stats, closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { CodedError } from "../diagnostics/coded-error.js";

/** Larger files are refused unread: no schema has this size. */
export const maximumBytes = 32 * 1024 * 1024;

export interface ReadOptions {
  /** The file as messages name it; default: its path. */
  readonly shown?: string;
  /** Larger files are refused; in bytes, default `maximumBytes`. */
  readonly limit?: number;
  /** Whether a symbolic link in the place of the file is followed. Default: true. */
  readonly follow?: boolean;
  /** Judges the owner and the mode of the very file that is read, before it is read; throws to refuse it. */
  readonly inspect?: (about: Stats) => void;
}

/**
 * The bytes of a regular file, which is opened once: what was judged is what is read. Pipes, sockets and devices are refused
 * without waiting for them, because a repository can put one where a file is expected.
 *
 * @throws CodedError MG1001 when it cannot be read or is no regular file, MG1003 when it is larger than the limit
 */
export function readRegularFile(file: string, options: ReadOptions = {}): Buffer {
  const { shown = file, limit = maximumBytes, inspect } = options;
  const { descriptor, about } = openRegularFile(file, options);
  try {
    inspect?.(about);
    if (about.size > limit) throw tooLarge(shown, about.size, limit);
    return readWhole(descriptor, about.size, limit, shown);
  } catch (error) {
    throw error instanceof CodedError ? error : unreadable(shown, error);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The same as text in UTF-8; other bytes become U+FFFD.
 *
 * @throws CodedError as `readRegularFile`
 */
export function readRegularText(file: string, options: ReadOptions = {}): string {
  return readRegularFile(file, options).toString("utf8");
}

/** The same; `undefined` where nothing stands. */
export function readTextIfPresent(file: string): string | undefined {
  return existsSync(file) ? readRegularText(file) : undefined;
}

/** Bytes that are read at once from a file of any size. */
const chunkBytes = 64 * 1024;

/**
 * The bytes of a regular file of any size, as they come.
 *
 * @throws CodedError as `readRegularFile`, when it is read
 */
export function* streamRegularFile(file: string): Generator<Uint8Array> {
  const { descriptor } = openRegularFile(file, {});
  try {
    for (;;) {
      const bytes = Buffer.allocUnsafe(chunkBytes);
      const length = readSync(descriptor, bytes, 0, chunkBytes, null);
      if (length === 0) return;
      yield bytes.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}

function openRegularFile(
  file: string,
  { shown = file, follow = true }: ReadOptions,
): { readonly descriptor: number; readonly about: Stats } {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe waits for a program that writes into it.
    descriptor = openSync(file, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
    const about = fstatSync(descriptor);
    if (about.isFile()) return { descriptor, about };
    throw irregular(shown, about);
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw error instanceof CodedError ? error : unreadable(shown, error);
  }
}

/** The bytes until the end of the file, which may grow meanwhile; files of `/proc` say that they have none. */
function readWhole(descriptor: number, size: number, limit: number, shown: string): Buffer {
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    length += read;
    if (length > limit) throw tooLarge(shown, length, limit);
    if (read === 0) return bytes.subarray(0, length);
    if (length < bytes.length) continue;
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, 4096));
    bytes.copy(larger);
    bytes = larger;
  }
}

function irregular(file: string, about: Stats): CodedError {
  const kind = about.isDirectory()
    ? "a folder"
    : about.isFIFO()
      ? "a pipe"
      : about.isSocket()
        ? "a socket"
        : "a device";
  const next = about.isDirectory()
    ? "Name a file in it."
    : "Name a regular file; commands that take `-` read a pipe from standard input.";
  return new CodedError("MG1001", `expected a file, got ${kind}`, { place: { file }, next });
}

/** The error of a file that the operating system does not open or read. */
export function unreadable(file: string, cause: unknown): CodedError {
  const reason = (cause as NodeJS.ErrnoException).code ?? "unknown reason";
  const details = { place: { file }, cause };
  if (reason === "EISDIR")
    return new CodedError("MG1001", "expected a file, got a folder", {
      ...details,
      next: "Name a file in it.",
    });
  if (reason === "ELOOP" || reason === "EMLINK")
    return new CodedError("MG1001", "expected a file, got a symbolic link", {
      ...details,
      next: "Put the file itself in its place.",
    });
  if (reason === "ENOENT")
    return new CodedError("MG1001", "there is no such file", { ...details, next: "Check the path." });
  const next = "Check the path and its permissions.";
  return new CodedError("MG1001", `cannot be read (${reason})`, { ...details, next });
}

/** @param limit the most bytes, a whole number of MiB */
export function tooLarge(file: string, bytes: number, limit = maximumBytes): CodedError {
  const [most, size] = [limit, bytes].map((each) => `${Math.ceil(each / 1024 / 1024)} MiB`);
  return new CodedError("MG1003", `expected at most ${most}, got ${size}`, {
    place: { file },
    next: "Check that this is the file you meant.",
  });
}
