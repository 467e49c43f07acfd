import type { Options } from "prettier";
import { width } from "./layout.js";

/** Fixed, and no configuration of the user changes it: output must not depend on the machine. */
const options: Options = {
  printWidth: width,
  tabWidth: 2,
  semi: true,
  singleQuote: false,
  trailingComma: "all",
  endOfLine: "lf",
};

const parsers: { readonly [extension: string]: string } = { ts: "typescript", json: "json", md: "markdown" };

/**
 * `content` as prettier lays it out, with options of our own.
 *
 * @param path decides the language, by its extension; other files are returned as they are
 */
export async function format(path: string, content: string): Promise<string> {
  const parser = parsers[path.slice(path.lastIndexOf(".") + 1)];
  if (parser === undefined) return content;
  // The standalone build with the two plugins that TypeScript needs loads in half the time of the whole.
  const [prettier, ...plugins] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/estree"),
    import("prettier/plugins/typescript"),
    ...(parser === "json" ? [import("prettier/plugins/babel")] : []),
    ...(parser === "markdown" ? [import("prettier/plugins/markdown")] : []),
  ]);
  // By the name of the file prettier knows that there is no JSX, which it would search the text for.
  return prettier.format(content, { ...options, parser, plugins, filepath: path });
}

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

/** Texts that were made before, by what they were made of: for the runs of a loop in one process. */
export class KeptTexts {
  readonly #kept = new Map<string, string>();
  #length = 0;

  get(source: string): string | undefined {
    return this.#kept.get(source);
  }

  set(source: string, made: string): void {
    if (this.#length > mostKept) {
      this.#kept.clear();
      this.#length = 0;
    }
    this.#kept.set(source, made);
    this.#length += source.length + made.length;
  }
}

/** Characters that are kept: some times the output of a contract with 300 tools. */
const mostKept = 8_000_000;
