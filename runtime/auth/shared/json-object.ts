/** The JSON object of a text; `undefined` if the text is anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found)
      ? (found as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
