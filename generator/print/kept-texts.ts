/** Texts that were made before, by what they were made of: for the runs of a loop in one process. */
export class KeptTexts {
  readonly #kept = new Map<string, string>();
  #length = 0;

  get(source: string): string | undefined {
    return this.#kept.get(source);
  }

  set(source: string, made: string): void {
    if (this.#length > mostKept) {
      this.#kept.clear();
      this.#length = 0;
    }
    this.#kept.set(source, made);
    this.#length += source.length + made.length;
  }
}

/** Characters that are kept: some times the output of a contract with 300 tools. */
const mostKept = 8_000_000;
