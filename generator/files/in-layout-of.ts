import { diffArrays } from "diff";
import { withPlainLineEnds } from "./regular-file.js";

/** Tokens that may be added and removed between two texts: the time to find the fewest grows with the square. */
const mostEdits = 1_000;

/** Tokens from the first that differs on, of texts that differ in more: reports show fewer. */
const beginning = 500;

/** A piece of a text. The pieces of a text in a row are the text. */
interface Token {
  /** White space before it, and the token as it is written. */
  readonly written: string;
  /** The form of a token that does not depend on layout. */
  readonly key: string;
  /** A formatter adds and removes such tokens. */
  readonly isLayout: boolean;
}

/**
 * The planned text, laid out as the present one: where both have the same tokens, it has the white space, quotes,
 * semicolons, trailing commas and parentheses of the present text. A line difference with the present text then shows
 * what a formatter does not decide.
 *
 * @param path decides the language, by its extension
 * @returns the planned text itself in a language without layout; of texts that differ widely, only the beginning is laid out
 */
export function inLayoutOf(path: string, present: string, planned: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  if (!["ts", "json", "md"].includes(extension)) return planned;
  const before = tokensOf(withPlainLineEnds(present), extension);
  const after = tokensOf(withPlainLineEnds(planned), extension);
  const runs = diffArrays(keysOf(before), keysOf(after), { maxEditLength: mostEdits });
  if (runs !== undefined) return joinTokens(joined(runs, before, after));
  const apart = before.findIndex(({ key }, index) => key !== after[index]?.key);
  const end = (apart < 0 ? before.length : apart) + beginning;
  const [first, second] = [before.slice(0, end), after.slice(0, end)];
  const relaid = joined(diffArrays(keysOf(first), keysOf(second)), first, second);
  return joinTokens([...relaid, ...after.slice(end)]);
}

/** Tokens of both texts stand as in the first; new tokens stand as in the second. */
function joined(
  runs: readonly { readonly count: number; readonly added: boolean; readonly removed: boolean }[],
  before: readonly Token[],
  after: readonly Token[],
): Token[] {
  const parts: Token[] = [];
  let gone: readonly Token[] = [];
  let fresh: readonly Token[] = [];
  const settle = (): void => {
    parts.push(...replacement(gone, fresh));
    [gone, fresh] = [[], []];
  };
  let [at, then] = [0, 0];
  for (const { count, added, removed } of runs) {
    if (removed) gone = before.slice(at, (at += count));
    else if (added) fresh = after.slice(then, (then += count));
    else {
      settle();
      parts.push(...before.slice(at, (at += count)));
      then += count;
    }
  }
  settle();
  return parts;
}

/** The replacement for tokens of the first text: those tokens, if a formatter may have made the difference. */
function replacement(gone: readonly Token[], fresh: readonly Token[]): readonly Token[] {
  if (gone.length === 0 || fresh.length === 0) {
    const isLayout = [...gone, ...fresh].every((token) => token.isLayout);
    return isLayout ? gone : fresh;
  }
  const [kept, core] = [layoutAtEnd(gone), fresh.slice(0, fresh.length - layoutAtEnd(fresh).length)];
  const [head, ...rest] = core;
  if (head === undefined) return kept.length === gone.length ? gone : fresh;
  const space = /^\s*/.exec(gone[0]!.written)![0];
  return [{ ...head, written: space + head.written.trimStart() }, ...rest, ...kept];
}

function layoutAtEnd(tokens: readonly Token[]): readonly Token[] {
  return tokens.slice(tokens.findLastIndex(({ isLayout }) => !isLayout) + 1);
}

function joinTokens(tokens: readonly Token[]): string {
  return tokens.map(({ written }) => written).join("");
}

function keysOf(tokens: readonly Token[]): string[] {
  return tokens.map(({ key }) => key);
}

/** A comment; a string; a word or a number; a rule of dashes; one other character. */
const lexemes =
  /\s*(?:(\/\*[^]*?\*\/|\/\/[^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([\w$]+)|-{2,}|\S);*|\s+$/gu;

function tokensOf(text: string, extension: string): Token[] {
  const tokens: Token[] = [];
  let previous = "";
  const isCode = extension === "ts";
  for (const match of text.matchAll(isCode ? lexemes : words)) {
    const [written, comment, string] = match;
    if (comment !== undefined && isCode) {
      for (const [word] of written.matchAll(words))
        tokens.push({ written: word, key: word.trim(), isLayout: false });
      continue;
    }
    const rest = text.slice(match.index + written.length, match.index + written.length + 40);
    const key = string === undefined || !isCode ? plainKey(written) : stringKey(string, rest);
    tokens.push({ written, key, isLayout: isCode && isLayoutToken(key, previous, rest) });
    previous = key;
  }
  return tokens;
}

/** A word, or the white space at the end. */
const words = /\s*(?:[\w$]+|-{2,}|[^\s\w$])|\s+$/gu;

/** Semicolons and the length of a rule of dashes are layout. */
function plainKey(written: string): string {
  const plain = written.trim();
  return plain === ";" ? plain : plain.replace(/;+$/, "").replace(/^-{2,}$/, "-");
}

/** A string without regard to its quotes; the name of a member loses them. */
function stringKey(string: string, rest: string): string {
  const content = string.slice(1, -1).replace(/\\(?=["'])/g, "");
  return /^[A-Za-z_$][\w$]*$/.test(content) && /^\??:/.test(rest) ? content : `"${content}"`;
}

function isLayoutToken(key: string, previous: string, rest: string): boolean {
  if (key === "" || key === "(" || key === ")" || key === ";") return true;
  if (key === ",") return /^\s*[\])}>]/.test(rest);
  return (key === "|" || key === "&") && /^(?:|[=<:[,?{>(])$/.test(previous);
}
