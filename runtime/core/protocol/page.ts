/** Longest URL of a page: longer ones are cut off by browsers and systems that open them. */
const longest = 16_384;

/**
 * What makes a URL one that is not to be opened, if anything does. Only `https:` anywhere and `http:` on this machine
 * may be opened (2026-07-28, elicitation, safe URL handling), and the text must be read as the same URL by everything
 * that reads it: printable ASCII without the characters that no URL holds, and without credentials.
 */
export function pageProblem(url: unknown): string | undefined {
  if (typeof url !== "string") return "it is not a string";
  if (url.length > longest) return `it has more than ${longest} characters`;
  if (!/^[!-~]*$/.test(url))
    return "it has characters other than printable ASCII; they must be percent-encoded";
  if (/[\\"<>]/.test(url)) return 'it has one of the characters \\ " < >, which no URL holds';
  const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
  if (authority === undefined || !URL.canParse(url))
    return "only https: and, on this machine, http: are opened";
  if (authority.includes("@")) return "it holds credentials";
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || isLoopback(hostname)
    ? undefined
    : "http: is opened on this machine alone; use https:";
}

/** Whether a host, as a parsed URL has it, is this machine (RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). */
function isLoopback(host: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
}
