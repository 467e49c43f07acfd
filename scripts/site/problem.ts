/** What is wrong with a document, so that no site is written. */
export interface Problem {
  readonly code: keyof typeof problems;
  /** A path of the repository, or of the site for pages that no document is the source of. */
  readonly file: string;
  readonly line?: number;
  /** What is wrong, in a few words. */
  readonly what: string;
}

/** Every code, and what the writer of the document does about it. */
export const problems = {
  SITE1: "Correct the path: it is relative to the document.",
  SITE2: "Correct the part after #: a heading of that page has it.",
  SITE3: "Write it in Markdown: of HTML, documents of the site have comments only.",
  SITE4: "Give the document one heading of the first level.",
  SITE5: "Correct the page's program in scripts/site/: its links lead nowhere.",
} as const;

/** One line for each problem, as compilers print them. */
export function problemText({ code, file, line, what }: Problem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: error ${code}: ${what}. ${problems[code]}`;
}
