/** Somebody else's words in a message of one line; `between` stands where there were lines. */
export function oneLine(text: string, between: string): string {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(between);
}
