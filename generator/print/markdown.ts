import { commentText } from "./text.js";

/** A code span of Markdown. The fence is longer than any run of back-ticks in `text`, which must be one line. */
export function fenced(text: string): string {
  const longestRun = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longestRun + 1);
  const padding = longestRun > 0 ? " " : "";
  return `${fence}${padding}${text}${padding}${fence}`;
}

/** A code span of any text: on one line, without characters that hide or reorder others. */
export function codeSpan(text: string): string {
  return fenced(commentText(text).replace(/\s+/g, " "));
}
