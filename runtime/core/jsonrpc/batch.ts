/**
 * The answers to one JSON-RPC batch, which leave together as one array when the last of them is there
 * (JSON-RPC 2.0, batch; 2025-03-26, basic, batching).
 */
export class Batch {
  private readonly texts: string[] = [];
  private open: number;
  private readonly send: (text: string) => void;

  /** @param open how many messages of it are to be answered */
  constructor(open: number, send: (text: string) => void) {
    this.open = open;
    this.send = send;
  }

  answer(text: string): void {
    this.texts.push(text);
    this.settle();
  }

  /** One of its requests, having been cancelled, is never answered. */
  forgo(): void {
    this.settle();
  }

  private settle(): void {
    if (--this.open === 0 && this.texts.length > 0) this.send(`[${this.texts.join(",")}]`);
  }
}
