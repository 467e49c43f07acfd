/** One challenge of `WWW-Authenticate` (RFC 9110, 11.6.1). */
export interface AuthChallenge {
  /** Scheme in lower case. */
  readonly scheme: string;
  readonly token68?: string;
  /** Parameters by name in lower case. The first of repeated parameters counts. */
  readonly params: Readonly<Record<string, string>>;
}

/** Maximum length of the header in characters; a longer one is ignored. */
const longestHeader = 16_384;

const token = /[!#$%&'*+\-.^_`|~\w]+/y;
const blank = /[ \t]*/y;
const separators = /[ \t,]*/y;
const text68 = /[\w\-.~+/]+=*/y;
const quoted = /"((?:[^"\\]|\\.)*)"/sy;

/**
 * Parses all challenges of `WWW-Authenticate` in linear time. Skips malformed parts.
 *
 * @param header the header's value; several lines joined by commas, as the platform does
 */
export function parseChallenges(header: string | null | undefined): AuthChallenge[] {
  if (header === null || header === undefined || header.length > longestHeader) return [];
  const found: { scheme: string; token68?: string; params: Record<string, string> }[] = [];
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while ((read(separators), at < header.length)) {
    const name = read(token)?.[0].toLowerCase();
    if (name === undefined) {
      // A malformed part: continue after this character, or after the quoted text. An unclosed quote ends the parsing.
      if (header[at] !== '"') at++;
      else if (!read(quoted)) break;
      continue;
    }
    const end = at;
    read(blank);
    if (header[at] === "=" && found.length > 0) {
      at++;
      read(blank);
      const value = read(quoted)?.[1]?.replace(/\\(.)/gs, "$1") ?? read(token)?.[0];
      const { params } = found.at(-1)!;
      if (value !== undefined && !Object.hasOwn(params, name)) params[name] = value;
    } else {
      at = end;
      const challenge: (typeof found)[number] = {
        scheme: name,
        params: Object.create(null) as Record<string, string>,
      };
      found.push(challenge);
      read(blank);
      const start = at;
      const value = start > end ? read(text68)?.[0] : undefined;
      read(blank);
      if (value !== undefined && (at === header.length || header[at] === ",")) challenge.token68 = value;
      else at = start;
    }
  }
  return found;
}
