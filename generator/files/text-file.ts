import { CodedError } from "../diagnostics/coded-error.js";

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
