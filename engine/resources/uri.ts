/**
 * The parts of a URI reference (RFC 3986, section 3). Absent parts are `undefined`; the path is always present.
 */
interface Parts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

/** The regular expression of RFC 3986, appendix B. */
const shape = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/;

function partsOf(reference: string): Parts {
  const [, scheme, authority, path = "", query, fragment] = shape.exec(reference) ?? [];
  return { scheme, authority, path, query, fragment };
}

/** Splits a URI at its fragment. An absent fragment is the empty string. */
export function splitFragment(uri: string): { readonly absolute: string; readonly fragment: string } {
  const hash = uri.indexOf("#");
  return hash < 0
    ? { absolute: uri, fragment: "" }
    : { absolute: uri.slice(0, hash), fragment: uri.slice(hash + 1) };
}

/**
 * Resolves `reference` against `base` (RFC 3986, section 5.2), including its fragment. The base may lack a
 * scheme, because documents without a URI have only a path.
 */
export function resolveUri(reference: string, base: string): string {
  const target = partsOf(reference);
  if (target.scheme !== undefined) return formatUri({ ...target, path: withoutDots(target.path) });
  const from = partsOf(base);
  const { scheme } = from;
  const { fragment } = target;
  if (target.authority !== undefined) return formatUri({ ...target, scheme, path: withoutDots(target.path) });
  const { authority } = from;
  if (target.path === "") {
    return formatUri({ scheme, authority, path: from.path, query: target.query ?? from.query, fragment });
  }
  const path = withoutDots(target.path.startsWith("/") ? target.path : merged(from, target.path));
  return formatUri({ scheme, authority, path, query: target.query, fragment });
}

/** Merges paths (section 5.2.3). */
function merged(base: Parts, path: string): string {
  if (base.authority !== undefined && base.path === "") return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf("/") + 1) + path;
}

/** Removes dot segments (section 5.2.4). */
function withoutDots(path: string): string {
  if (!path.includes(".")) return path;
  const rooted = path.startsWith("/");
  const kept: string[] = [];
  const segments = (rooted ? path.slice(1) : path).split("/");
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    if (segment === ".." || segment === ".") {
      if (segment === "..") kept.pop();
      if (last) kept.push("");
    } else kept.push(segment);
  }
  return (rooted ? "/" : "") + kept.join("/");
}

function formatUri({ scheme, authority, path, query, fragment }: Parts): string {
  return (
    (scheme === undefined ? "" : `${scheme}:`) +
    (authority === undefined ? "" : `//${authority}`) +
    path +
    (query === undefined ? "" : `?${query}`) +
    (fragment === undefined ? "" : `#${fragment}`)
  );
}
