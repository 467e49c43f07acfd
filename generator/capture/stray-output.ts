/** Characters of a line beyond which it is not looked at: nobody prints such lines but as messages. */
const maxLineLength = 65_536;

/** Lines on a server's standard output that are no messages of the protocol. */
export class StrayOutput {
  private count = 0;
  private first = "";

  /** Looks at a line. */
  line(text: string): void {
    if (text.trim() === "" || text.length > maxLineLength || isMessage(text)) return;
    if (this.count++ === 0) this.first = text;
  }

  /** What was printed, in words; undefined where nothing was. */
  get words(): string | undefined {
    if (this.count === 0) return undefined;
    const shown = JSON.stringify(this.first.length > 80 ? `${this.first.slice(0, 79)}…` : this.first);
    return this.count === 1
      ? `on standard output it printed a line that is no message: ${shown}`
      : `on standard output it printed ${this.count} lines that are no messages, the first: ${shown}`;
  }
}

/** Logs may be JSON, too: a message says which version of JSON-RPC it is of, or is a batch of some that do. */
function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const each: unknown = Array.isArray(value) ? value[0] : value;
    return typeof each === "object" && each !== null && "jsonrpc" in each;
  } catch {
    return false;
  }
}
