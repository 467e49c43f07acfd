import { type Stats, closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { CodedError, invariant } from "../diagnostics/coded-error.js";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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

/**
 * The text of `bytes`: UTF-8, or UTF-16 by its byte order mark (upstream has published both).
 *
 * @throws CodedError MG1004 when the bytes are not text in that encoding
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

/** The bytes of a text, in the encoding of a file that has been read, with its byte order mark if it has one. */
export function encodeLike(bytes: Uint8Array, text: string): Uint8Array {
  const marked = (mark: readonly number[]): boolean => mark.every((byte, index) => bytes[index] === byte);
  if (marked([0xff, 0xfe])) return Buffer.from(`\ufeff${text}`, "utf16le");
  if (marked([0xfe, 0xff])) return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  return Buffer.from(marked([0xef, 0xbb, 0xbf]) ? `\ufeff${text}` : text);
}

/** Characters that are hashed at once: Node takes three bytes of memory for each. */
const partLength = 65_536;

/** In hexadecimal; text is hashed as UTF-8. */
export function sha256(content: string | Uint8Array): string {
  const hash = createHash("sha256");
  if (typeof content !== "string") return hash.update(content).digest("hex");
  for (let start = 0; start < content.length;) {
    let end = start + partLength;
    // Both halves of a surrogate pair are one character of UTF-8.
    if (content.codePointAt(end - 1)! > 0xffff) end++;
    hash.update(content.slice(start, end));
    start = end;
  }
  return hash.digest("hex");
}

/** Text as it was before a checkout turned its line ends into CRLF, as Git does on Windows. */
export function withPlainLineEnds(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** sha256 of a file's content, which line ends do not change. In hexadecimal. */
export function contentSha256(content: string | Uint8Array): string {
  if (typeof content === "string") return sha256(withPlainLineEnds(content));
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  // Latin-1 has a character for every byte, so that what is no text keeps its own.
  return bytes.includes("\r\n")
    ? sha256(Buffer.from(withPlainLineEnds(bytes.toString("latin1")), "latin1"))
    : sha256(bytes);
}

/**
 * The text of a file without what a formatter decides: white space, line ends, quotes, semicolons, trailing commas,
 * parentheses, the first `|` of a union. Two texts that a formatter makes of one are equal so; what differs in a word, a
 * number or an operator is not.
 *
 * @param path decides the language, by its extension; other files have no layout
 */
export function withoutLayout(path: string, text: string): string {
  const plain = withPlainLineEnds(text);
  switch (path.slice(path.lastIndexOf(".") + 1)) {
    case "ts":
      return withoutLayoutOfCode(plain);
    case "json":
      return jsonText(plain);
    case "md":
      // Tables are drawn with as many dashes as they are wide.
      return plain.replace(/\s+/g, "").replace(/-{2,}/g, "-");
    default:
      return plain;
  }
}

/** Numbers have layout, too: `1e+3`. What is no JSON is compared as it is. */
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
      // A quote inside a string is escaped or not, as the quotes around it are.
      .replace(/\\(?=["'])/g, "")
      .replace(/'/g, '"')
      .replace(/;/g, "")
      .replace(/,(?=[\])}>])/g, "")
      .replace(/[()]/g, "")
      .replace(/(?<=[=<:[,?{]|=>)[|&](?![|&=])/g, "")
      .replace(/"([A-Za-z_$][\w$]*)"(?=\??:)/g, "$1")
  );
}

/** Characters of a text whose layout is taken away at once: whole copies of a large file would add up. */
const codeLength = 32_768;

/**
 * Code cut where no layout spans the cut: behind a brace that ends a line, before a line that starts with a letter or a
 * comment. `withoutLayoutOfCode` removes neither, and looks past neither.
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

/** sha256 of a file's content, which its layout does not change. In hexadecimal. */
export function layoutFreeSha256(path: string, text: string): string {
  if (!path.endsWith(".ts")) return sha256(withoutLayout(path, text));
  const hash = createHash("sha256");
  for (const part of parts(withPlainLineEnds(text))) hash.update(withoutLayoutOfCode(part));
  return hash.digest("hex");
}

/** Folder of the mcpgen package: the same whether this runs from source or from dist. */
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

/** Complains about a Node.js that is too old to load the rest; `version` as in `process.versions.node`. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  const code = "MG2012";
  return `error ${code}: expected Node.js 20.19 or later, got ${version}\n  \u2192 Install a newer one from nodejs.org.\n`;
}
