/** The letters and digits of `text` as one word in camel case. */
export function joinedWords(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const [first = "value", ...others] = words;
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const joined = first.charAt(0).toLowerCase() + first.slice(1) + others.map(capital).join("");
  return /^\d/.test(joined) ? `_${joined}` : joined;
}
