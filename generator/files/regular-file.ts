import { type Stats, closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { CodedError, invariant } from "../diagnostics/coded-error.js";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Maximum file size. Larger files are rejected unread; no schema is this large. */
export const maximumBytes = 32 * 1024 * 1024;

export interface ReadOptions {
  /** Name of the file in messages; default: its path. */
  readonly shown?: string;
  /** Maximum size in bytes; default: `maximumBytes`. */
  readonly limit?: number;
  /** Whether to follow a symbolic link. Default: true. */
  readonly follow?: boolean;
  /** Checks owner and mode of the opened file before it is read; throws to reject it. */
  readonly inspect?: (about: Stats) => void;
}

/**
 * Reads a regular file. It is opened once, so that the checked file is the one that is read. Pipes, sockets
 * and devices are rejected without waiting for them, because a repository could contain one.
 *
 * @throws CodedError MG1001 if it cannot be read or is not a regular file, MG1003 if it exceeds the limit
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
 * Reads a regular file as UTF-8 text; invalid bytes become U+FFFD.
 *
 * @throws CodedError as `readRegularFile`
 */
export function readRegularText(file: string, options: ReadOptions = {}): string {
  return readRegularFile(file, options).toString("utf8");
}

/** Same as `readRegularText`; `undefined` if the file does not exist. */
export function readTextIfPresent(file: string): string | undefined {
  return existsSync(file) ? readRegularText(file) : undefined;
}

/** Chunk size for files of any size. */
const chunkBytes = 64 * 1024;

/**
 * Reads a regular file of any size in chunks.
 *
 * @throws CodedError as `readRegularFile`, during iteration
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
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    descriptor = openSync(file, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
    const about = fstatSync(descriptor);
    if (about.isFile()) return { descriptor, about };
    throw irregular(shown, about);
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw error instanceof CodedError ? error : unreadable(shown, error);
  }
}

/** Reads to the end of the file, which may grow meanwhile. Files in `/proc` report size 0. */
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

/** The error for a file that the operating system does not open or read. */
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

/** @param limit maximum size, a whole number of MiB */
export function tooLarge(file: string, bytes: number, limit = maximumBytes): CodedError {
  const [most, size] = [limit, bytes].map((each) => `${Math.ceil(each / 1024 / 1024)} MiB`);
  return new CodedError("MG1003", `expected at most ${most}, got ${size}`, {
    place: { file },
    next: "Check that this is the file you meant.",
  });
}

/**
 * Decodes bytes as UTF-8, or as UTF-16 if they have its byte order mark (both occur upstream).
 *
 * @throws CodedError MG1004 if the bytes are not valid in that encoding
 */
export function decodeText(bytes: Uint8Array, file: string): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CodedError("MG1004", `expected text in ${encoding}, got other bytes`, {
      place: { file },
      next: "Save the file as UTF-8.",
      cause: error,
    });
  }
}

/** Encodes a text like an existing file: same encoding, and a byte order mark if the file has one. */
export function encodeLike(bytes: Uint8Array, text: string): Uint8Array {
  const marked = (mark: readonly number[]): boolean => mark.every((byte, index) => bytes[index] === byte);
  if (marked([0xff, 0xfe])) return Buffer.from(`\ufeff${text}`, "utf16le");
  if (marked([0xfe, 0xff])) return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  return Buffer.from(marked([0xef, 0xbb, 0xbf]) ? `\ufeff${text}` : text);
}

/** Number of characters hashed at a time; Node uses three bytes of memory for each. */
const partLength = 65_536;

/** SHA-256 in hexadecimal. Text is hashed as UTF-8. */
export function sha256(content: string | Uint8Array): string {
  const hash = createHash("sha256");
  if (typeof content !== "string") return hash.update(content).digest("hex");
  for (let start = 0; start < content.length;) {
    let end = start + partLength;
    // Do not split a surrogate pair, which is one character in UTF-8.
    if (content.codePointAt(end - 1)! > 0xffff) end++;
    hash.update(content.slice(start, end));
    start = end;
  }
  return hash.digest("hex");
}

