import type { Options } from "prettier";
import { width } from "./layout.js";

/** Fixed and not configurable, because output must not depend on the machine. */
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
 * Formats `content` with prettier and fixed options.
 *
 * @param path its extension decides the language; other files are returned unchanged
 */
export async function format(path: string, content: string): Promise<string> {
  const parser = parsers[path.slice(path.lastIndexOf(".") + 1)];
  if (parser === undefined) return content;
  // The standalone build with the two plugins for TypeScript loads in half the time of the complete package.
  const [prettier, ...plugins] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/estree"),
    import("prettier/plugins/typescript"),
    ...(parser === "json" ? [import("prettier/plugins/babel")] : []),
    ...(parser === "markdown" ? [import("prettier/plugins/markdown")] : []),
  ]);
  // The file name shows prettier that there is no JSX, which it would otherwise search for.
  return prettier.format(content, { ...options, parser, plugins, filepath: path });
}

/**
 * Matches blank lines before a line without indentation: between top-level statements, or inside a template
 * string.
 */
const boundary = /\n{2,}(?=\S)/;

/**
 * Formats like `format`, but TypeScript statement by statement, with cached results. Changing one tool leaves
 * most statements unchanged.
 *
 * @param kept cache of formatted statements
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
    // A blank line inside a string or comment: the pieces are not valid code.
    return format(path, content);
  }
  return `${pieces.join("\n\n")}\n`;
}

/** A cache of texts by the text they were made from, for repeated runs in one process. */
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

/** Maximum number of characters in the cache: several times the output of a contract with 300 tools. */
const mostKept = 8_000_000;
