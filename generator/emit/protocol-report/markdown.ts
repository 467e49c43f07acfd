import { commentText } from "../../print/text.js";

/**
 * `text` as a code span on one line. The fence is longer than any run of back-ticks inside, so that nothing
 * in the text ends it; characters that hide or reorder others are gone.
 */
export function codeSpan(text: string): string {
  const line = commentText(text).replace(/\s+/g, " ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  if (longest === 0) return `\`${line}\``;
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}
