// Eleventy has no type declarations: these are for the part of it that the site uses.
declare module "@11ty/eleventy" {
  import type { MarkdownIt } from "markdown-it";

  export interface UserConfig {
    readonly benchmarks: { readonly config: { setIsVerbose(isVerbose: boolean): void } };
    addTemplate(path: string, text: string, data: object): void;
    addFilter(name: string, filter: (...values: never[]) => unknown): void;
    addPairedShortcode(name: string, print: (content: string, ...values: never[]) => string): void;
    addGlobalData(name: string, value: unknown): void;
    setLayoutsDirectory(folder: string): void;
    setIncludesDirectory(folder: string): void;
    setLibrary(name: "md", library: MarkdownIt): void;
    setTemplateFormats(names: string): void;
    setUseGitIgnore(use: boolean): void;
  }

  export class Eleventy {
    constructor(
      input: string,
      output: string,
      options: {
        readonly quietMode: boolean;
        readonly config: (config: UserConfig) => object;
      },
    );
    toJSON(): Promise<readonly { readonly outputPath: string; readonly content: string }[]>;
  }
}
