/** `json-pointer` of RFC 6901, section 3. */
export function isJsonPointer(text: string): boolean {
  return (text === "" || text.startsWith("/")) && !/~(?![01])/.test(text);
}

/** `relative-json-pointer` of the draft "Relative JSON Pointers", section 3. */
export function isRelativeJsonPointer(text: string): boolean {
  const number = /^(?:0|[1-9]\d*)/.exec(text)?.[0];
  if (number === undefined) return false;
  const rest = text.slice(number.length);
  return rest === "#" || isJsonPointer(rest);
}
