/**
 * Collects the answers to one JSON-RPC batch and sends them as one array (JSON-RPC 2.0, batch; 2025-03-26, basic,
 * batching).
 */
export class Batch {
  private readonly texts: string[] = [];
  private open: number;
  private readonly send: (text: string) => void;

  /** @param open the number of messages that get an answer */
  constructor(open: number, send: (text: string) => void) {
    this.open = open;
    this.send = send;
  }

  answer(text: string): void {
    this.texts.push(text);
    this.settle();
  }

  /** One of its requests was cancelled and gets no answer. */
  forgo(): void {
    this.settle();
  }

  private settle(): void {
    if (--this.open === 0 && this.texts.length > 0) this.send(`[${this.texts.join(",")}]`);
  }
}
