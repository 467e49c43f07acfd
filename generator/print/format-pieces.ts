import { format } from "./format.js";
import type { KeptTexts } from "./kept-texts.js";

/** Blank lines before a line without indentation: between top-level statements, or inside of a text. */
const boundary = /\n{2,}(?=\S)/;

/**
 * The same text as `format` returns. The statements of TypeScript are laid out one by one, and those that were laid out
 * before are not again: a change of one tool leaves most statements as they were.
 *
 * @param kept the layout of each piece, by its text
 */
export async function formatPieces(path: string, content: string, kept: KeptTexts): Promise<string> {
  if (!path.endsWith(".ts") || content.trim() === "") return format(path, content);
  const pieces: string[] = [];
  try {
    for (const piece of content.trimEnd().split(boundary)) {
      let laidOut = kept.get(piece);
      if (laidOut === undefined) {
        laidOut = (await format(path, piece)).trimEnd();
        kept.set(piece, laidOut);
      }
      pieces.push(laidOut);
    }
  } catch {
    // A blank line inside of a text or a comment: no piece by itself is code.
    return format(path, content);
  }
  return `${pieces.join("\n\n")}\n`;
}
