import { secrets } from "../secrets/secrets.js";

/** Longer lines are not parsed: lines of this length are messages in practice. */
const maxLineLength = 65_536;

/** Collects lines on a server's standard output that are not protocol messages. */
export class StrayOutput {
  private count = 0;
  private first = "";

  /** Checks one line. */
  line(text: string): void {
    if (text.trim() === "" || text.length > maxLineLength || isMessage(text)) return;
    if (this.count++ === 0) this.first = secrets.hide(text);
  }

  /** Describes the collected lines; undefined without any. */
  get words(): string | undefined {
    if (this.count === 0) return undefined;
    const shown = JSON.stringify(this.first.length > 80 ? `${this.first.slice(0, 79)}…` : this.first);
    return this.count === 1
      ? `on standard output the server printed a line that is not a message: ${shown}`
      : `on standard output the server printed ${this.count} lines that are not messages, the first: ${shown}`;
  }
}

/** A message, or the first of a batch, has `jsonrpc`; a log line in JSON has not. */
function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const each: unknown = Array.isArray(value) ? value[0] : value;
    return typeof each === "object" && each !== null && "jsonrpc" in each;
  } catch {
    return false;
  }
}
