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
