/** Splits a stream of text chunks into lines. */
export class Lines {
  private rest = "";

  /** Returns the lines that end in `chunk`, without line ends. */
  endedBy(chunk: string): string[] {
    const lines = (this.rest + chunk).split("\n");
    this.rest = lines.pop()!;
    return lines;
  }
}
