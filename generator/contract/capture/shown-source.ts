/**
 * A SOURCE as messages show it: passwords of a URL and values of its query, which often are keys, are left out; of
 * a command only as much as tells it from others.
 */
export function shownSource(source: string): string {
  if (!/^https?:/i.test(source)) return source.length > 200 ? `${source.slice(0, 199)}…` : source;
  try {
    const url = new URL(source);
    const query = [...url.searchParams.keys()].map((key) => `${key}=…`).join("&");
    return `${url.origin}${url.pathname}${query === "" ? "" : `?${query}`}`;
  } catch {
    return source;
  }
}

/** Whether a SOURCE is a server: what is neither is a file, a revision or standard input. */
export function isServerSource(source: string): boolean {
  return /^(?:https?:\/\/|stdio:)/i.test(source);
}
