import { sha256 } from "./sha256.js";

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