/** Replaces CRLF by LF, because Git on Windows changes line ends at checkout. */
export function withPlainLineEnds(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** SHA-256 of a file's content in hexadecimal, independent of line ends. */
export function contentSha256(content: string | Uint8Array): string {
  if (typeof content === "string") return sha256(withPlainLineEnds(content));
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  // Latin-1 maps every byte to a character, so binary content survives.
  return bytes.includes("\r\n")
    ? sha256(Buffer.from(withPlainLineEnds(bytes.toString("latin1")), "latin1"))
    : sha256(bytes);
}

/**
 * Removes from a text everything that a formatter may change: white space, line ends, quotes, semicolons,
 * trailing commas, parentheses, the first `|` of a union. Two layouts of one text become equal; texts that
 * differ in a word, number or operator do not.
 *
 * @param path its extension decides the language; text of other languages is unchanged
 */
export function withoutLayout(path: string, text: string): string {
  const plain = withPlainLineEnds(text);
  switch (path.slice(path.lastIndexOf(".") + 1)) {
    case "ts":
      return withoutLayoutOfCode(plain);
    case "json":
      return jsonText(plain);
    case "md":
      // Dashes in tables depend on the column width.
      return plain.replace(/\s+/g, "").replace(/-{2,}/g, "-");
    default:
      return plain;
  }
}

/** Normalises JSON, including numbers such as `1e+3`. Invalid JSON is returned unchanged. */
function jsonText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function withoutLayoutOfCode(text: string): string {
  return (
    text
      .replace(/\s+/g, "")
      // Whether a quote inside a string is escaped depends on the surrounding quotes.
      .replace(/\\(?=["'])/g, "")
      .replace(/'/g, '"')
      .replace(/;/g, "")
      .replace(/,(?=[\])}>])/g, "")
      .replace(/[()]/g, "")
      .replace(/(?<=[=<:[,?{]|=>)[|&](?![|&=])/g, "")
      .replace(/"([A-Za-z_$][\w$]*)"(?=\??:)/g, "$1")
  );
}

/** Number of characters processed at a time; complete copies of a large file would need much memory. */
const codeLength = 32_768;

/**
 * Splits code where no layout spans the cut: after a brace that ends a line, before a line that starts with a
 * letter or a comment. `withoutLayoutOfCode` removes neither of these and does not look beyond them.
 */
function* parts(text: string): Generator<string> {
  const cut = /\}\n(?=[A-Za-z/])/g;
  let start = 0;
  while (text.length - start > codeLength) {
    cut.lastIndex = start + codeLength;
    if (!cut.test(text)) break;
    yield text.slice(start, cut.lastIndex);
    start = cut.lastIndex;
  }
  yield text.slice(start);
}

/** SHA-256 of a file's content in hexadecimal, independent of layout. */
export function layoutFreeSha256(path: string, text: string): string {
  if (!path.endsWith(".ts")) return sha256(withoutLayout(path, text));
  const hash = createHash("sha256");
  for (const part of parts(withPlainLineEnds(text))) hash.update(withoutLayoutOfCode(part));
  return hash.digest("hex");
}

/** Folder of the mcpgen package, the same for source and dist. */
export function packageFolder(): string {
  return (ownFolder ??= nearestPackage(dirname(fileURLToPath(import.meta.url))));
}

let ownFolder: string | undefined;

export function packageVersion(): string {
  return (JSON.parse(readRegularText(join(packageFolder(), "package.json"))) as { version: string }).version;
}

function nearestPackage(folder: string): string {
  if (existsSync(join(folder, "package.json"))) return folder;
  invariant(dirname(folder) !== folder, "mcpgen runs outside of its package");
  return nearestPackage(dirname(folder));
}

/**
 * The error text for a Node.js version that is too old; undefined for a supported one. `version` as in
 * `process.versions.node`.
 */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  const code = "MG2012";
  return `error ${code}: expected Node.js 20.19 or later, got ${version}\n  \u2192 Install a newer one from nodejs.org.\n`;
}
