/** Joins the lines of foreign text for a one-line message; `between` replaces the line ends. */
export function oneLine(text: string, between: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(between);
}
