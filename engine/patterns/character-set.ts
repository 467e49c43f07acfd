/**
 * A set of code points: ordered, disjoint ranges that include both ends. A set may contain more code points
 * than the expression matches, but never fewer.
 */
export type CharacterSet = readonly (readonly [number, number])[];

const last = 0x10ffff;
export const everything: CharacterSet = [[0, last]];

const digits: CharacterSet = [[0x30, 0x39]];
const wordCharacters: CharacterSet = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const spaces: CharacterSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

/** Whether two sets may have a code point in common. */
export function overlap(a: CharacterSet, b: CharacterSet): boolean {
  let at = 0;
  for (const [from, to] of a) {
    while (at < b.length && b[at]![1] < from) at++;
    if (at < b.length && b[at]![0] <= to) return true;
  }
  return false;
}

/** The set of a character escape or class escape, outside a class. */
export function setOfEscape(escape: string): CharacterSet {
  switch (escape) {
    case "\\d":
      return digits;
    case "\\D":
      return complement(digits);
    case "\\w":
      return wordCharacters;
    case "\\W":
      return complement(wordCharacters);
    case "\\s":
      return spaces;
    case "\\S":
      return complement(spaces);
    default:
      // For a Unicode property, every code point is included.
      if (/^\\[pP]/.test(escape)) return everything;
      return single(codeOfEscape(escape));
  }
}

/** The set of a class, given with its brackets. */
export function setOfClass(text: string): CharacterSet {
  const negated = text.startsWith("[^");
  const body = text.slice(negated ? 2 : 1, -1);
  const members =
    body.match(
      /\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|[\s\S])|[\s\S]/gu,
    ) ?? [];
  const ranges: (readonly [number, number])[] = [];
  for (let index = 0; index < members.length; index++) {
    const member = members[index]!;
    const set = member.startsWith("\\")
      ? member === "\\b"
        ? single(8)
        : setOfEscape(member)
      : single(member.codePointAt(0)!);
    const end = members[index + 1] === "-" ? members[index + 2] : undefined;
    if (end === undefined || set.length !== 1) {
      ranges.push(...set);
      // `everything` may be larger than the exact set, so its complement would be too small.
      if (negated && set === everything) return everything;
      continue;
    }
    const to = end.startsWith("\\") ? codeOfEscape(end) : end.codePointAt(0)!;
    ranges.push([set[0]![0], to]);
    index += 2;
  }
  return negated ? complement(ranges) : inOrder(ranges);
}

function single(code: number): CharacterSet {
  return [[code, code]];
}

const controls: { readonly [escape: string]: number } = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0, b: 8 };

/** The code point of an escape. */
function codeOfEscape(escape: string): number {
  const kind = escape[1]!;
  if (escape.startsWith("\\u{")) return Number.parseInt(escape.slice(3, -1), 16);
  if (kind === "u" && escape.length === 12) {
    const high = Number.parseInt(escape.slice(2, 6), 16);
    return (high - 0xd800) * 0x400 + Number.parseInt(escape.slice(8), 16) - 0xdc00 + 0x10000;
  }
  if (kind === "u" || kind === "x") return Number.parseInt(escape.slice(2), 16);
  if (kind === "c") return escape.charCodeAt(2) % 32;
  return controls[kind] ?? escape.codePointAt(1)!;
}

function inOrder(ranges: CharacterSet): CharacterSet {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function complement(set: CharacterSet): CharacterSet {
  const sorted = [...set].sort(([a], [b]) => a - b);
  const gaps: (readonly [number, number])[] = [];
  let next = 0;
  for (const [from, to] of sorted) {
    if (from > next) gaps.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}
