import type { Icon } from "@mcpgen/protocol/authoring";

/**
 * What makes a URI one that is not to be exposed as a root, or taken for a place inside one (client/roots, security
 * considerations: path traversal). Nothing if it names one file or folder of this machine, however it is read.
 */
export function fileUriProblem(uri: unknown): string | undefined {
  const read = readFileUri(uri);
  return typeof read === "string" ? read : undefined;
}

/**
 * Whether a `file:` URI names a root or something inside one. URIs are compared by their segments, decoded once; upper
 * and lower case differ, except in the letter of a Windows drive. What could be read as another place (`..`, `%2e%2e`,
 * `..%2f`, a backslash, another host) is inside no root, and such a root holds nothing.
 *
 * Nothing is looked up: a symbolic link inside a root may lead out of it. Resolve links (`realpath`) before you ask.
 *
 * @param roots as `ask.roots` gives them
 */
export function isInsideRoots(uri: string, roots: readonly { readonly uri: string }[]): boolean {
  const place = readFileUri(uri);
  if (typeof place === "string") return false;
  return roots.some((root) => {
    const folder = readFileUri(root.uri);
    return typeof folder !== "string" && folder.every((segment, index) => segment === place[index]);
  });
}

/** Segments of the path, decoded; a text that says what is wrong with the URI. */
function readFileUri(uri: unknown): readonly string[] | string {
  if (typeof uri !== "string") return "it is not a string";
  const [, host, path] = /^file:\/\/([^/?#]*)(\/[^?#]*)?$/i.exec(uri) ?? [];
  if (host === undefined) return "it is no file:// URI without query and fragment";
  if (host !== "" && host.toLowerCase() !== "localhost") return "it names another host";
  const segments: string[] = [];
  for (const [index, raw] of (path ?? "/").slice(1).split("/").entries()) {
    const segment = decoded(raw);
    if (segment === undefined) return "its percent-encoding is wrong";
    // Two slashes at the front name a host on Windows.
    if (segment === "" && index === 0 && (path ?? "").length > 1) return "its path begins with two slashes";
    if (segment === "") continue;
    // Windows leaves dots and spaces at the end of a name out.
    if (/^\.[. ]*$/.test(segment)) return "it has a segment of dots";
    if (/[/\\\p{Cc}]/u.test(segment)) return "a segment of it has a separator or a control character";
    segments.push(index === 0 && /^[a-z]:$/i.test(segment) ? segment.toLowerCase() : segment);
  }
  return segments;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

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

const safe = new Set(["https:", "data:"]);

/**
 * The icons that may be shown: those at `https:` and `data:` URIs (2025-11-25 on, basic, icons). All others
 * must not be followed. Lists hold icons as the server sent them; call this before one is fetched or drawn,
 * fetch without credentials, and follow no redirect to another origin.
 */
export function safeIcons(icons: readonly Icon[] = []): Icon[] {
  return icons.filter(({ src }) => URL.canParse(src) && safe.has(new URL(src).protocol));
}
