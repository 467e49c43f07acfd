import { createHash } from "node:crypto";

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
