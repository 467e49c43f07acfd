/** A text that has more than `most` characters ends with `…`. */
export function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Twenty names at most. */
export function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 20);
  return names.length > shown.length
    ? `${shown.join(", ")} and ${names.length - shown.length} more`
    : shown.join(", ");
}
