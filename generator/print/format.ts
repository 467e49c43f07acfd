import type { Options } from "prettier";

/** Fixed, and no configuration of the user changes it: output must not depend on the machine. */
const options: Options = {
  printWidth: 80,
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
