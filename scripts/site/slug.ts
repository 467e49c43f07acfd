/** The addresses that GitHub gives the headings of one document, in their order. */
export class Slugs {
  private readonly used = new Map<string, number>();

  /** The next heading: a text that stood before gets a number. */
  of(heading: string): string {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    const count = this.used.get(plain) ?? 0;
    this.used.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  }
}
