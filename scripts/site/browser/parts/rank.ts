import type { Found } from "../../found.js";

/** The words of a search. */
export function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** What has every word, the best first. */
export function ranked(all: readonly Found[], words: readonly string[]): Found[] {
  if (words.length === 0) return [];
  const phrase = words.join(" ");
  return all
    .map((found) => ({ found, score: scoreOf(found, words, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ found }) => found);
}

/** A name counts more than names that are explained below it, these more than the page, and that more than the text; 0 where a word is missing. */
function scoreOf(found: Found, words: readonly string[], phrase: string): number {
  const name = found.n.toLowerCase();
  const terms = found.k?.toLowerCase() ?? "";
  const page = found.p.toLowerCase();
  const text = found.t.toLowerCase();
  let score = name === phrase ? 100 : 0;
  for (const word of words) {
    const best = Math.max(
      20 * fit(name, word),
      12 * fit(terms, word),
      8 * fit(page, word),
      3 * fit(text, word),
    );
    if (best === 0) return 0;
    score += best;
  }
  return score + (text.includes(phrase) ? 2 : 0);
}

/** How well a text has a word: as a word, as the beginning of one, or within one. */
function fit(text: string, word: string): number {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isLetter(text[at - 1])) best = Math.max(best, 1);
    else if (isLetter(text[at + word.length])) best = Math.max(best, 2);
    else return 3;
  }
  return best;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** Characters of a text around the first word. */
const around = 110;

/** The part of a text that has a word; its beginning, where none is in it. */
export function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0));
  const start = Number.isFinite(first) ? Math.max(0, first - around) : 0;
  const end = start + 2 * around;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}
