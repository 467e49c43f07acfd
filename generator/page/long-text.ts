/** Characters of one text in a page: nothing limits names and prose of servers. */
const most = 6_000;

/** The beginning of a long text, and how much of it is left out. */
export function cut(text: string, longest = most): { readonly text: string; readonly left: number } {
  return text.length <= longest
    ? { text, left: 0 }
    : { text: text.slice(0, longest), left: text.length - longest };
}

/** The same as one text. */
export function shortened(text: string, longest = most): string {
  const { text: beginning, left } = cut(text, longest);
  return left === 0 ? beginning : `${beginning}… (${left.toLocaleString("en")} more characters)`;
}

/** Characters of a name. */
export const longestName = 300;
