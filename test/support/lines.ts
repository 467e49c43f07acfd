/** Cuts text that arrives in chunks into lines. */
export class Lines {
  private rest = "";

  /** The lines that end in `chunk`, without their ends. */
  endedBy(chunk: string): string[] {
    const lines = (this.rest + chunk).split("\n");
    this.rest = lines.pop()!;
    return lines;
  }
}
