import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { CodedError } from "../diagnostics/coded-error.js";

/** Larger files are refused unread: no schema has this size. */
export const maximumBytes = 32 * 1024 * 1024;

/**
 * The bytes of a file.
 *
 * @throws CodedError MG1001 when it cannot be read, MG1003 when it is larger than 32 MiB
 */
export async function readBytes(file: string): Promise<Buffer> {
  try {
    const about = await stat(file);
    if (about.size > maximumBytes) throw tooLarge(file, about.size);
    return about.isFile() ? await readFile(file) : await readStream(file);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw unreadable(file, error);
  }
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
  if (reason === "ENOENT")
    return new CodedError("MG1001", "there is no such file", { ...details, next: "Check the path." });
  const next = "Check the path and its permissions.";
  return new CodedError("MG1001", `cannot be read (${reason})`, { ...details, next });
}

/** Pipes and devices do not report their size, and some never end. */
async function readStream(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBytes) throw tooLarge(file, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function tooLarge(file: string, bytes: number): CodedError {
  const size = `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  return new CodedError("MG1003", `expected at most 32 MiB, got ${size}`, {
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
