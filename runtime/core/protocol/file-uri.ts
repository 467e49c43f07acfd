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
