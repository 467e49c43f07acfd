const longestWord = 30;

/** The letters and digits of `text` as one word in camel case, cut where it gets long; empty if there are none. */
export function camelCase(text: string): string {
  const parts = text.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  return parts
    .map((part, index) =>
      index === 0
        ? part.charAt(0).toLowerCase() + part.slice(1)
        : part.charAt(0).toUpperCase() + part.slice(1),
    )
    .join("")
    .slice(0, longestWord);
}
