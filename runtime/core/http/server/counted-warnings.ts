/** Texts that are counted at a time. */
const mostTexts = 100;

/** Characters by which texts are told apart. */
const longest = 200;

/**
 * Warnings that any client can cause as often as it sends a request: each text is passed on when it comes first, and then
 * with its count at 10, 100, 1,000 times and so on.
 */
export class CountedWarnings {
  private readonly counts = new Map<string, number>();
  private readonly warn: (text: string) => void;

  constructor(warn: (text: string) => void) {
    this.warn = warn;
  }

  add(text: string): void {
    const key = text.slice(0, longest);
    const count = (this.counts.get(key) ?? 0) + 1;
    if (count === 1 && this.counts.size >= mostTexts) this.counts.clear();
    this.counts.set(key, count);
    if (count === 1) this.warn(text);
    else if (/^10+$/.test(String(count))) this.warn(`${text} (${count} times)`);
  }
}
