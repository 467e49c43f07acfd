import { format } from "./format.js";

/** The layout of pieces of code that were laid out before, by their text. */
export class KeptLayouts {
  readonly #kept = new Map<string, string>();
  #length = 0;

  get(piece: string): string | undefined {
    return this.#kept.get(piece);
  }

  set(piece: string, laidOut: string): void {
    if (this.#length > mostKept) {
      this.#kept.clear();
      this.#length = 0;
    }
    this.#kept.set(piece, laidOut);
    this.#length += piece.length + laidOut.length;
  }
}

/** Characters that are kept: some times the output of a contract with 300 tools. */
const mostKept = 8_000_000;

/** Blank lines before a line without indentation: between top-level statements, or inside of a text. */
const boundary = /\n{2,}(?=\S)/;

/**
 * The same text as `format` returns. The statements of TypeScript are laid out one by one, and those that were laid out
 * before are not again: a change of one tool leaves most statements as they were.
 */
export async function formatPieces(path: string, content: string, kept: KeptLayouts): Promise<string> {
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
