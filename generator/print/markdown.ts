import { commentText } from "./text.js";

// All untrusted text becomes Markdown here; templates and reports insert the results of these functions.

/**
 * Escapes text so that it has no meaning in Markdown or HTML, as one paragraph. Names and numbers in it do
 * not become links on GitHub.
 */
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

/** Escapes untrusted prose; backticks mark code. Hidden characters stay: `commentText` removes them, where a caller needs it. */
export function markdownProse(text: string): string {
  return text
    .split(/`([^`\n]{1,200})`/)
    .map((piece, index) => (index % 2 ? oneLineCode(piece) : markdownText(piece)))
    .join("");
}

/**
 * A Markdown code span for one line of text. Its fence is longer than any run of backticks in `text`. An
 * empty text becomes a space, because two adjacent fences would form one.
 */
export function fenced(text: string): string {
  if (text === "") return "` `";
  const longestRun = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longestRun + 1);
  const padding = longestRun > 0 ? " " : "";
  return `${fence}${padding}${text}${padding}${fence}`;
}

/** A code span for text that may have several lines, which are joined. */
export function oneLineCode(text: string): string {
  return fenced(text.replace(/\s+/g, " "));
}

/** A code span for any text: on one line, without characters that hide or reorder others. */
export function codeSpan(text: string): string {
  return oneLineCode(commentText(text));
}

/** A fenced block whose fence is longer than any run of backticks in it. */
export function fencedBlock(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The content of a table cell, with bars escaped. */
export function tableCell(markdown: string): string {
  return markdown.replaceAll("|", "\\|").replaceAll("\n", " ");
}
