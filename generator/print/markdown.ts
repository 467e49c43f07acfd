import { commentText } from "./text.js";

// The one place that makes Markdown of foreign text: templates and reports insert what these functions return.

/** Text without meaning in Markdown and HTML; one paragraph. No name or number in it links to anything on GitHub. */
export function markdownText(text: string): string {
  return text
    .replace(/[\\`*_{}[\]()#+!|~$]/g, (character) => `\\${character}`)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/(https?|mailto|ftp)(?=:)|\bwww(?=\.)|@/gi, (match) => `${match}<!-- -->`)
    .replace(/\s*[\n\r]\s*/g, " ")
    .replace(/^(\s*)([-=]|\d+\.)/, "$1\\$2");
}

/** Foreign prose: back-ticks mark code, all else is text. */
export function markdownProse(text: string): string {
  return text
    .split(/`([^`\n]{1,200})`/)
    .map((piece, index) => (index % 2 ? oneLineCode(piece) : markdownText(piece)))
    .join("");
}

/**
 * A code span of Markdown. The fence is longer than any run of back-ticks in `text`, which must be one line. An empty text
 * is shown as a space: two fences without anything between them would be one, and begin a span.
 */
export function fenced(text: string): string {
  if (text === "") return "` `";
  const longestRun = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longestRun + 1);
  const padding = longestRun > 0 ? " " : "";
  return `${fence}${padding}${text}${padding}${fence}`;
}

/** A code span of a text that may have several lines. */
export function oneLineCode(text: string): string {
  return fenced(text.replace(/\s+/g, " "));
}

/** A code span of any text: on one line, without characters that hide or reorder others. */
export function codeSpan(text: string): string {
  return oneLineCode(commentText(text));
}

/** A fenced block, whose fence is longer than any run of back-ticks in it. */
export function fencedBlock(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** What stands in a cell of a table: bars are escaped, because they would end the cell. */
export function tableCell(markdown: string): string {
  return markdown.replaceAll("|", "\\|").replaceAll("\n", " ");
}
