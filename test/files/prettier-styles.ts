import type { Options } from "prettier";

/** Styles that differ from ours in every option that moves or replaces characters. */
export const prettierStyles: readonly Options[] = [
  { printWidth: 120, singleQuote: true, semi: false, trailingComma: "none" },
  { printWidth: 60, useTabs: true, arrowParens: "avoid", bracketSpacing: false, quoteProps: "consistent" },
  {
    printWidth: 100,
    objectWrap: "collapse",
    quoteProps: "preserve",
    endOfLine: "crlf",
    proseWrap: "always",
  },
  { tabWidth: 4, trailingComma: "es5", experimentalOperatorPosition: "start", proseWrap: "never" },
];
