import { structuredPatch } from "diff";
import { withPlainLineEnds } from "./regular-file.js";

/**
 * A short unified diff: `-` is on disk, `+` is planned. A diff longer than `shownLines` is truncated with a
 * note.
 */
export function unifiedDiff(onDisk: string, planned: string, shownLines: number): string {
  const present = withPlainLineEnds(onDisk);
  if (present === "" || planned === "") {
    const sign = present === "" ? "+" : "-";
    const lines = (present || planned).trimEnd().split("\n");
    return cut(
      lines.map((line) => shortened(`${sign}${line}`)),
      shownLines,
    );
  }
  // Limit the edit length: files with little in common would take minutes, and the result would be
  // unreadable.
  const patch = structuredPatch("", "", present, planned, "", "", { context: 2, maxEditLength: 2000 });
  if (!patch)
    return `${lineCount(present)} lines on disk, ${lineCount(planned)} planned; they have little in common`;
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: body }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...body.map(shortened),
  ]);
  return cut(lines, shownLines);
}

function cut(lines: readonly string[], shown: number): string {
  if (lines.length <= shown) return lines.join("\n");
  return [...lines.slice(0, shown), `… ${lines.length - shown} more lines`].join("\n");
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function shortened(line: string): string {
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
