/** Returns a text to its first full stop, semicolon or colon outside of code. */
export function firstClause(text: string): string {
  return /^(?:`[^`]*`|[.;:](?! |$)|[^.;:])*/.exec(text)![0];
}
