/** Joins the lines of foreign text for a one-line message; `between` replaces the line ends. */
export function oneLine(text: string, between: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(between);
}

/** The beginning of a text: at most `most` characters, of which the last says that more follows. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
