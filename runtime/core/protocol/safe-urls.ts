import type { Open } from "@mcpgen/protocol/open";

/**
 * The problem that excludes a URI as a root or as a place inside a root (client/roots, security considerations: path
 * traversal). `undefined` if every reader takes the URI for the same file or folder of this machine.
 */
export function fileUriProblem(uri: unknown): string | undefined {
  const read = readFileUri(uri);
  return typeof read === "string" ? read : undefined;
}

/**
 * Whether a `file:` URI names a root or a place inside one. Compares the segments, decoded once, with case; only the
 * letter of a Windows drive is compared without case. A URI that readers could take for another place (`..`, `%2e%2e`,
 * `..%2f`, a backslash, another host) is inside no root, and such a root contains no place.
 *
 * Does not read the file system: a symbolic link inside a root may lead out of it. Resolve links (`realpath`) first.
 *
 * @param roots the result of `ask.roots`
 */
export function isInsideRoots(uri: string, roots: readonly { readonly uri: string }[]): boolean {
  const place = readFileUri(uri);
  if (typeof place === "string") return false;
  return roots.some((root) => {
    const folder = readFileUri(root.uri);
    return typeof folder !== "string" && folder.every((segment, index) => segment === place[index]);
  });
}

/** The decoded segments of the path, or the problem of the URI as a string. */
function readFileUri(uri: unknown): readonly string[] | string {
  if (typeof uri !== "string") return "it is not a string";
  const [, host, path] = /^file:\/\/([^/?#]*)(\/[^?#]*)?$/i.exec(uri) ?? [];
  if (host === undefined) return "it is not a file:// URI without query and fragment";
  if (host !== "" && host.toLowerCase() !== "localhost") return "it names another host";
  const segments: string[] = [];
  for (const [index, raw] of (path ?? "/").slice(1).split("/").entries()) {
    const segment = decoded(raw);
    if (segment === undefined) return "its percent-encoding is wrong";
    // On Windows, two slashes at the front name a host.
    if (segment === "" && index === 0 && (path ?? "").length > 1) return "its path begins with two slashes";
    if (segment === "") continue;
    // Windows removes dots and spaces at the end of a name.
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

/** Longest URL of a page: browsers and operating systems cut longer ones off. */
const maxUrlLength = 16_384;

/**
 * The problem that excludes a URL from being opened, if there is one. Only `https:`, and `http:` on this machine, may be
 * opened (2026-07-28, elicitation, safe URL handling). Every reader must take the text for the same URL: printable ASCII
 * without credentials and without characters that a URL cannot have.
 */
export function pageProblem(url: unknown): string | undefined {
  if (typeof url !== "string") return "it is not a string";
  if (url.length > maxUrlLength) return `it has more than ${maxUrlLength} characters`;
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

/** Whether the host of a parsed URL is this machine (RFC 6761, 6.3; RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). */
function isLoopback(host: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
}

const safe = new Set(["https:", "data:"]);

/**
 * The icons that may be shown: those with `https:` and `data:` URIs (2025-11-25 on, basic, icons). Lists contain icons as
 * the server sent them. Call this before you fetch or draw an icon, fetch without credentials, and follow no redirect to
 * another origin.
 */
export function safeIcons(icons: readonly Open<"Icon">[] = []): Open<"Icon">[] {
  return icons.filter(({ src }) => URL.canParse(src) && safe.has(new URL(src).protocol));
}

/**
 * The name to show for a tool, prompt, resource, resource template or implementation: `title`, else `annotations.title` of
 * a tool, else `name` (2025-06-18 on, tools, `title`). An empty title counts as absent.
 */
export function displayName(given: {
  readonly name: string;
  readonly title?: string | undefined;
  readonly annotations?: object | undefined;
}): string {
  const { title }: { readonly title?: unknown } = given.annotations ?? {};
  return given.title || (typeof title === "string" && title) || given.name;
}
