import { createHash } from "node:crypto";
import { withPlainLineEnds } from "./line-ends.js";
import { sha256 } from "./sha256.js";

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
const partLength = 32_768;

/**
 * Code cut where no layout spans the cut: behind a brace that ends a line, before a line that starts with a letter or a
 * comment. `withoutLayoutOfCode` removes neither, and looks past neither.
 */
function* parts(text: string): Generator<string> {
  const cut = /\}\n(?=[A-Za-z/])/g;
  let start = 0;
  while (text.length - start > partLength) {
    cut.lastIndex = start + partLength;
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
